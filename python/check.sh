#!/usr/bin/env bash
# Tests the Python package as its users get it: builds the wheel, installs it into an environment of its own and runs
# the tests, the examples of the docstrings and docs, and the checks of the types. `./test` calls this.
#   python/check.sh [PROFILE]    the profile of cargo, by default `release`, which users get
set -euo pipefail
cd "$(dirname "$0")"

venv=$(../tests/python-env.sh python requirements-test.txt)
wheels=${CARGO_TARGET_DIR:-../target}/wheels
rm -rf "$wheels"
PYO3_PYTHON="$venv/bin/python" "$venv/bin/maturin" build --quiet --locked --profile "${1:-release}" --out "$wheels"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/newslode-*.whl
# What only installing in a clean environment shows: metadata, and the bill of materials.
../release/try-wheel.sh "$wheels"/newslode-*.whl "$venv/bin/python"
# Away from this folder, so that what is installed is tested, not what stands here.
here=$(pwd)
cd /
"$venv/bin/python" -m pytest --rootdir "$here" -c "$here/pyproject.toml" -p no:cacheprovider "$here/tests"
"$venv/bin/python" -m mypy --strict --cache-dir "$venv/mypy" -p newslode
"$venv/bin/python" -m mypy --strict --cache-dir "$venv/mypy" "$here/tests" "$here/examples/extract.py"
"$venv/bin/python" -m mypy.stubtest --mypy-config-file "$here/pyproject.toml" newslode
