#!/bin/sh
# Makes a Python environment of the tests and prints its folder. Needs python3 with venv.
#   tests/python-env.sh NAME REQUIREMENTS
# It is made once under the target folder, anew when the requirements change.
set -eu

venv=${CARGO_TARGET_DIR:-$(cd "$(dirname "$0")/.." && pwd)/target}/$1-venv
mkdir -p "$(dirname "$venv")"
(
    # Tests that run at once make it once.
    flock 9
    if ! cmp -s "$2" "$venv/made-of"; then
        rm -rf "$venv"
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet --no-compile --disable-pip-version-check -r "$2" >&2
        cp "$2" "$venv/made-of"
    fi
) 9> "$venv.lock"
echo "$venv"
