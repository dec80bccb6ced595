#!/bin/sh
# Makes the files that compose.yaml reads its passwords from: for each service a user of its own in RabbitMQ and Redis, with no
# more rights than it needs (docs/security.md).
#   deploy/secrets.sh [FOLDER]     FOLDER: deploy/secrets unless given; must not exist yet
# One file for each reader, so that no container sees another's secrets.
set -eu

folder=${1:-$(dirname "$0")/secrets}
umask 077
if ! mkdir "$folder"; then
    echo "hint: passwords that are in use are not replaced; remove \`$folder\` to begin anew" >&2
    exit 1
fi

# Hexadecimal: nothing in it needs escaping in a URL, in JSON or in Redis' settings.
password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

for user in admin newslode crawler partitioner miner seeds reader scaler; do
    eval "broker_$user=$(password)"
done
for user in newslode crawler miner; do
    eval "store_$user=$(password)"
done

# urls FILE USER: the variables of a service. A partitioner needs no Redis.
urls() {
    eval "broker=\$broker_$2 store=\${3:-}"
    echo "NEWSLODE__BROKER__URL=amqp://$2:$broker@rabbitmq:5672/%2f" >"$folder/$1.env"
    if [ -n "$store" ]; then
        echo "NEWSLODE__STORE__URL=redis://$2:$store@redis:6379/0" >>"$folder/$1.env"
    fi
}
urls cli newslode "$store_newslode"
# The console works with the operator's rights.
urls console newslode "$store_newslode"
token=$(password)
echo "CONSOLE_TOKEN=$token" >>"$folder/console.env"
urls crawler crawler "$store_crawler"
urls partitioner partitioner
urls miner miner "$store_miner"
# For programs of yours: one that adds sites, one that reads articles, and a scaler that asks for the length of queues.
urls seeds seeds
urls reader reader
urls scaler scaler

cat >"$folder/grafana.env" <<END
GF_SECURITY_ADMIN_PASSWORD=$(password)
END
echo "$broker_admin" >"$folder/rabbitmq-admin"
# The same token, for people.
echo "$token" >"$folder/console-token"

# user NAME TAGS, right USER CONFIGURE WRITE READ: entries of RabbitMQ's definitions.
user() {
    eval "broker=\$broker_$1"
    printf '    {"name": "%s", "password": "%s", "tags": "%s"}%s\n' "$1" "$broker" "$2" "${3-,}"
}
right() {
    printf '    {"user": "%s", "vhost": "/", "configure": "%s", "write": "%s", "read": "%s"}%s\n' "$1" "$2" "$3" "$4" "${5-,}"
}
{
    printf '{\n  "vhosts": [{"name": "/"}],\n  "users": [\n'
    user admin administrator
    user newslode management
    user crawler ''
    user partitioner ''
    user miner ''
    user seeds ''
    user reader ''
    user scaler '' ''
    printf '  ],\n  "permissions": [\n'
    right admin '.*' '.*' '.*'
    # The default exchange is for processes of 0.1.0 that still run under this user.
    right newslode '^newslode[.]' '^(newslode[.]|amq[.]default$)' '^newslode[.]'
    right crawler '^$' '^newslode[.]publish[.](pages|gone)$' '^$'
    right partitioner '^$' '^newslode[.]publish[.](partitions|pages[.]dead)$' '^newslode[.]pages$'
    right miner '^newslode[.]' \
        '^newslode[.](articles|dead|publish[.](pages|gone|(seeds|removals|gone|partitions)[.]dead)|(seeds|removals|pages|gone|partitions)([.]dead)?)$' \
        '^newslode[.](dead|seeds|removals|pages|gone|partitions|publish[.].*)$'
    right seeds '^$' '^newslode[.]publish[.]seeds$' '^$'
    right reader '^newslode[.]reader[.]' '^newslode[.]reader[.]' '^newslode[.](articles|reader[.].*)$'
    right scaler '^$' '^$' '^$' ''
    printf '  ]\n}\n'
} >"$folder/rabbitmq.json"

# Functions run with the rights of who calls them, so the keys are what counts; whoever may load functions can replace them.
everything='~newslode:* +@read +@write +@connection -@dangerous +fcall +fcall_ro +function|load +function|list +info +config|get +time'
frontier='~newslode:buckets ~newslode:turns ~newslode:{b*}:sites ~newslode:{b*}:[mudlptro]:* ~newslode:{b*}:d[0234]:* ~newslode:{v:network} %R~newslode:{v:format}'
cat >"$folder/redis.conf" <<END
user default off
user newslode on >$store_newslode $everything
user miner on >$store_miner $everything
user crawler on >$store_crawler $frontier +@hash +@set +@sortedset +@connection -@dangerous +exists +unlink +fcall +function|list +info +config|get +time
END
# Read by the servers as their own users, so readable inside a folder that nobody else can enter.
chmod 644 "$folder/redis.conf" "$folder/rabbitmq.json"
