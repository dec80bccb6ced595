#!/bin/sh
# Asks independent readers and writers of web archives.
#   tests/warc/run.sh read pages.warc.gz           prints the records as JSON, one a line (warcio)
#   tests/warc/run.sh write pages.warc.gz          writes an archive with records of every kind (warcio)
#   tests/warc/run.sh index pages.warc.gz          prints its index, sorted (cdxj-indexer)
#   tests/warc/run.sh validate pages.wacz          checks a package (wacz)
#   tests/warc/run.sh replay pages.wacz URL…       prints what is shown for URLs as JSON, one a line (pywb); also of a folder
#                                                  with archives and their indexes
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$("$here/../python-env.sh" warc "$here/requirements.txt")
what=$1
shift
case $what in
    index) exec "$venv/bin/cdxj-indexer" --sort --records response,revisit,resource "$@" ;;
    validate) exec "$venv/bin/wacz" validate --file "$@" ;;
    *) exec "$venv/bin/python" "$here/$what.py" "$@" ;;
esac
