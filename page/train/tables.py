#!/usr/bin/env python3
"""Trains the weights of page/src/tables/weights.rs: two logistic regressions.

usage: tables.py DATA [--sites FILE] [--held-out FILE] [--write]

DATA holds pages/*.html and labels.jsonl: one table a line, {"page", "table", "genuine", "orientation",
"header_cells"}. --sites: lines of page, tab, site; tables of one site are left out together when the figures
are computed (default: each page is a site). --held-out: pages, one a line, that are not trained on; figures on
them are printed apart. --write: rewrites weights.rs; otherwise figures alone are printed. Needs cargo and
Python's own library, nothing else. The result does not depend on the order of the lines.
"""
import argparse
import collections
import json
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Strength of the pull towards zero. By leaving sites out: data is as good from 0.1 to 0.3 and worse at 1.
RIDGE = {"data": 0.3, "top": 1.0}
COLUMN_HEADED = {"column", "row-column", "multi-header column"}


def measured(folder: pathlib.Path) -> tuple[dict, dict]:
    """What the algorithms measure of each table: (page, number) to its evidence."""
    pages = sorted(str(page) for page in (folder / "pages").glob("*.html"))
    command = ["cargo", "run", "-q", "-p", "newslode-page", "--example", "table_evidence", "--", *pages]
    lines = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    records = map(json.loads, lines[1:])
    return json.loads(lines[0]), {(record["page"], record["table"]): record for record in records}


def is_headed(gold: dict, record: dict) -> bool:
    """Whether the first row is a header."""
    if gold["orientation"] == "multi-header row-column" and gold.get("header_cells") is not None:
        first = sum(row == record["first_row"] for row, _ in gold["header_cells"])
        return first >= 0.6 * record["columns"]
    return gold["orientation"] in COLUMN_HEADED | {"multi-header row-column"}


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss with pivots."""
    n = len(right)
    rows = [line[:] + [value] for line, value in zip(matrix, right)]
    for at in range(n):
        best = max(range(at, n), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        for row in range(at + 1, n):
            share = rows[row][at] / rows[at][at]
            if share:
                rows[row] = [a - share * b for a, b in zip(rows[row], rows[at])]
    result = [0.0] * n
    for at in reversed(range(n)):
        rest = sum(rows[at][other] * result[other] for other in range(at + 1, n))
        result[at] = (rows[at][n] - rest) / rows[at][at]
    return result


def fit(samples: list[tuple], ridge: float) -> list[float]:
    """Newton's method on the penalised likelihood; a site's tables count by the root of their number."""
    sizes = collections.Counter(site for _, _, site in samples)
    n = len(samples[0][0])
    weights = [0.0] * n
    for _ in range(30):
        gradient = [-ridge * weight for weight in weights]
        hessian = [[ridge if a == b else 0.0 for b in range(n)] for a in range(n)]
        for measures, truth, site in samples:
            odds = sum(weight * measure for weight, measure in zip(weights, measures))
            chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
            mass = sizes[site] ** -0.5
            for a in range(n):
                gradient[a] += mass * (truth - chance) * measures[a]
                slope = mass * chance * (1 - chance) * measures[a]
                if slope:
                    for b in range(n):
                        hessian[a][b] += slope * measures[b]
        step = solve(hessian, gradient)
        weights = [weight + change for weight, change in zip(weights, step)]
        if max(map(abs, step)) < 1e-8:
            break
    return weights


def odds(weights: list[float], sample: tuple) -> float:
    return sum(weight * measure for weight, measure in zip(weights, sample[0]))


def figures(name: str, said: list[bool], truth: list[bool]) -> None:
    hit, n_said, n_true = sum(s and t for s, t in zip(said, truth)), sum(said), sum(truth)
    right = sum(s == t for s, t in zip(said, truth))
    print(f"  {name:24} {len(said)} tables: right {right / max(1, len(said)):.3f}"
          f"  P {hit / max(1, n_said):.3f} R {hit / max(1, n_true):.3f}")


def train(what: str, samples: list[tuple], held_out: list[tuple]) -> list[float]:
    weights = fit(samples, RIDGE[what])
    print(what)
    figures("in sample", [odds(weights, one) > 0 for one in samples], [one[1] for one in samples])
    said, truth = [], []
    for site in sorted({one[2] for one in samples}):
        without = fit([one for one in samples if one[2] != site], RIDGE[what])
        for one in samples:
            if one[2] == site:
                said.append(odds(without, one) > 0)
                truth.append(one[1])
    figures("leaving sites out", said, truth)
    if held_out:
        figures("held out", [odds(weights, one) > 0 for one in held_out], [one[1] for one in held_out])
    return weights


def written(names: dict, weights: dict[str, list[float]]) -> str:
    text = ("//! The weights of the evidence, by the names of the measures. Written by `train/tables.py`; not by "
            "hand.\n")
    for what, constant, doc in [("top", "TOP", "For the first row as header."), ("data", "DATA", "For a table as data.")]:
        text += f"\n/// {doc}\n#[rustfmt::skip]\npub(crate) const {constant}: &[(&str, f32)] = &[\n"
        for name, weight in zip(names[what], weights[what]):
            text += f'    ("{name}", {weight:.2f}),\n'
        text += "];\n"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--sites", type=pathlib.Path)
    parser.add_argument("--held-out", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    sites = {}
    if args.sites:
        sites = dict(line.split("\t")[:2] for line in args.sites.read_text().splitlines() if line)
    held = set(args.held_out.read_text().split()) if args.held_out else set()
    names, records = measured(args.data)
    samples = {"data": ([], []), "top": ([], [])}
    for line in sorted((args.data / "labels.jsonl").read_text().splitlines()):
        gold = json.loads(line)
        record = records.get((gold["page"], gold["table"]))
        if record is None or gold["genuine"] is None or gold.get("unsure"):
            continue
        part, site = int(gold["page"] in held), sites.get(gold["page"], gold["page"])
        samples["data"][part].append((record["data"], gold["genuine"], site))
        if gold["genuine"] and record["rows"] > 1:
            samples["top"][part].append((record["top"], is_headed(gold, record), site))
    weights = {what: train(what, *samples[what]) for what in samples}
    if args.write:
        (ROOT / "src/tables/weights.rs").write_text(written(names, weights))


if __name__ == "__main__":
    main()
