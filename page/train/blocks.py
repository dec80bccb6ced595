#!/usr/bin/env python3
"""Trains page/src/partition/outline/blocks/blocks.txt: trees that find where the blocks of a page begin.

usage: blocks.py DATA [--check] [--write] [--folds DIR]

--folds DIR writes trees for unseen sites: the pages are divided by site into 11 splits, and each of
DIR/0.txt ... DIR/10.txt holds the trees trained on all other splits. `newslode-lab eval hierarchy --folds DIR` scores each
page with the trees of its split.
"""
import pathlib
import re

import lightgbm
import numpy

import sets
import trees

COMMITTED = sets.ROOT / "src/partition/outline/blocks/blocks.txt"
HEAD = "Trees that tell where a block of a page begins. Written by train/blocks.py from "
SPLITS = 11
TREES = 60
PARAMS = {
    "objective": "binary", "num_leaves": 8, "learning_rate": 0.12, "lambda_l2": 5.0, "max_bin": 63,
    "min_data_in_leaf": 30, "feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1, **trees.REPEATABLE,
}
# The total weight of the blocks of a page, whatever their number.
PAGE_WEIGHT = 20


def site(name: str) -> str:
    """The site of an outline: its name up to the year, as in `newslode-lab eval hierarchy --folds`."""
    return re.sub(r"-[0-9]{4}.*", "", name)


def read(homes: pathlib.Path, outlines: pathlib.Path) -> tuple[list[str], list[dict]]:
    """The names of the measures, and the pages with marks: their gaps and the measures of each gap."""
    files = sorted(outlines.glob("*.outline"), key=lambda file: file.name)
    names, records = sets.evidence("blocks", [str((homes / f"{file.stem}.html").resolve()) for file in files])
    names, pages = names["names"], []
    for file, record in zip(files, records, strict=True):
        lines = file.read_text("utf-8").split("\n")
        marks = {int(re.match(r"\s*\|\s*([0-9]+)", line)[1]) for line in lines if line.lstrip().startswith("|")}
        measures = numpy.array(record["measures"], dtype=numpy.float32).reshape(-1, len(names))
        pages.append({"site": site(file.stem), "gold": sorted(marks), "leaves": record["leaves"], "measures": measures})
    return names, [page for page in pages if page["gold"]]


def train(pages: list[dict]) -> lightgbm.Booster:
    measures = numpy.concatenate([page["measures"] for page in pages])
    label = numpy.concatenate([numpy.isin(page["leaves"], page["gold"]) for page in pages])
    weight = numpy.concatenate([numpy.full(len(page["leaves"]), PAGE_WEIGHT / len(page["gold"])) for page in pages])
    return lightgbm.train(PARAMS, lightgbm.Dataset(measures, label, weight=weight), TREES)


def main() -> None:
    parser = sets.arguments(__doc__)
    parser.add_argument("--folds", type=pathlib.Path, metavar="DIR", help="write the trees of each split")
    args = parser.parse_args()
    with sets.opened(args.data, ["homes", "hierarchy"]) as (homes, outlines):
        names, pages = read(homes, outlines)
    of = f"{len(pages)} pages of {len({page['site'] for page in pages})} sites"
    print(f"{of}, {sum(len(page['leaves']) for page in pages)} places where a block may begin")
    if args.check or args.write:
        sets.settle(args, COMMITTED, trees.text(train(pages), names, HEAD + of))
    if args.folds:
        def of_split(number: int) -> str:
            others = [page for page in pages if trees.split(page["site"], SPLITS) != number]
            return trees.text(train(others), names, f"{HEAD}all but split {number} of {SPLITS}")
        trees.write_splits(args.folds, SPLITS, of_split)


if __name__ == "__main__":
    main()
