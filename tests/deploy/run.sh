#!/bin/sh
# Checks deploy/ and k8s/ by pinned validators, and what `newslode init` writes. Needs python3 with venv, promtool (Debian:
# prometheus), redis-server, rabbitmq-server, openssl, systemd-analyze (Debian: systemd); root, to run RabbitMQ as its own user.
#   NEWSLODE_BIN=target/debug/newslode tests/deploy/run.sh     asks the real loader, too
#   NEWSLODE_BIN=target/debug/newslode tests/deploy/run.sh make     makes what k8s/make.py makes, instead
#   tests/deploy/run.sh broken     breaks a copy on purpose, and shows what the checks say
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# Some 400 MB, so it is kept.
python=$("$here/../python-env.sh" deploy "$here/requirements.txt")/bin/python
case "${1:-}" in
    make) exec "$python" "$here/../../k8s/make.py" ;;
    broken) exec "$python" "$here/broken.py" ;;
    *) exec "$python" "$here/check.py" ;;
esac
