#!/usr/bin/env python3
"""Trains the weights of page/src/tables/weights.rs: two logistic regressions.

usage: tables.py DATA [--check] [--write] [--figures]

--figures prints how many tables are classified correctly, in sample and on pages left out of the training.
"""
import json
import pathlib

import numpy

import sets

COMMITTED = sets.ROOT / "src/tables/weights.rs"
# Strength of the ridge penalty. With pages left out, "data" does equally well from 0.1 to 0.3 and worse at 1.
RIDGE = {"data": 0.3, "top": 1.0}
COLUMN_HEADED = {"column", "row-column", "multi-header column"}


class Samples:
    """Tables: the measures, the true class and the page of each."""

    def __init__(self, samples: list[tuple[list[float], bool, str]]):
        measures, truth, pages = zip(*samples)
        self.measures, self.truth, self.pages = numpy.array(measures), numpy.array(truth), numpy.array(pages)

    def of(self, chosen: numpy.ndarray) -> "Samples":
        return Samples(list(zip(self.measures[chosen], self.truth[chosen], self.pages[chosen])))


def is_headed(gold: dict, record: dict) -> bool:
    """Whether the first row is a header."""
    if gold["orientation"] == "multi-header row-column" and gold.get("header_cells") is not None:
        first = sum(row == record["first_row"] for row, _ in gold["header_cells"])
        return first >= 0.6 * record["columns"]
    return gold["orientation"] in COLUMN_HEADED | {"multi-header row-column"}


def fit(samples: Samples, ridge: float) -> numpy.ndarray:
    """Newton's method on the penalised likelihood; a page's tables together weigh the root of their number."""
    _, page, sizes = numpy.unique(samples.pages, return_inverse=True, return_counts=True)
    mass, measures = sizes[page] ** -0.5, samples.measures
    weights = numpy.zeros(measures.shape[1])
    for _ in range(30):
        chance = 1 / (1 + numpy.exp(-numpy.clip(measures @ weights, -30, 30)))
        gradient = measures.T @ (mass * (samples.truth - chance)) - ridge * weights
        hessian = (measures.T * (mass * chance * (1 - chance))) @ measures + ridge * numpy.eye(len(weights))
        step = numpy.linalg.solve(hessian, gradient)
        weights += step
        if abs(step).max() < 1e-8:
            break
    return weights


def print_figures(what: str, samples: Samples, weights: numpy.ndarray) -> None:
    """Prints figures in sample, and with the page of each table left out."""
    left_out = numpy.zeros(len(samples.truth), dtype=bool)
    for page in numpy.unique(samples.pages):
        mine = samples.pages == page
        left_out[mine] = samples.measures[mine] @ fit(samples.of(~mine), RIDGE[what]) > 0
    for name, said in [("in sample", samples.measures @ weights > 0), ("pages left out", left_out)]:
        hit = (said & samples.truth).sum()
        print(f"{what:4} {name:14} {len(said)} tables: right {(said == samples.truth).mean():.3f}"
              f"  P {hit / said.sum():.3f} R {hit / samples.truth.sum():.3f}")


def read(folder: pathlib.Path) -> tuple[dict, dict[str, Samples]]:
    """The names of the measures, and the samples: whether a table holds data, and whether its first row is a header."""
    pages = sorted((folder / "pages").glob("*.html"))
    names, records = sets.evidence("tables", [str(page.resolve()) for page in pages])
    by_table = {(record["page"], record["table"]): record for record in records}
    samples = {"data": [], "top": []}
    for line in sorted(line for line in (folder / "labels.jsonl").read_text("utf-8").split("\n") if line):
        gold = json.loads(line)
        record = by_table.get((gold["page"], gold["table"]))
        if record is None or gold["genuine"] is None or gold.get("unsure"):
            continue
        samples["data"].append((record["data"], gold["genuine"], gold["page"]))
        if gold["genuine"] and record["rows"] > 1:
            samples["top"].append((record["top"], is_headed(gold, record), gold["page"]))
    return names, {what: Samples(tables) for what, tables in samples.items()}


def text(names: dict, weights: dict[str, numpy.ndarray]) -> str:
    made = ("//! The weights of the evidence, by the names of the measures. Written by `train/tables.py`; not by "
            "hand.\n")
    for what, constant, doc in [("top", "TOP", "For the first row as header."), ("data", "DATA", "For a table as data.")]:
        made += f"\n/// {doc}\n#[rustfmt::skip]\npub(crate) const {constant}: &[(&str, f32)] = &[\n"
        for name, weight in zip(names[what], weights[what]):
            made += f'    ("{name}", {weight:.2f}),\n'
        made += "];\n"
    return made


def main() -> None:
    parser = sets.arguments(__doc__)
    parser.add_argument("--figures", action="store_true", help="print figures, also with pages left out")
    args = parser.parse_args()
    with sets.opened(args.data, ["tables"]) as (folder,):
        names, samples = read(folder)
    weights = {what: fit(tables, RIDGE[what]) for what, tables in samples.items()}
    sets.settle(args, COMMITTED, text(names, weights))
    if args.figures:
        for what, tables in samples.items():
            print_figures(what, tables, weights[what])


if __name__ == "__main__":
    main()
