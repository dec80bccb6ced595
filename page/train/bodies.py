#!/usr/bin/env python3
"""Trains page/src/extract/scorer/bodies.txt: trees that tell the body of an article from the rest.

usage: bodies.py DATA [--check] [--write] [--folds DIR]

--folds DIR writes trees for unseen sites: the pages of all sets are divided by site into 5 splits, and each of
DIR/0.txt ... DIR/4.txt holds the trees trained on all other splits. `newslode-lab eval articles --folds DIR` scores each
page with the trees of its split.
"""
import json
import pathlib
import re

import lightgbm
import numpy

import sets
import trees

COMMITTED = sets.ROOT / "src/extract/scorer/bodies.txt"
HEAD = "Trees that tell body from the rest of a page. Written by train/bodies.py from "
# The order matters: another one gives other trees.
SETS = ["articles/aeb", "articles/fundus-eval", "articles/fundus", "articles/n4kset", "articles/wcxb"]
# Sets whose gold only lists text that the body must ("with") or must not contain ("without").
SNIPPETS = ["articles/tfl"]
# What counts as body there differs from what it is in news, so its pages weigh less.
WEIGHTS = {"articles/wcxb": 0.4}
SPLITS = 5
TREES = 400
PARAMS = {
    "objective": "cross_entropy", "num_leaves": 24, "learning_rate": 0.03, "lambda_l2": 1.0, "max_bin": 63,
    "min_sum_hessian_in_leaf": 0.05, "min_data_in_leaf": 30, "feature_fraction": 0.4, "extra_trees": True,
    **trees.REPEATABLE,
}
# The weight of a run with a snippet is SNIPPET_WEIGHT * its words (at most SNIPPET_MOST) / SNIPPET_WORDS; a page of
# known body has a weight of 1 in all.
SNIPPET_WORDS, SNIPPET_MOST, SNIPPET_WEIGHT = 300, 60, 0.5
TOKEN = re.compile(r"\w+")
ROW = 4


def site(gold: dict) -> str:
    return gold.get("site") or gold["id"]


def read(folder: pathlib.Path) -> list[dict]:
    """The pages of a set with their runs and the measures of each run."""
    golds = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").split("\n") if line]
    asked = [f"{gold.get('url') or ''}\t{folder.resolve()}/pages/{gold['id']}.html" for gold in golds]
    names, records = sets.evidence("bodies", asked)
    for gold, record in zip(golds, records, strict=True):
        measures = numpy.array(record["measures"], dtype=numpy.float32).reshape(len(record["texts"]), len(names["names"]))
        gold.update(texts=record["texts"], measures=measures, names=names["names"])
    return golds


def labels(page: dict) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The share of each run that the gold body contains, and the weight of each run."""
    gold = TOKEN.findall(page["body"].lower())
    rows = {tuple(gold[at:at + ROW]) for at in range(len(gold) - ROW + 1)}
    lines = {" ".join(TOKEN.findall(line.lower())) for line in page["body"].split("\n")}
    runs = [TOKEN.findall(text.lower()) for text in page["texts"]]
    stream = [(token, number) for number, run in enumerate(runs) for token in run]
    covered = numpy.zeros(len(stream), dtype=bool)
    for at in range(len(stream) - ROW + 1):
        if tuple(token for token, _ in stream[at:at + ROW]) in rows:
            covered[at:at + ROW] = True
    held = numpy.zeros(len(runs))
    numpy.add.at(held, [number for _, number in stream], covered)
    label = numpy.zeros(len(runs))
    for number, run in enumerate(runs):
        if len(run) >= ROW:
            found = sum(tuple(run[at:at + ROW]) in rows for at in range(len(run) - ROW + 1))
            label[number] = found / (len(run) - ROW + 1)
        elif run:
            # Too short for a row: whole lines count, and rows that span its neighbours.
            label[number] = 1.0 if " ".join(run) in lines else held[number] / len(run)
    words = numpy.array([max(1, len(run)) for run in runs])
    return label, words / max(30, len(gold))


def snippet_labels(page: dict) -> tuple[numpy.ndarray, numpy.ndarray]:
    """1 or 0 for runs that contain a snippet of either kind; other runs have no weight."""
    plain = lambda text: " ".join(text.split())
    wanted, unwanted = ([plain(text) for text in page.get(key) or []] for key in ("with", "without"))
    label, weight = numpy.zeros(len(page["texts"])), numpy.zeros(len(page["texts"]))
    for number, text in enumerate(map(plain, page["texts"])):
        is_out, is_in = any(part in text for part in unwanted), any(part in text for part in wanted)
        if is_out or is_in:
            label[number] = float(not is_out)
            words = min(max(3, len(TOKEN.findall(text))), SNIPPET_MOST)
            weight[number] = SNIPPET_WEIGHT * words / SNIPPET_WORDS
    return label, weight


def is_mere_link(page: dict) -> numpy.ndarray:
    """The runs that are never scored, as `Run::is_mere_link` has it."""
    column = lambda name: page["measures"][:, page["names"].index(name)]
    return (column("words") <= 20) & (column("link share") >= numpy.float32(0.9))


def train(pages: list[dict]) -> lightgbm.Booster:
    measures = numpy.concatenate([page["measures"] for page in pages])
    label, weight = (numpy.concatenate([page["labels"][part] for page in pages]) for part in (0, 1))
    known = weight > 0
    weight = weight[known] * known.sum() / weight.sum()
    data = lightgbm.Dataset(measures[known], label[known], weight=weight)
    return lightgbm.train(PARAMS, data, TREES)


def main() -> None:
    parser = sets.arguments(__doc__)
    parser.add_argument("--folds", type=pathlib.Path, metavar="DIR", help="write the trees of each split")
    args = parser.parse_args()
    pages = []
    with sets.opened(args.data, SETS + SNIPPETS) as folders:
        for name, folder in zip(SETS + SNIPPETS, folders):
            for page in read(folder):
                if name in SNIPPETS:
                    page["labels"] = snippet_labels(page)
                elif page.get("body"):
                    page["labels"] = labels(page)
                else:
                    continue
                page["labels"][1][is_mere_link(page)] = 0
                page["labels"][1][:] *= WEIGHTS.get(name, 1)
                pages.append(page)
    names = pages[0]["names"]
    of = f"{len(pages)} pages of {len(set(map(site, pages)))} sites"
    print(f"{of}, {sum(len(page['texts']) for page in pages)} runs of text")
    if args.check or args.write:
        sets.settle(args, COMMITTED, trees.text(train(pages), names, HEAD + of))
    if args.folds:
        def of_split(number: int) -> str:
            others = [page for page in pages if trees.split(site(page), SPLITS) != number]
            return trees.text(train(others), names, f"{HEAD}all but split {number} of {SPLITS}")
        trees.write_splits(args.folds, SPLITS, of_split)


if __name__ == "__main__":
    main()
