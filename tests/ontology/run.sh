#!/bin/sh
# Asks independent readers about an ontology: rapper and rdflib read both forms, the graphs must be the same,
# and the SKOS integrity of shapes.ttl must hold. Needs python3 with venv and rapper (Debian: raptor2-utils).
#   tests/ontology/run.sh ontology.ttl ontology.rdf
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$("$here/../python-env.sh" ontology "$here/requirements.txt")
rapper -q -c -i turtle "$1" urn:x:
rapper -q -c -i rdfxml "$2" urn:x:
exec "$venv/bin/python" "$here/check.py" "$1" "$2"
