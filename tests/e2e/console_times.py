#!/usr/bin/env python3
"""Measures a console: the median time of each kind of page, its size, and the memory of its process.

    newslode-lab bench console --sites 40 --stories 140 --out large
    newslode serve large & tests/e2e/console_times.py 127.0.0.1:8080 $!
"""

import http.client
import re
import statistics
import sys
import time
from urllib.parse import quote, unquote

ROUNDS = 21


def main(address, process):
    connection = http.client.HTTPConnection(address, timeout=120)

    def get(path):
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def first(pattern, path):
        return re.search(pattern, get(path)[1].decode(), re.S).group(1).replace("&amp;", "&")

    begun = time.monotonic()
    while True:
        try:
            if get("/")[0] == 200:
                break
        except ConnectionRefusedError:
            connection.close()
        time.sleep(0.2)
    print(f"first look: {time.monotonic() - begun:.1f} s")
    older = first(r'rel="next" href="([^"]+)"', "/articles")
    article = first(r'<h3[^>]*><a href="(/articles/[0-9a-f]+)"', "/articles")
    url = quote(first(r'<p class="meta">.*?<a href="([^"]+)"', article), safe="")
    concept = first(r'href="(/taxonomy/[^"?]+)"', "/taxonomy")
    site = first(r'href="(/sites/[^"?]+)"', "/sites")
    some = f"site={site.split('/')[-1]}&concept={quote(unquote(concept.split('/')[-1]))}&language=en"
    pages = [
        "/", "/taxonomy", "/taxonomy?q=s", concept,
        "/articles", older, "/articles?q=council", "/articles?q=%22according+to%22", "/articles?q=co*",
        f"/articles?{some}", "/articles?q=zzzunheardof",
        article, article + "/page", article + "/hierarchy.svg", article + "/correct",
        "/sites", site, f"/explain?target={url}", "/operations",
        "/api/v1/articles", "/api/v1/articles?limit=200", f"/api/v1/article?url={url}",
        "/api/v1/taxonomy", "/api/v1/sites", "/api/v1" + site,
    ]  # fmt: skip
    for path in pages:
        times = []
        get(path)
        for _ in range(ROUNDS):
            start = time.perf_counter()
            status, body = get(path)
            times.append((time.perf_counter() - start) * 1_000)
        assert status == 200, path
        print(f"{statistics.median(times):7.1f} ms {len(body):9,} bytes  {path[:70]}")
    with open(f"/proc/{process}/status") as status:
        print(*(line.strip() for line in status if line.startswith(("VmRSS", "VmHWM"))))


main(sys.argv[1], sys.argv[2])
