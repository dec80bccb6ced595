#!/bin/sh
# Checks what Newslode is made of and how it is released. Needs python3 with venv, cargo, and the registries.
#   tests/supply/run.sh
# Advisories need databases, so they are checked only where these name one:
#   NEWSLODE_CRATE_ADVISORIES     a clone of https://github.com/rustsec/advisory-db
#   NEWSLODE_PYTHON_ADVISORIES    a clone of https://github.com/pypa/advisory-database
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$("$here/../python-env.sh" supply "$here/requirements.txt")
export PYTHONPATH="$here/../../release" PYTHONDONTWRITEBYTECODE=1
PATH="$venv/bin:$PATH" exec "$venv/bin/python" "$here/check.py"
