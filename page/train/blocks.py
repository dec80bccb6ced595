#!/usr/bin/env python3
"""Trains page/src/partition/outline/blocks/blocks.txt: trees that tell where a block of a page begins.

usage: blocks.py PAGES GOLD... [--threshold P] [--write | --check]

PAGES is a folder of NAME.html, GOLD are folders of NAME.outline whose lines `| LEAF` say where a reader sees a
new block begin. Prints what comes out for pages of sites that the trees did not see (every site is left out once,
in folds): means over pages of precision, recall and F1 within windows of 5, 1 and 0 leaves. --write rewrites
blocks.txt; --check trains anew and fails if the committed file differs. Needs cargo, numpy and lightgbm 4; one
thread and fixed seeds: the same pages give the same file.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import lightgbm
import numpy

from bodies import fold, written

ROOT = pathlib.Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "src/partition/outline/blocks/blocks.txt"
FOLDS = 11
TREES = 60
PARAMS = {
    "objective": "binary", "num_leaves": 8, "learning_rate": 0.12, "lambda_l2": 5.0, "max_bin": 63,
    "min_data_in_leaf": 30, "feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1,
    "seed": 1, "num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
}
# What the blocks of a page count for together, whatever their number.
PAGE_WEIGHT = 20


def site(page: dict) -> str:
    return page["name"].split("-")[0]


def measured(pages: pathlib.Path, golds: list[pathlib.Path]) -> tuple[list[str], list[dict]]:
    files = sorted((file for gold in golds for file in gold.glob("*.outline")), key=lambda file: file.name)
    command = [os.environ.get("CARGO", "cargo"), "run", "-q", "-p", "newslode-page", "--example", "block_evidence", "--"]
    command += [str((pages / f"{file.stem}.html").resolve()) for file in files]
    said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    names, *lines = map(json.loads, said.stdout.splitlines())
    found = []
    for file, line in zip(files, lines, strict=True):
        marks = [text.split()[1] for text in file.read_text("utf-8").splitlines() if text.startswith("|")]
        measures = numpy.array(line["measures"], dtype=numpy.float32).reshape(-1, len(names["names"]))
        found.append({"name": file.stem, "gold": sorted(set(map(int, marks))), "leaves": line["leaves"], "measures": measures})
    return names["names"], [page for page in found if page["gold"]]


def trained(pages: list[dict]) -> lightgbm.Booster:
    measures = numpy.concatenate([page["measures"] for page in pages])
    label = numpy.concatenate([numpy.isin(page["leaves"], page["gold"]) for page in pages])
    weight = numpy.concatenate([numpy.full(len(page["leaves"]), PAGE_WEIGHT / len(page["gold"])) for page in pages])
    return lightgbm.train(PARAMS, lightgbm.Dataset(measures, label, weight=weight), TREES)


def hits(found: list[int], gold: list[int], window: int) -> int:
    """From left to right, each used once."""
    hit = at = 0
    for wanted in gold:
        while at < len(found) and found[at] < wanted - window:
            at += 1
        if at < len(found) and found[at] <= wanted + window:
            hit, at = hit + 1, at + 1
    return hit


def figures(pages: list[dict], threshold: float) -> None:
    for window in (5, 1, 0):
        rows = []
        for page in pages:
            found = [leaf for leaf, p in zip(page["leaves"], page["likelihood"]) if p >= threshold]
            hit = hits(found, page["gold"], window)
            precision, recall = hit / max(1, len(found)), hit / len(page["gold"])
            rows.append((precision, recall, 2 * precision * recall / (precision + recall) if hit else 0))
        print("  within {}: P {:.3f} R {:.3f} F1 {:.3f}".format(window, *numpy.mean(rows, axis=0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=pathlib.Path)
    parser.add_argument("gold", type=pathlib.Path, nargs="+")
    parser.add_argument("--threshold", type=float, default=0.2)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    names, pages = measured(args.pages, args.gold)
    of = f"{len(pages)} pages of {len(set(map(site, pages)))} sites"
    for number in range(FOLDS):
        rest = trained([page for page in pages if fold(site(page), FOLDS) != number])
        for page in pages:
            if fold(site(page), FOLDS) == number:
                page["likelihood"] = rest.predict(page["measures"])
    first = {file.stem for file in args.gold[0].glob("*.outline")}
    print(f"{of}, sites left out, {args.gold[0].name}:")
    figures([page for page in pages if page["name"] in first], args.threshold)
    print("all:")
    figures(pages, args.threshold)
    text = written(trained(pages), names, f"Trees that tell where a block of a page begins. Written by train/blocks.py from {of}")
    if args.write:
        WEIGHTS.write_text(text)
    elif args.check and WEIGHTS.read_text() != text:
        sys.exit(f"{WEIGHTS} is not what these pages give; run with --write")


if __name__ == "__main__":
    main()
