"""Asks a live Prometheus for every panel's expression; exits 1 and lists those that return no series.

    python3 tests/deploy/live.py http://127.0.0.1:9090 [--without PREFIX]... [--wait SECONDS]

--without PREFIX: leaves out expressions over metrics that begin so (`rabbitmq_` where no RabbitMQ is scraped).
--wait SECONDS: asks again until all return a series or the time is over; a rate needs two scrapes.
A series whose value is NaN counts as one (the quantile of a histogram that saw nothing yet); its number is told.
"""

import argparse
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import panels
import promql


def ask(prometheus, expr):
    """The values of the instant vector; raises with Prometheus' words when it refuses the expression."""
    url = f"{prometheus.rstrip('/')}/api/v1/query?" + urllib.parse.urlencode({"query": expr})
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            data = json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        raise RuntimeError(json.load(error).get("error", str(error))) from error
    return [series["value"][1] for series in data["result"]]


def without_series(prometheus, wanted):
    """(expressions that return nothing with why, number of NaNs)"""
    missing, nans = [], 0
    for item in wanted:
        try:
            values = ask(prometheus, item["expr"])
            why = None if values else "no series"
            nans += values.count("NaN")
        except RuntimeError as error:
            why = str(error)
        if why:
            missing.append((item, why))
    return missing, nans


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prometheus")
    parser.add_argument("--without", action="append", default=[], metavar="PREFIX")
    parser.add_argument("--wait", type=float, default=0, metavar="SECONDS")
    args = parser.parse_args()

    every = panels.expressions()
    wanted = [
        item
        for item in every
        if not any(name.startswith(tuple(args.without)) for name in promql.selectors(item["expr"])[0])
    ]
    if not wanted:
        sys.exit("no expression is left to ask for")
    until = time.monotonic() + args.wait
    missing, nans = without_series(args.prometheus, wanted)
    while missing and time.monotonic() < until:
        time.sleep(1)
        missing, nans = without_series(args.prometheus, wanted)
    for item, why in missing:
        print(f"panel {item['id']} `{item['panel']}`: {why}: {item['expr']}", file=sys.stderr)
    print(f"{len(wanted) - len(missing)} of {len(wanted)} expressions return a series; {nans} values are NaN; {len(every) - len(wanted)} left out")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
