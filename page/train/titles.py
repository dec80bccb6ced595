#!/usr/bin/env python3
"""Trains page/src/extract/title/titles.txt: trees that tell the title of an article from other texts of its page.

usage: titles.py DATA [--check] [--write] [--unseen]

Sites whose masthead is the only h1 are rare in the sets. So one page of MASTHEADS is learnt once more with the site's name as
its h1, and its own h1 as an h2 or as a plain element.

--unseen prints how many titles are right, set by set, if the pages of a site are judged by trees trained on the other sites.
"""
import json
import pathlib
import re
import tempfile
import unicodedata

import lightgbm
import numpy

import fields
import sets
import trees

COMMITTED = sets.ROOT / "src/extract/title/titles.txt"
HEAD = "Trees that tell a title from other texts of a page. Written by train/titles.py from "
# The order matters: another one gives other trees.
SETS = ["articles/fundus", "articles/n4kset", "articles/wcxb", "articles/tfl", "articles/cleanportal", "articles/big9"]
TREES = 300
PARAMS = {
    "objective": "binary", "num_leaves": 15, "learning_rate": 0.03, "lambda_l2": 1.0, "max_bin": 63,
    "min_data_in_leaf": 20, "min_sum_hessian_in_leaf": 0.05, "feature_fraction": 0.3, "extra_trees": True,
    **trees.REPEATABLE,
}
# One page in so many is also learnt with a masthead, with this weight.
MASTHEADS, MASTHEAD_WEIGHT = 3, 0.5
H1 = re.compile(rb"<(/?)h1\b", re.IGNORECASE)
BODY = re.compile(rb"<body\b[^>]*>", re.IGNORECASE)
TITLE = re.compile(rb"<title\b[^>]*>([^<]*)<", re.IGNORECASE)
DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
QUOTES = {ord(letter): "'" for letter in "‘’‚‛`´′«»“”„‟\"‹›"}


def plain(text: str) -> str:
    """White space, quotes, dashes and case made alike."""
    text = re.sub("[\u00ad\u200b-\u200f\u2060\ufeff]", "", unicodedata.normalize("NFKC", text))
    text = text.translate(DASHES).translate(QUOTES)
    return " ".join(text.replace("''", "'").casefold().split())


def measured(golds: list[dict], files: list[pathlib.Path]) -> None:
    """Gives each page its candidates, the measures of each, and which are right."""
    asked = [f"{gold.get('url') or ''}\t{file}" for gold, file in zip(golds, files, strict=True)]
    names, records = sets.evidence("titles", asked)
    for gold, record in zip(golds, records, strict=True):
        shape = (len(record["texts"]), len(names["names"]))
        gold.update(texts=record["texts"], names=names["names"],
                    measures=numpy.array(record["measures"], dtype=numpy.float32).reshape(shape),
                    right=numpy.array([plain(text) == plain(gold["title"]) for text in record["texts"]], dtype=float))


def with_masthead(html: bytes, gold: dict, number: int) -> bytes | None:
    """The page with the name of its site as h1; None if nothing tells the name."""
    title, body = TITLE.search(html), BODY.search(html)
    if not title or not body:
        return None
    name = re.split(rb" [|\xe2-] | \xe2\x80[\x93\x94] ", title.group(1))[-1].strip()
    if not 0 < len(name.split()) <= 4 or plain(name.decode("utf-8", "replace")) in plain(gold["title"]):
        name = fields.site(gold).split(".")[0].upper().encode()
    own = [rb"<\1h2", rb"<\1div"][number % 2]
    html = html[:body.end()] + H1.sub(own, html[body.end():])
    link = b"<h1><a href=/>%s</a></h1>" if number % 3 else b"<header><h1>%s</h1></header>"
    return html[:body.end()] + link % name + html[body.end():]


def read(name: str, folder: pathlib.Path) -> list[dict]:
    """The pages of a set whose title is known, and some of them with a masthead."""
    golds = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").split("\n") if line]
    golds = [dict(gold, set=name, has_masthead=False) for gold in golds if gold.get("title")]
    files = [folder.resolve() / "pages" / f"{gold['id']}.html" for gold in golds]
    with tempfile.TemporaryDirectory() as made:
        for number, (gold, file) in enumerate(list(zip(golds, files))):
            html = with_masthead(file.read_bytes(), gold, number // MASTHEADS) if number % MASTHEADS == 0 else None
            if html:
                files.append(pathlib.Path(made) / f"{number}.html")
                files[-1].write_bytes(html)
                golds.append(dict(gold, has_masthead=True))
        measured(golds, files)
    return golds


def train(pages: list[dict]) -> lightgbm.Booster:
    """Trees from the pages that show their title."""
    pages = [page for page in pages if page["right"].any()]
    return fields.boosted(pages, PARAMS, TREES, lambda page: MASTHEAD_WEIGHT if page["has_masthead"] else 1)


def chosen(model: lightgbm.Booster, page: dict) -> int:
    return int(numpy.argmax(model.predict(page["measures"])))


def unseen(pages: list[dict]) -> None:
    model = fields.without_site(pages, train)
    for name in SETS + ["mastheads"]:
        is_of = lambda page: page["has_masthead"] if name == "mastheads" else page["set"] == name and not page["has_masthead"]
        found = [page for page in pages if is_of(page)]
        right = sum(bool(len(page["texts"])) and page["right"][chosen(model(page), page)] for page in found)
        ceiling = sum(page["right"].any() for page in found)
        print(f"{name:24} {len(found):4} pages, {right / len(found):.3f} right, {ceiling / len(found):.3f} among the candidates")


if __name__ == "__main__":
    fields.run(__doc__, SETS, read, unseen, train, COMMITTED, HEAD)
