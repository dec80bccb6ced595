#!/usr/bin/env python3
"""Reads the documents that `newslode extract --format` writes with parsers of others, and counts what they lose.

    python3 lab/check-formats.py target/release/newslode SET...

A SET is a folder with `pages/` and `gold.jsonl` (`id` and `url` of each page). Every page is read alone, once in each format:
- HTML: ammonia (nh3), as it cleans what strangers wrote, must change nothing.
- Markdown: comrak must find the headings, links, pictures, list items, quotations and letters that the HTML has. Cells are not
  compared: tables of Markdown have no short rows.
- TEI: xmllint must find it valid, if --dtd names the DTD of TEI P5 (trafilatura's wheel has it as `tei_corpus.dtd`).
- JSON-LD: rdflib must find triples in it, without the network.

Needs: pip install comrak nh3 lxml rdflib; xmllint.
"""

import argparse
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import comrak
import nh3
import rdflib
from lxml import html as lxml_html

EXTENSIONS = comrak.ExtensionOptions()
EXTENSIONS.table = EXTENSIONS.strikethrough = True
SHOWN = 3


def tree(document):
    return lxml_html.fragment_fromstring(document, create_parent="div")


def without_order(node):
    """An element as a value that does not depend on the order of attributes or on how letters are escaped."""
    children = tuple((without_order(child), child.tail or "") for child in node)
    return node.tag, tuple(sorted(node.attrib.items())), node.text or "", children


def parts(node):
    """What a document holds, by kind. Markdown has round brackets around credits."""
    words = lambda element: " ".join("".join(element.itertext()).split())
    address = lambda text: quote(text or "", safe="/:?#[]@!$&'()*+,;=%~|^")
    headings = [(element.tag, words(element)) for element in node.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    return {
        "headings": headings,
        "links": [(address(element.get("href")), words(element)) for element in node.iter("a")],
        "pictures": [address(element.get("src")) for element in node.iter("img")],
        "items": sum(1 for _ in node.iter("li")),
        "quotations": sum(1 for _ in node.iter("blockquote")),
        "letters": re.sub(r"[\s()]", "", "".join(node.itertext())),
    }


def first_difference(one, other):
    if isinstance(one, str):
        at = next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
        return one[max(0, at - 30) : at + 30], other[max(0, at - 30) : at + 30]
    if isinstance(one, list):
        return next(((a, b) for a, b in zip(one, other) if a != b), (len(one), len(other)))
    return one, other


def faults(documents, dtd):
    """(format, what differs) of the documents of one article."""
    html = tree(documents["html"])
    if without_order(html) != without_order(tree(nh3.clean(documents["html"]))):
        yield "html", "ammonia changes it"
    read = tree(comrak.render_markdown(documents["markdown"], extension_options=EXTENSIONS))
    wanted, found = parts(html), parts(read)
    for kind in wanted:
        if wanted[kind] != found[kind]:
            yield "markdown", f"{kind}: {first_difference(wanted[kind], found[kind])}"
    if dtd:
        run = subprocess.run(["xmllint", "--noout", "--dtdvalid", dtd, "-"], input=documents["tei"].encode(), capture_output=True)
        if run.returncode != 0:
            yield "tei", run.stderr.decode(errors="replace")[:200]
    try:
        if len(rdflib.Graph().parse(data=documents["json-ld"], format="json-ld")) < 2:
            yield "json-ld", "no triples"
    except Exception as error:  # A parser may fail in any way.
        yield "json-ld", repr(error)[:200]


def extracted(program, page, url, form):
    command = [program, "extract", page, "--alone", "--quiet", "--format", form] + (["--url", url] if url else [])
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("sets", nargs="+", type=Path)
    arguments.add_argument("--dtd")
    given = arguments.parse_args()
    counted = Counter()
    for folder in given.sets:
        lines = (folder / "gold.jsonl").read_text(encoding="utf-8").split("\n")
        urls = {record["id"]: record.get("url") for record in map(json.loads, filter(str.strip, lines))}
        for page in sorted((folder / "pages").iterdir()):
            of = lambda form: extracted(given.program, page, urls.get(page.stem), form)
            html = of("html")
            if not html:
                continue
            counted["articles"] += 1
            documents = {"html": html} | {form: of(form) for form in ("markdown", "tei", "json-ld")}
            for form, what in faults(documents, given.dtd):
                counted[form] += 1
                if counted[form] <= SHOWN:
                    print(f"{form}: {page.name}: {what}")
        wrong = ", ".join(f"{form} {counted[form]}" for form in ("html", "markdown", "tei", "json-ld"))
        print(f"{folder.name}: {counted['articles']} articles so far; faults: {wrong}", flush=True)


if __name__ == "__main__":
    main()
