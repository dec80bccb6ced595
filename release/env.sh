#!/bin/sh
# Makes an environment with release/requirements.txt, and prints its interpreter. For Linux, macOS and Windows (Git's shell).
#   release/env.sh FOLDER
set -eu

python=$(command -v python3 || command -v python)
[ -d "$1" ] || "$python" -m venv "$1"
for interpreter in "$1/bin/python" "$1/Scripts/python.exe"; do
    if [ -x "$interpreter" ]; then
        "$interpreter" -m pip install --quiet --disable-pip-version-check -r "$(dirname "$0")/requirements.txt" >&2
        echo "$interpreter"
        exit
    fi
done
echo "no interpreter in $1" >&2
exit 1
