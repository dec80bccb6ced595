#!/usr/bin/env python3
"""Trains page/src/extract/scorer/bodies.txt: trees that tell the body of an article from the rest.

usage: bodies.py SET... [--snippets SET]... [--folds DIR] [--write | --check]

SET is a folder of pages/ID.html and gold.jsonl ({"id", "url", "site", "body"}); --snippets are sets whose gold
gives only text that the body must and must not hold ("with", "without"). --folds DIR writes the trees of five
folds, dealt out by site over all sets, to DIR/0.txt ... DIR/4.txt: `newslode eval articles --folds DIR` scores
each page by those that saw no page of its site. --write rewrites bodies.txt; --check trains anew and fails if
the committed file differs. Needs cargo, numpy and lightgbm 4; one thread and fixed seeds: the same pages give
the same file.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

import lightgbm
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "src/extract/scorer/bodies.txt"
TELL = "Trees that tell body from the rest of a page. Written by train/bodies.py from "
FOLDS = 5
TREES = 400
PARAMS = {
    "objective": "cross_entropy", "num_leaves": 15, "learning_rate": 0.03, "lambda_l2": 1.0, "max_bin": 63,
    "min_sum_hessian_in_leaf": 0.05, "min_data_in_leaf": 30, "feature_fraction": 0.4, "extra_trees": True,
    "seed": 1, "num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
}
# Words that a page of snippets counts for in all, against 1 for a page of known body.
SNIPPET_WORDS, SNIPPET_MOST, SNIPPET_WEIGHT = 300, 60, 0.5
TOKEN = re.compile(r"\w+")
ROW = 4


def site(gold: dict) -> str:
    return gold.get("site") or gold["id"]


def fold(site: str, folds: int = FOLDS) -> int:
    """The fold of a site; `newslode eval articles --folds` computes the same."""
    number = 0x811C9DC5
    for byte in site.encode():
        number = (number ^ byte) * 0x01000193 % 2**32
    return number % folds


def measured(folder: pathlib.Path) -> list[dict]:
    """The pages of a set with their runs and what is measured of each."""
    golds = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines() if line]
    asked = "".join(f"{gold.get('url') or ''}\t{folder.resolve()}/pages/{gold['id']}.html\n" for gold in golds)
    command = [os.environ.get("CARGO", "cargo"), "run", "-q", "-p", "newslode-page", "--example", "article_evidence"]
    said = subprocess.run(command, cwd=ROOT, check=True, input=asked, stdout=subprocess.PIPE, text=True)
    names, *lines = map(json.loads, said.stdout.split("\n")[:-1])
    for gold, line in zip(golds, lines, strict=True):
        measures = numpy.array(line["measures"], dtype=numpy.float32).reshape(len(line["texts"]), len(names["names"]))
        gold.update(texts=line["texts"], measures=measures, names=names["names"])
    return golds


def labels(page: dict) -> tuple[numpy.ndarray, numpy.ndarray]:
    """For each run the share of it that the gold body holds, and its weight."""
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
            # Too short to have a row of its own: judged by the rows it has with its neighbours.
            label[number] = 1.0 if " ".join(run) in lines else held[number] / len(run)
    words = numpy.array([max(1, len(run)) for run in runs])
    return label, words / max(30, len(gold))


def snippet_labels(page: dict) -> tuple[numpy.ndarray, numpy.ndarray]:
    """1 or 0 for the runs that hold a snippet of either kind; the others weigh nothing."""
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
    """The runs that are never asked for, `Run::is_mere_link`."""
    column = lambda name: page["measures"][:, page["names"].index(name)]
    return (column("words") <= 20) & (column("link share") >= numpy.float32(0.9))


def trained(pages: list[dict]) -> lightgbm.Booster:
    measures = numpy.concatenate([page["measures"] for page in pages])
    label, weight = (numpy.concatenate([page["labels"][part] for page in pages]) for part in (0, 1))
    known = weight > 0
    weight = weight[known] * known.sum() / weight.sum()
    data = lightgbm.Dataset(measures[known], label[known], weight=weight)
    return lightgbm.train(PARAMS, data, TREES)


def written(model: lightgbm.Booster, names: list[str], what: str) -> str:
    lines = [f"# {what}; not by hand.",
             "# measure, threshold, then, else: a later line of the tree (from 0) or =value"]
    for tree in model.dump_model()["tree_info"]:
        lines.append("tree")
        splits, todo = [], [tree["tree_structure"]]
        while todo:
            node = todo.pop(0)
            splits.append(node)
            todo += [child for child in (node["left_child"], node["right_child"]) if "split_feature" in child]
        number = {node["split_index"]: at for at, node in enumerate(splits)}
        target = lambda node: str(number[node["split_index"]]) if "split_index" in node else f"={node['leaf_value']:.4f}"
        for node in splits:
            name = names[node["split_feature"]]
            lines.append(f"{name}\t{node['threshold']:.6g}\t{target(node['left_child'])}\t{target(node['right_child'])}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=pathlib.Path, nargs="+")
    parser.add_argument("--snippets", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--folds", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    pages = []
    for folder in args.sets + args.snippets:
        for page in measured(folder):
            if folder in args.snippets:
                page["labels"] = snippet_labels(page)
            elif page.get("body"):
                page["labels"] = labels(page)
            else:
                continue
            page["labels"][1][is_mere_link(page)] = 0
            pages.append(page)
    names = pages[0]["names"]
    sites = set(map(site, pages))
    of = f"{len(pages)} pages of {len(sites)} sites"
    print(f"{of}, {sum(len(page['texts']) for page in pages)} runs of text")
    if args.write or args.check:
        text = written(trained(pages), names, TELL + of)
        if args.write:
            WEIGHTS.write_text(text)
        elif WEIGHTS.read_text() != text:
            sys.exit(f"{WEIGHTS} is not what these pages give; run with --write")
    if args.folds:
        args.folds.mkdir(parents=True, exist_ok=True)
        for number in range(FOLDS):
            rest = [page for page in pages if fold(site(page)) != number]
            (args.folds / f"{number}.txt").write_text(written(trained(rest), names, f"{TELL}all but fold {number}"))


if __name__ == "__main__":
    main()
