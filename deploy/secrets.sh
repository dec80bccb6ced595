#!/bin/sh
# Makes the files that compose.yaml reads its passwords from, each with a password of its own.
#   deploy/secrets.sh [FOLDER]     FOLDER: deploy/secrets unless given; must not exist yet
# One file for each reader, so that no container sees another's secrets.
set -eu

folder=${1:-$(dirname "$0")/secrets}
umask 077
if ! mkdir "$folder"; then
    echo "hint: passwords that are in use are not replaced; remove \`$folder\` to begin anew" >&2
    exit 1
fi

# Hexadecimal: nothing in it needs escaping in a URL.
password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

broker=$(password)
store=$(password)

cat >"$folder/newslode.env" <<END
NEWSLODE__BROKER__URL=amqp://newslode:$broker@rabbitmq:5672/%2f
NEWSLODE__STORE__URL=redis://:$store@redis:6379/0
END
cat >"$folder/rabbitmq.env" <<END
RABBITMQ_DEFAULT_USER=newslode
RABBITMQ_DEFAULT_PASS=$broker
END
cat >"$folder/grafana.env" <<END
GF_SECURITY_ADMIN_PASSWORD=$(password)
END
# Read by the server as its own user, so readable inside a folder that nobody else can enter.
echo "requirepass $store" >"$folder/redis.conf"
chmod 644 "$folder/redis.conf"
