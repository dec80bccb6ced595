#!/bin/sh
# Asks warcio, an independent reader and writer of web archives.
#   tests/warc/run.sh read pages.warc.gz     prints the records as JSON, one a line
#   tests/warc/run.sh write pages.warc.gz    writes an archive with records of every kind
# It uses the Python environment of the ontology's checks.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$("$here/../python-env.sh" ontology "$here/../ontology/requirements.txt")
what=$1
shift
exec "$venv/bin/python" "$here/$what.py" "$@"
