#!/usr/bin/env python3
"""Trains page/src/partition/outline/heads/heads.txt: trees that choose the head of each label of a page.

usage: heads.py DATA [--check] [--write] [--folds DIR]

The file has two parts. The trees of the first sift the candidates of a label, by few measures. Those of the second choose
among what is left: most see what the rules say, the others do not. The rules were made on some of the pages, so trees that see
them trust them more than other pages bear out.

--folds DIR writes trees for unseen sites: the pages are divided by site into 11 splits, and each of
DIR/0.txt ... DIR/10.txt holds the trees trained on all other splits. `newslode-lab eval hierarchy --head-folds DIR` scores
each page with the trees of its split.
"""
import json
import os
import pathlib
import re
import subprocess

import lightgbm
import numpy

import sets
import trees

COMMITTED = sets.ROOT / "src/partition/outline/heads/heads.txt"
HEAD = "Trees that choose the heads of labels. Written by train/heads.py from "
SPLITS = 11
# Candidates that are left when they are sifted, besides the top; as LEFT in heads/mod.rs.
LEFT = 4
# One of so many wrong candidates is learnt for sifting.
WRONG = 4
# The weight of all labels of a page.
PAGE_WEIGHT = 300
SIFT, SIFT_TREES = {"num_leaves": 8, "learning_rate": 0.2}, 15
CHOOSE = {"num_leaves": 15, "learning_rate": 0.15, "lambda_l2": 2.0, "feature_fraction": 0.5}
# Trees that see what the rules say and that do not, and what each adds to the score.
CHOOSE_TREES, SHARES = 60, (0.7, 0.3)
PARAMS = {"objective": "binary", "max_bin": 63, "min_data_in_leaf": 30, **trees.REPEATABLE}
# Measures of what the rules decided, and ranks as their first pass left them.
FROM_RULES = re.compile(r"\brule\b|\bvoted\b|^(label|head) strength$")


class Outline:
    """A gold outline: by leaf its label, by label the one above it, as first leaves."""

    def __init__(self, file: pathlib.Path):
        self.label, self.parent, open_ = {}, {}, []
        for line in file.read_text("utf-8").split("\n"):
            body, indent = line.strip(), len(line) - len(line.lstrip(" "))
            if not body or body[0] in "#~|":
                continue
            while open_ and open_[-1][0] >= indent:
                open_.pop()
            leaves = numbers(body.partition("\t")[0])
            if leaves:
                self.label.update((leaf, leaves[0]) for leaf in leaves)
                self.parent[leaves[0]] = next((leaf for _, leaf in reversed(open_) if leaf is not None), None)
            open_.append((indent, leaves[0] if leaves else None))
        self.below = dict.fromkeys(self.parent, 0)
        for label in self.parent:
            while (label := self.parent[label]) is not None:
                self.below[label] += 1


def numbers(text: str) -> list[int]:
    """The leaves that a line names; none for a group ("+")."""
    spans = re.findall(r"([0-9]+)(?:-([0-9]+))?", text)
    return sorted(leaf for first, last in spans for leaf in range(int(first), int(last or first) + 1))


class Page:
    """A page's arcs (label, candidate), their measures, which are right, and what each weighs."""

    def __init__(self, site: str, record: dict, measures: numpy.ndarray, gold: Outline):
        self.site, self.measures = site, measures
        self.label = numpy.array([label for label, _ in record["arcs"]], dtype=int)
        self.head = numpy.array([-1 if head is None else head for _, head in record["arcs"]], dtype=int)
        of_leaf = {leaf: label for label, (first, end) in enumerate(record["labels"]) for leaf in range(first, end)}
        right, weight = {}, {}
        for label, (first, end) in enumerate(record["labels"]):
            own = next((gold.label[leaf] for leaf in range(first, end) if leaf in gold.label), None)
            if own is None:
                continue
            above = gold.parent[own]
            # The rest of a label that is split for us has the label's own head.
            if above is not None and of_leaf.get(above) == label:
                above = gold.parent[above]
            right[label] = -1 if above is None else of_leaf[above]
            weight[label] = (1 + gold.below[own]) ** 0.5
        scale = PAGE_WEIGHT / max(1, sum(weight.values()))
        self.right = numpy.array([right.get(label) == head for label, head in zip(self.label, self.head)], dtype=float)
        self.weight = numpy.array([weight.get(label, 0) * scale for label in self.label])

    def sifted(self, model: lightgbm.Booster, columns: list[int]) -> "Page":
        """The page with the best candidates of each label, and the top."""
        scores = numpy.where(self.head < 0, numpy.inf, model.predict(self.measures[:, columns], raw_score=True))
        order = numpy.lexsort((numpy.arange(len(scores)), -scores, self.label))
        begins = numpy.flatnonzero(numpy.diff(self.label[order], prepend=-1))
        rank = numpy.arange(len(order)) - numpy.repeat(begins, numpy.diff(begins, append=len(order)))
        left, kept = numpy.sort(order[rank <= LEFT]), object.__new__(Page)
        kept.site, kept.measures, kept.label, kept.head = self.site, self.measures[left], self.label[left], self.head[left]
        kept.right, kept.weight = self.right[left], self.weight[left]
        return kept


