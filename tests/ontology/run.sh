#!/bin/sh
# Asks independent readers about an ontology: rapper and rdflib read both forms, the graphs must be the same,
# and the SKOS integrity of shapes.ttl must hold. Needs python3 with venv and rapper (Debian: raptor2-utils).
#   tests/ontology/run.sh ontology.ttl ontology.rdf
# The Python environment is made once under the target folder, anew when requirements.txt changes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=${CARGO_TARGET_DIR:-$here/../../target}/ontology-venv
mkdir -p "$(dirname "$venv")"
(
    # Tests that run at once make it once.
    flock 9
    if ! cmp -s "$here/requirements.txt" "$venv/made-of"; then
        rm -rf "$venv"
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
        cp "$here/requirements.txt" "$venv/made-of"
    fi
) 9> "$venv.lock"
[ $# -eq 0 ] && exit 0
rapper -q -c -i turtle "$1" urn:x:
rapper -q -c -i rdfxml "$2" urn:x:
exec "$venv/bin/python" "$here/check.py" "$1" "$2"
