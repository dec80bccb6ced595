#!/bin/sh
# Makes an environment of the tests with packages of npm, and prints its folder. Needs npm.
#   tests/node-env.sh NAME FOLDER    FOLDER has package.json and package-lock.json
# It is made once under the target folder, anew when the packages change. No package runs a script.
set -eu

env=${CARGO_TARGET_DIR:-$(cd "$(dirname "$0")/.." && pwd)/target}/$1-node
mkdir -p "$(dirname "$env")"
(
    # Tests that run at once make it once.
    flock 9
    if ! cmp -s "$2/package-lock.json" "$env/made-of"; then
        rm -rf "$env"
        mkdir "$env"
        cp "$2/package.json" "$2/package-lock.json" "$env"
        npm ci --prefix "$env" --ignore-scripts --no-audit --no-fund --silent >&2
        cp "$2/package-lock.json" "$env/made-of"
    fi
) 9> "$env.lock"
echo "$env"