def site(name: str) -> str:
    """The site of an outline: its name up to the year, as in `newslode-lab eval hierarchy --head-folds`."""
    return re.sub(r"-[0-9]{4}.*", "", name)


def read(homes: pathlib.Path, outlines: pathlib.Path) -> tuple[list[list[str]], list[Page]]:
    """The names of the measures, and the pages."""
    files = sorted(outlines.glob("*.outline"), key=lambda file: file.name)
    command = [os.environ.get("CARGO", "cargo"), "run", "-q", "--release", "-p", "newslode-lab", "--", "evidence", "heads"]
    asked = "".join(f"{(homes / file.stem).resolve()}.html\n" for file in files)
    printed = subprocess.Popen(command, cwd=sets.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    printed.stdin.write(asked.encode())
    printed.stdin.close()
    names, pages = json.loads(printed.stdout.readline())["names"], []
    for file in files:
        record = json.loads(printed.stdout.readline())
        shape = (len(record["arcs"]), len(names[1]))
        measures = numpy.frombuffer(printed.stdout.read(4 * shape[0] * shape[1]), dtype="<f4").reshape(shape)
        pages.append(Page(site(file.stem), record, measures, Outline(file)))
    if printed.wait():
        raise SystemExit("newslode-lab evidence heads failed")
    return names, pages


def fitted(pages: list[Page], columns: list[int], params: dict, count: int, wrong: int = 1) -> lightgbm.Booster:
    """Trees from all right candidates of judged labels, and from one of so many wrong ones."""
    taken = [(page.weight > 0) & ((page.right > 0) | (numpy.arange(len(page.right)) % wrong == 0)) for page in pages]
    of = lambda values: numpy.concatenate([values(page)[rows] for page, rows in zip(pages, taken)])
    weight = of(lambda page: page.weight * numpy.where(page.right > 0, 1, wrong))
    data = lightgbm.Dataset(of(lambda page: page.measures)[:, columns], of(lambda page: page.right), weight=weight)
    return lightgbm.train({**PARAMS, **params}, data, count)


def trained(pages: list[Page], names: list[list[str]], head: str) -> str:
    """The file of the trees learnt from these pages."""
    glances, measures = names
    sifting = [measures.index(name) for name in glances]
    sift = fitted(pages, sifting, SIFT, SIFT_TREES, WRONG)
    left = [page.sifted(sift, sifting) for page in pages]
    text = trees.text(sift, glances, head) + "\nchoose\n"
    seeing = list(range(len(measures)))
    for share, columns in zip(SHARES, (seeing, [at for at in seeing if not FROM_RULES.search(measures[at])])):
        text += trees.body(fitted(left, columns, CHOOSE, CHOOSE_TREES), [measures[at] for at in columns], share)
    return text


def main() -> None:
    parser = sets.arguments(__doc__)
    parser.add_argument("--folds", type=pathlib.Path, metavar="DIR", help="write the trees of each split")
    args = parser.parse_args()
    with sets.opened(args.data, ["homes", "hierarchy"]) as (homes, outlines):
        names, pages = read(homes, outlines)
    of = f"{len(pages)} pages of {len({page.site for page in pages})} sites"
    print(f"{of}, {sum(len(page.label) for page in pages)} candidates, {int(sum(page.right.sum() for page in pages))} right")
    if args.check or args.write:
        sets.settle(args, COMMITTED, trained(pages, names, HEAD + of))
    if args.folds:
        def of_split(number: int) -> str:
            others = [page for page in pages if trees.split(page.site, SPLITS) != number]
            return trained(others, names, f"{HEAD}all but split {number} of {SPLITS}")
        trees.write_splits(args.folds, SPLITS, of_split)


if __name__ == "__main__":
    main()
