#!/usr/bin/env python3
"""Trains page/src/extract/days/days.txt: trees that tell the day of an article from other days that its page says.

usage: days.py DATA [--check] [--write] [--unseen]

--unseen prints how many pages get their day, and how many that have none get none, set by set, if the pages of a site are
judged by trees trained on the other sites. Pages whose labels say the day of a later change are not learnt from, but judged.
"""
import json
import pathlib

import lightgbm
import numpy

import fields
import sets
import trees

COMMITTED = sets.ROOT / "src/extract/days/days.txt"
HEAD = "Trees that tell the day of an article from other days on its page. Written by train/days.py from "
# The order matters: another one gives other trees.
SETS = ["articles/fundus", "articles/n4kset", "articles/wcxb", "articles/tfl", "articles/dates", "articles/ceb"]
TREES = 150
# The least likelihood of a day; as in days/mod.rs.
LEAST = 0.1
# Sets whose pages without a day in the labels have none; in the others nobody looked.
WITHOUT = ["articles/wcxb"]
PARAMS = {
    "objective": "binary", "num_leaves": 15, "learning_rate": 0.06, "lambda_l2": 1.0, "max_bin": 63,
    "min_data_in_leaf": 20, "min_sum_hessian_in_leaf": 0.05, "feature_fraction": 0.3,
    **trees.REPEATABLE,
}


def read(name: str, folder: pathlib.Path) -> list[dict]:
    """The pages of a set whose day is known or that have none, with the days they say, the measures of each, and which is right."""
    golds = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").split("\n") if line]
    golds = [dict(gold, set=name, wanted=(gold.get("published") or "")[:10]) for gold in golds]
    golds = [gold for gold in golds if len(gold["wanted"]) == 10 or (not gold["wanted"] and name in WITHOUT)]
    asked = [f"{gold.get('url') or ''}\t{folder.resolve() / 'pages' / gold['id']}.html" for gold in golds]
    names, records = sets.evidence("days", asked)
    for gold, record in zip(golds, records, strict=True):
        shape = (len(record["texts"]), len(names["names"]))
        gold.update(days=record["texts"], names=names["names"],
                    measures=numpy.array(record["measures"], dtype=numpy.float32).reshape(shape),
                    right=numpy.array([day == gold["wanted"] for day in record["texts"]], dtype=float))
    return golds


def is_change(page: dict) -> bool:
    """Whether the label is the day of a later change, though the markup says the day of publication: such labels teach nothing."""
    said = {name: [day for day, row in zip(page["days"], page["measures"]) if row[page["names"].index(f"{name} says")] >= 0]
            for name in ("article", "object", "meta", "changed", "changedmeta")}
    published = said["article"][:1] + said["object"][:1] + said["meta"][:1]
    return page["wanted"] in said["changed"] + said["changedmeta"] and bool(published) and max(published) < page["wanted"]


def train(pages: list[dict]) -> lightgbm.Booster:
    """Trees from the pages that say their day or have none."""
    pages = [page for page in pages if page["days"] and (page["right"].any() or not page["wanted"]) and not is_change(page)]
    return fields.boosted(pages, PARAMS, TREES)


def chosen(model: lightgbm.Booster, page: dict) -> str:
    """The likeliest day, or nothing."""
    if not page["days"]:
        return ""
    scores = model.predict(page["measures"])
    best = int(numpy.argmax(scores))
    return page["days"][best] if scores[best] >= LEAST else ""


def unseen(pages: list[dict]) -> None:
    model = fields.without_site(pages, train)
    for name, is_dated in [(name, True) for name in SETS] + [(name, False) for name in WITHOUT]:
        found = [page for page in pages if page["set"] == name and bool(page["wanted"]) == is_dated]
        right = sum(chosen(model(page), page) == page["wanted"] for page in found)
        if not is_dated:
            print(f"{name:24} {len(found):4} pages without a day, {right / len(found):.3f} get none")
            continue
        ceiling = sum(page["wanted"] in page["days"] for page in found)
        print(f"{name:24} {len(found):4} pages, {right / len(found):.3f} right, {ceiling / len(found):.3f} among the candidates")


if __name__ == "__main__":
    fields.run(__doc__, SETS, read, unseen, train, COMMITTED, HEAD)
