#!/usr/bin/env python3
"""Trains miner/src/mining/concepts/likeness.txt: trees that tell concepts from other labels that recur over sites.

usage: concepts.py DATA [--check] [--write] [--unseen]

The examples are labels as many small draws of the sites show them, since what trees know of forty sites must hold on ten.

--unseen prints precision and recall on draws from one half of the sites, if the labels of a draw are judged by trees that saw
neither its sites nor, on others, the same labels; with least values over the draws. A concept is found if any of its labels is.
"""
import collections
import json
import pathlib
import random
import re
import tempfile
import unicodedata
import zlib

import lightgbm
import numpy

import sets
import trees

COMMITTED = sets.ROOT.parent / "miner/src/mining/concepts/likeness.txt"
HEAD = "Trees that tell concepts from other labels. Written by page/train/concepts.py from "
SETS = ["homes", "taxonomy"]
DRAWS, SIZES = 240, [6, 8, 10, 12, 14, 17, 21, 28, 42]
TREES, LEAST = 80, 0.405
# More of these never makes a label less, or more, of a concept.
RISING = {"spelled", "inside", "leads somewhere", "followed", "before the end", "directory", "labels below", "score", "rank"}
FALLING = {"second name", "leads anywhere"}
PARAMS = {
    "objective": "binary", "num_leaves": 6, "learning_rate": 0.08, "lambda_l2": 5.0, "min_data_in_leaf": 60,
    "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1, **trees.REPEATABLE,
}
# --unseen: halvings of the sites, parts of the labels, draws of each size.
HALVINGS, PARTS, TESTS = 6, 5, {8: 4, 10: 4, 12: 4, 14: 4, 17: 4, 21: 1}
# Draws from which the trees of one half learn.
TAUGHT = 100


def norm(text: str) -> str:
    """As the gold writes names."""
    text = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'").replace("&amp;", "&")
    return re.sub(r"^\W+|\W+$", "", " ".join(re.sub(r"\band\b", "&", text).split()).replace("_", " "))


def written(name: str) -> set[str]:
    name = norm(name)
    return {name, name + "s"} | ({name[:-1]} if name.endswith("s") and len(name) > 3 else set())


class Gold:
    def __init__(self, file: pathlib.Path) -> None:
        gold = json.loads(file.read_text("utf-8"))
        self.concepts = {form: concept["label"] for concept in gold["concepts"] for syn in concept["syn"] for form in written(syn)}
        self.expected = {concept["label"] for concept in gold["concepts"] if concept.get("expected")}
        self.neutral, self.junk = ({form for name in gold[of] for form in written(name)} for of in ("neutral", "junk"))

    def judge(self, forms: list[str]) -> tuple[float, str | None]:
        """1 for a concept, 0 for junk, nan for what counts as neither; and the concept."""
        names = [norm(form) for form in forms]
        concept = next((self.concepts[name] for name in names if name in self.concepts), None)
        if concept:
            return 1.0, concept
        if any(name in self.neutral for name in names):
            return numpy.nan, None
        return (0.0 if any(name in self.junk for name in names) else numpy.nan), None


def pages(homes: pathlib.Path, made: pathlib.Path) -> list[tuple[str, str, str]]:
    """Site, URL and file of each English page; disabled links are restored."""
    rows = [json.loads(line) for line in (homes / "manifest.jsonl").read_text("utf-8").splitlines()]
    found = []
    for number, row in enumerate(row for row in rows if row["lang"] == "en"):
        file = homes.resolve() / row["file"]
        scheme = re.search(r"schemes changed to (\w+):", row.get("rewritten") or "")
        if scheme:
            html = file.read_bytes().replace(scheme.group(1).encode() + b"://", b"http://")
            file = made / f"{number}.html"
            file.write_bytes(html)
        found.append((row["site"], row["url"], str(file)))
    return found


def evidence(asked: list[tuple[str, str, str]], draws: list[list[str]], gold: Gold) -> tuple[list[str], list[dict]]:
    """The names of the measures, and the judged labels of each draw."""
    lines = [json.dumps(asked), *map(json.dumps, draws)]
    names, records = sets.evidence("concepts", lines)
    for record in records:
        judged = [gold.judge(forms) for forms in record["forms"]]
        record["right"] = numpy.array([right for right, _ in judged])
        record["concepts"] = [concept for _, concept in judged]
        record["measures"] = numpy.array(record["measures"], dtype=numpy.float32).reshape(len(judged), len(names["names"]))
        record["part"] = numpy.array([zlib.crc32((concept or key).encode()) % PARTS
                                      for key, concept in zip(record["keys"], record["concepts"], strict=True)])
    return names["names"], records


