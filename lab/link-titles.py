#!/usr/bin/env python3
"""Compares the titles of a run's articles with what links on front pages and sections call them.

link-titles.py SITES RUN/articles.jsonl

SITES holds a folder per recorded site: manifest.jsonl (file, url, kind) and gold.jsonl (url, title). Printed in all: articles with a
title in the gold, right titles; of those that a link shows: wrong titles, those whose most frequent link text is right, right titles
whose most frequent link text differs. White space and case are set aside; link texts of at most 12 characters are left out.
Standard library only.
"""
import collections
import html
import html.parser
import json
import pathlib
import re
import sys
from urllib.parse import unquote, urljoin, urlsplit


def squash(text):
    return re.sub(r"\s+", " ", html.unescape(text or "")).strip().casefold()


def key(url):
    parts = urlsplit(unquote(url))
    path = re.sub(r"/index\.html?$", "", parts.path).rstrip("/")
    return (parts.hostname or "").removeprefix("www.") + path + ("?" + parts.query if parts.query else "")


class Links(html.parser.HTMLParser):
    """Collects (address, text) of the links of a page."""

    def __init__(self):
        super().__init__()
        self.found, self.open = [], None

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.handle_endtag("a")
            self.open = [dict(attributes).get("href"), ""]

    def handle_data(self, text):
        if self.open:
            self.open[1] += text

    def handle_endtag(self, tag):
        if tag == "a" and self.open:
            self.found.append(tuple(self.open))
            self.open = None


def lines(path):
    return [json.loads(line) for line in path.open(encoding="utf-8") if line.strip()]


def main(sites, articles):
    titles = {key(article["url"]): article.get("title") for article in lines(pathlib.Path(articles))}
    counts = collections.Counter()
    for site in sorted(pathlib.Path(sites).iterdir()):
        if not (site / "gold.jsonl").exists():
            continue
        gold = {key(row["url"]): squash(row.get("title")) for row in lines(site / "gold.jsonl")}
        texts = collections.defaultdict(collections.Counter)
        for page in lines(site / "manifest.jsonl"):
            if page["kind"] not in ("home", "section"):
                continue
            parser = Links()
            parser.feed((site / page["file"]).read_text(encoding="utf-8", errors="replace"))
            for address, text in parser.found:
                text = squash(text)
                try:
                    target = key(urljoin(page["url"], address or ""))
                except ValueError:
                    continue
                if target in gold and len(text) > 12:
                    texts[target][text] += 1
        for address, title in gold.items():
            if address not in titles or not title:
                continue
            is_right = squash(titles[address]) == title
            counts["articles"] += 1
            counts["right"] += is_right
            if address in texts:
                by_links = texts[address].most_common(1)[0][0] == title
                counts["wrong, shown by links"] += not is_right
                counts["wrong, links right"] += by_links and not is_right
                counts["right, shown by links"] += is_right
                counts["right, links differ"] += is_right and not by_links
    for name, count in counts.items():
        print(f"{count:6} {name}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
