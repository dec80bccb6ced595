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
TREES = 300
# The likelihood from which a name is an author's, and that of one where no name is that likely; as in authors/mod.rs.
LEAST, SOLE = 0.5, 0.3
# Sets whose pages without authors in the labels have none; in the others nobody looked.
WITHOUT = ["articles/wcxb"]
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


def read(name: str, folder: pathlib.Path) -> list[dict]:
    """The pages of a set whose authors are known or that have none, with their candidates, the measures of each, and which are right."""
    golds = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").split("\n") if line]
    golds = [dict(gold, set=name, authors=gold.get("authors") or []) for gold in golds]
    golds = [gold for gold in golds if gold["authors"] or name in WITHOUT]
    asked = [f"{gold.get('url') or ''}\t{folder.resolve() / 'pages' / gold['id']}.html" for gold in golds]
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
    return fields.boosted(pages, PARAMS, TREES)


def authors(model: lightgbm.Booster, page: dict) -> set[str]:
    """The names that are likelier than not, of two forms of one name the likelier one; else the likeliest."""
    if not page["keys"]:
        return set()
    scored = list(zip(page["keys"], model.predict(page["measures"])))
    is_part = lambda one, other: f" {one} " in f" {other} " or f" {other} " in f" {one} "
    is_form = lambda one, score: any(more > score and other != one and is_part(one, other) for other, more in scored)
    best, of_best = max(scored, key=lambda one: one[1])
    found = {one for one, score in scored if score >= LEAST and not is_form(one, score)}
    return found or ({best} if of_best >= SOLE else set())


def unseen(pages: list[dict]) -> None:
    model = fields.without_site(pages, train)
    for name, is_named in [(name, True) for name in SETS] + [(name, False) for name in WITHOUT]:
        found = [page for page in pages if page["set"] == name and bool(page["wanted"]) == is_named]
        if not is_named:
            right = sum(not authors(model(page), page) for page in found)
            print(f"{name:24} {len(found):4} pages without authors, {right / len(found):.3f} get none")
            continue
        right = sum(authors(model(page), page) == page["wanted"] for page in found)
        ceiling = sum(page["wanted"] <= set(page["keys"]) for page in found)
        print(f"{name:24} {len(found):4} pages, {right / len(found):.3f} right, {ceiling / len(found):.3f} among the candidates")


if __name__ == "__main__":
    fields.run(__doc__, SETS, read, unseen, train, COMMITTED, HEAD)