def train(names: list[str], records: list[dict], without: int | None = None) -> lightgbm.Booster:
    """Trees from the judged labels of these draws, but for those of one part."""
    right, part, measures = (numpy.concatenate([record[of] for record in records]) for of in ("right", "part", "measures"))
    keys = numpy.array([key for record in records for key in record["keys"]])
    known = ~numpy.isnan(right) & (part != (-1 if without is None else without))
    often = collections.Counter(keys[known].tolist())
    # Small draws are harder, and have fewer labels.
    size = numpy.concatenate([numpy.full(len(record["keys"]), len(record["keys"])) for record in records])
    weight = numpy.array([often[key] ** -0.5 for key in keys[known].tolist()]) * size[known] ** -0.5
    sign = lambda name: (name in RISING) - (name in FALLING)
    params = {**PARAMS, "monotone_constraints": [sign(name.removeprefix("own ").removeprefix("beside ")) for name in names]}
    data = lightgbm.Dataset(measures[known], right[known], weight=weight * len(weight) / weight.sum())
    return lightgbm.train(params, data, TREES)


def unseen(asked: list[tuple[str, str, str]], gold: Gold) -> None:
    sites = sorted({site for site, _, _ in asked})
    chance, taught = random.Random(1), random.Random(7)
    draws, of, lessons = [], [], []
    for halving in range(HALVINGS):
        half = set(chance.sample(sites, len(sites) // 2))
        for side in (0, 1):
            own = [site for site in sites if (site in half) == bool(side)]
            for size, count in TESTS.items():
                for _ in range(count):
                    draws.append(chance.sample(own, size))
                    of.append((halving, side, size))
            lessons += [taught.sample(own, min(len(own), SIZES[number % len(SIZES)])) for number in range(TAUGHT)]
    names, records = evidence(asked, draws + lessons, gold)
    records, lessons = records[:len(draws)], records[len(draws):]
    figures: dict[int, list[tuple[float, float]]] = {size: [] for size in TESTS}
    of_half = lambda halving, side: lessons[(2 * halving + side) * TAUGHT:][:TAUGHT]
    for halving in range(HALVINGS):
        for side in (0, 1):
            models = [train(names, of_half(halving, side), part) for part in range(PARTS)]
            for record, (at, on, size) in zip(records, of):
                if (at, on) != (halving, 1 - side):
                    continue
                sums = numpy.array([model.predict(record["measures"], raw_score=True) for model in models])
                kept = sums[record["part"], numpy.arange(len(record["right"]))] >= LEAST
                good, bad = (kept & (record["right"] == 1)).sum(), (kept & (record["right"] == 0)).sum()
                wanted = gold.expected.intersection(record["concepts"])
                found = {concept for concept, is_kept in zip(record["concepts"], kept) if is_kept} & wanted
                figures[size].append((good / max(1, good + bad), len(found) / len(wanted)))
    for size, found in figures.items():
        precision, recall = numpy.array(found).T
        print(f"{size:2} sites, {len(found)} draws: P {precision.mean():.3f} (least {precision.min():.3f}) "
              f"R {recall.mean():.3f} (least {recall.min():.3f})")


def main() -> None:
    parser = sets.arguments(__doc__)
    parser.add_argument("--unseen", action="store_true", help="measure on left-out sites and labels")
    args = parser.parse_args()
    with sets.opened(args.data, SETS) as (homes, taxonomy), tempfile.TemporaryDirectory() as made:
        gold, asked = Gold(taxonomy / "gold.json"), pages(homes, pathlib.Path(made))
        sites = sorted({site for site, _, _ in asked})
        if args.unseen:
            unseen(asked, gold)
        if args.check or args.write:
            chance = random.Random(1)
            draws = [chance.sample(sites, min(len(sites), SIZES[number % len(SIZES)])) for number in range(DRAWS)]
            names, records = evidence(asked, draws, gold)
            head = f"{HEAD}{len(asked)} pages of {len(sites)} sites"
            sets.settle(args, COMMITTED, trees.text(train(names, records), names, head))


if __name__ == "__main__":
    main()
