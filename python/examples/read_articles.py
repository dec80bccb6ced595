"""Reads articles from RabbitMQ as the services publish them, and acknowledges each once it is dealt with.

    pip install -r python/examples/requirements.txt
    export NEWSLODE__BROKER__URL=amqp://user:password@rabbitmq:5672/%2f
    python python/examples/read_articles.py [PATTERN] [COUNT]

PATTERN selects by language and site ("de.#", "*.example.org"; default "*.*.#", all articles). The example ends after COUNT
messages; without COUNT it goes on until Ctrl-C. Messages are JSON: docs/articles.md explains every key.

The reader's queue remembers articles while no reader is connected, and vanishes after a day without one.
"""

import itertools
import json
import os
import sys
import unicodedata
from typing import Any

import pika
import pika.exceptions

# <broker.prefix>.articles
EXCHANGE = "newslode.articles"
# Number of messages that the broker hands out before the first is acknowledged.
PREFETCH = 32
DAY_MS = 86_400_000


def main() -> None:
    url = os.environ.get("NEWSLODE__BROKER__URL") or sys.exit("set NEWSLODE__BROKER__URL to the URL of RabbitMQ")
    pattern = sys.argv[1] if len(sys.argv) > 1 else "*.*.#"
    if len(sys.argv) > 2 and not sys.argv[2].isdecimal():
        sys.exit(f"COUNT is a number, not {sys.argv[2]!r}")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else None

    try:
        connection = pika.BlockingConnection(pika.URLParameters(url))
    except pika.exceptions.AMQPConnectionError as error:
        sys.exit(f"cannot connect to RabbitMQ: {error!r}")
    channel = connection.channel()
    # A queue keeps its patterns, so each pattern has a queue. Readers of one queue share its articles.
    queue = f"example-reader {pattern}"
    channel.queue_declare(queue, durable=True, arguments={"x-queue-type": "quorum", "x-expires": DAY_MS})
    try:
        channel.queue_bind(queue, EXCHANGE, pattern)
    except pika.exceptions.ChannelClosedByBroker as error:
        sys.exit(f"cannot bind to {EXCHANGE}, which the services declare; start them first: {error}")
    channel.basic_qos(prefetch_count=PREFETCH)

    newest: dict[str, int] = {}
    for method, _, body in itertools.islice(channel.consume(queue), count):
        try:
            event = json.loads(body)
            line = told(event)
            url, version = event["url"], event["version"]
        except (ValueError, KeyError, TypeError) as error:
            print(f"passed over a message that is no event of an article: {error!r}", file=sys.stderr)
            channel.basic_reject(method.delivery_tag, requeue=False)
        else:
            # An event that came before, or is late: url and version identify it.
            if newest.get(url, 0) < version:
                newest[url] = version
                print(harmless(line), flush=True)
            # Only now may the broker forget it. What was shown and not acknowledged comes again.
            channel.basic_ack(method.delivery_tag)
    # Hands back what the broker had handed out beyond COUNT.
    channel.cancel()
    connection.close()


def harmless(line: str) -> str:
    """The line without control characters, which could steer the terminal, and those that reverse the order of letters."""
    directions = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    is_control = [unicodedata.category(letter) == "Cc" or unicodedata.bidirectional(letter) in directions for letter in line]
    return "".join("\ufffd" if control else letter for letter, control in zip(line, is_control))


def told(event: dict[str, Any]) -> str:
    """A line for an event."""
    if event["event"] == "gone":
        return f"gone  {event['reason']}  {event['url']}"
    concepts = ", ".join(event["concepts"])
    return f"{event['event']}  {event['title'] or '(no title)'}  [{concepts}]  {event['url']}"


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
