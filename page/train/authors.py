#!/usr/bin/env python3
"""Trains page/src/extract/authors/authors.txt: trees that tell the authors of an article from other names on its page.

usage: authors.py DATA [--check] [--write] [--unseen]

--unseen prints how many pages get exactly their authors, and how many that have none get none, set by set, if the pages of a site are judged by trees trained on the
other sites.
"""
import json
import pathlib
import re

import lightgbm
import numpy

import fields
import sets
import trees
from titles import plain

COMMITTED = sets.ROOT / "src/extract/authors/authors.txt"
HEAD = "Trees that tell authors from other names on a page. Written by train/authors.py from "
# The order matters: another one gives other trees.
SETS = ["articles/fundus", "articles/n4kset", "articles/wcxb", "articles/tfl"]
SITES = "realsites"
# A whole site weighs more than a site of a few pages, and this many of its articles are learnt from.
SITE_WEIGHT, MOST_PAGES = 3, 60
TREES = 300
# The likelihood from which a name is an author's, and that of one where no name is that likely; as in authors/mod.rs.
LEAST, SOLE = 0.6, 0.2
# Sets whose pages without authors in the labels have none; in the others nobody looked.
WITHOUT = ["articles/wcxb"]
# Where the labels of a whole site name its house, its articles name their writers below the text.
HOUSE = {"www.subculturedmag.com": ["SUBCULTURED"]}
# Sources that no line of the page shows.
DECLARED = ["author", "creator", "person", "meta", "weakmeta"]
# Where the labels hold several names in one.
JOINTS = re.compile(r" and | & |, |; ")
PARAMS = {
    "objective": "binary", "num_leaves": 15, "learning_rate": 0.06, "lambda_l2": 1.0, "max_bin": 63,
    "min_data_in_leaf": 20, "min_sum_hessian_in_leaf": 0.05, "feature_fraction": 0.3, "extra_trees": True,
    **trees.REPEATABLE,
}


def key(name: str) -> str:
    """The words of a name: by these names are equal."""
    return " ".join(re.findall(r"\w+", plain(name)))


def lines(file: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]


def listed(name: str, folder: pathlib.Path) -> list[dict]:
    """The pages of a set whose authors are known or that have none."""
    if name != SITES:
        golds = [dict(gold, set=name, authors=gold.get("authors") or []) for gold in lines(folder / "gold.jsonl")]
        return [dict(gold, file=folder / "pages" / f"{gold['id']}.html") for gold in golds if gold["authors"] or name in WITHOUT]
    golds = []
    for site in sorted(site for site in folder.iterdir() if (site / "manifest.jsonl").exists()):
        files = {row["url"]: site / row["file"] for row in lines(site / "manifest.jsonl")}
        named = [gold for gold in lines(site / "gold.jsonl") if gold["authors"] and not HOUSE.get(site.name) == gold["authors"]]
        named = named[::max(1, len(named) // MOST_PAGES)]
        golds += [dict(gold, set=name, site=site.name, file=files[gold["url"]]) for gold in named]
    return golds


def read(name: str, folder: pathlib.Path) -> list[dict]:
    """The listed pages of a set, with their candidates, the measures of each, and which are right."""
    golds = listed(name, folder)
    asked = [f"{gold.get('url') or ''}\t{gold['file'].resolve()}" for gold in golds]
    names, records = sets.evidence("authors", asked)
    for gold, record in zip(golds, records, strict=True):
        gold["keys"] = [key(text) for text in record["texts"]]
        wanted = {key(author) for author in gold["authors"]}
        right = wanted | {key(one) for author in gold["authors"] for one in JOINTS.split(author)}
        shape = (len(record["texts"]), len(names["names"]))
        gold.update(wanted=wanted - {""}, names=names["names"],
                    measures=numpy.array(record["measures"], dtype=numpy.float32).reshape(shape),
                    right=numpy.array([one in right for one in gold["keys"]], dtype=float))
    return golds


def train(pages: list[dict]) -> lightgbm.Booster:
    """Trees from the pages that name their authors or have none."""
    pages = [page for page in pages if page["keys"] and (page["right"].any() or not page["wanted"])]
    return fields.boosted(pages, PARAMS, TREES, lambda page: SITE_WEIGHT if page["set"] == SITES else 1)


def without_others(page: dict, scores: numpy.ndarray) -> numpy.ndarray:
    """The scores, but none for names that only bylines of other articles give, if the article has an author of its own."""
    column = lambda name: page["measures"][:, page["names"].index(name)]
    declared = numpy.max([column(f"{source} says") for source in DECLARED], axis=0) >= 0
    of_other = (column("is of other article") == 1) & ~declared
    return numpy.where(of_other, 0, scores) if (scores[~of_other] >= LEAST).any() else scores


def authors(model: lightgbm.Booster, page: dict) -> set[str]:
    """The names that are likely, of two forms of one name the likelier one; else the likeliest. Bylines of several names are not looked at."""
    if not page["keys"]:
        return set()
    scored = list(zip(page["keys"], without_others(page, model.predict(page["measures"]))))
    is_part = lambda one, other: f" {one} " in f" {other} " or f" {other} " in f" {one} "
    is_form = lambda one, score: any(more > score and other != one and is_part(one, other) for other, more in scored)
    best, of_best = max(scored, key=lambda one: one[1])
    found = {one for one, score in scored if score >= LEAST and not is_form(one, score)}
    return found or ({best} if of_best >= SOLE else set())


def unseen(pages: list[dict]) -> None:
    model = fields.without_site(pages, train)
    table = lambda page: page["site"] if page["set"] == SITES else page["set"]
    sites = sorted({table(page) for page in pages} - set(SETS))
    for name, is_named in [(name, True) for name in SETS + sites] + [(name, False) for name in WITHOUT]:
        found = [page for page in pages if table(page) == name and bool(page["wanted"]) == is_named]
        if not is_named:
            right = sum(not authors(model(page), page) for page in found)
            print(f"{name:24} {len(found):4} pages without authors, {right / len(found):.3f} get none")
            continue
        right = sum(authors(model(page), page) == page["wanted"] for page in found)
        ceiling = sum(page["wanted"] <= set(page["keys"]) for page in found)
        print(f"{name:24} {len(found):4} pages, {right / len(found):.3f} right, {ceiling / len(found):.3f} among the candidates")


if __name__ == "__main__":
    fields.run(__doc__, [*SETS, SITES], read, unseen, train, COMMITTED, HEAD)
