#!/bin/sh
# Checks deploy/ and k8s/: makes a Python environment in a temporary folder, installs the pinned
# validators, runs check.py. Needs python3 with venv, promtool (Debian: prometheus), redis-server,
# rabbitmq-server, openssl; root, to run RabbitMQ as its own user.
#   NEWSLODE_BIN=target/debug/newslode tests/deploy/run.sh     asks the real loader, too
#   NEWSLODE_BIN=target/debug/newslode tests/deploy/run.sh make     makes what k8s/make.py makes, instead
#   tests/deploy/run.sh broken     breaks a copy on purpose, and shows what the checks say
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check -r "$here/requirements.txt"
case "${1:-}" in
    make) "$work/venv/bin/python" "$here/../../k8s/make.py" ;;
    broken) "$work/venv/bin/python" "$here/broken.py" ;;
    *) "$work/venv/bin/python" "$here/check.py" ;;
esac
