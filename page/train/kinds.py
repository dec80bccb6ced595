#!/usr/bin/env python3
"""Trains what tells articles from other pages: page/src/extract/kind/kinds.txt, trees that look at one page, and
page/src/extract/kind/weights.rs, the weights by which the other pages of the site change that. page/src/extract/kind/usual.rs has
the usual values of the measures, for explanations.

usage: kinds.py DATA [--check] [--write] [--unseen]

--unseen prints what pages are taken for articles, with each site judged by trees and weights of the other sites: single pages,
whole sites, parts of them, sites without their articles.
"""
import collections
import json
import pathlib
import re

import lightgbm
import numpy

import sets
import trees

FOLDER = sets.ROOT / "src/extract/kind"
# The order matters: another one gives other trees.
ARTICLES = ["aeb", "big9", "ceb", "cleanportal", "dates", "fundus", "fundus-eval", "n4kset", "tfl", "wcxb"]
SETS = ["realsites", "kinds", "sites", "homes", "cases", *(f"articles/{name}" for name in ARTICLES)]
TREES = 300
PARAMS = {
    "objective": "binary", "num_leaves": 16, "learning_rate": 0.05, "lambda_l2": 30, "min_data_in_leaf": 40, "feature_fraction": 0.4,
    "max_bin": 63, **trees.REPEATABLE,
}
SPLITS = 5
# Weights of pages: those of whole sites, their sections, pages that are no news, documentation, front pages, pages made for
# tests.
WHOLE, SECTION, OTHER, DOCUMENTATION, FRONT, MADE = 4, 2, 0.8, 0.5, 2, 0.3
# Share of pages that are learnt from a second time without their address, so that its absence is no sign.
UNNAMED = 0.1
# As in kind/site.rs.
MOST, PRIOR = 4.0, 2
LEAST_CUT, MOST_CUT, CUT_PRIOR, LEAST_PAGES = -3.5, 0.5, 10, 4
LEAST_ABOVE, MOST_ABOVE = 2.0, 4.0
INPUTS = ["the page alone", "folders", "shape of the address", "place of the text", "place of the headline", "the whole site"]
# Parts of sites, in pages, and how often each site is drawn from.
PARTS, DRAWS = [3, 10, 30, 100], 6


def lines(file: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line.strip()]


def listed(folders: dict[str, pathlib.Path]) -> list[dict]:
    """All pages: `set`, `site`, `kind`, `url`, `file`. The kind is article, section, home, or another word."""
    pages = []
    for folder in sorted(folder for folder in folders["realsites"].iterdir() if (folder / "kinds.jsonl").exists()):
        kinds = {row["url"]: row["kind"] for row in lines(folder / "kinds.jsonl")}
        for row in lines(folder / "manifest.jsonl"):
            if row["file"].startswith("pages/"):
                pages.append({"set": "whole", "site": folder.name, "kind": kinds.get(row["url"], "other"), "url": row["url"], "file": folder / row["file"]})
    for row in lines(folders["kinds"] / "gold.jsonl"):
        pages.append({"set": "kinds", "site": row["site"], "kind": row["type"], "url": row["url"], "file": folders["kinds"] / "pages" / f"{row['id']}.html"})
    for name in ARTICLES:
        folder = folders[f"articles/{name}"]
        for row in lines(folder / "gold.jsonl"):
            pages.append({"set": name, "site": row.get("site") or row["id"], "kind": "article", "url": row.get("url") or "", "file": folder / "pages" / f"{row['id']}.html"})
    for folder in sorted(folder for folder in folders["sites"].iterdir() if (folder / "manifest.jsonl").exists()):
        for row in lines(folder / "manifest.jsonl"):
            pages.append({"set": "crawls", "site": folder.name, "kind": row["kind"], "url": row["url"], "file": folder / row["file"]})
    for file in sorted(folders["homes"].glob("*.html")):
        site = re.split(r"-20\d\d", file.stem)[0]
        pages.append({"set": "homes", "site": site, "kind": "home", "url": f"http://{site}/", "file": file})
    for row in lines(folders["cases"] / "cases.jsonl"):
        if (said := row["expect"].get("article")) is not None:
            pages.append({"set": "cases", "site": row["id"], "kind": "article" if said else "no article", "url": row["url"], "file": folders["cases"] / row["file"]})
    return [page for page in pages if page["file"].exists()]


class Pages:
    """Labelled pages with their measures."""

    def __init__(self, pages: list[dict]) -> None:
        head, records = sets.evidence("kinds", [f"{page['url']}\t{page['file'].resolve()}" for page in pages])
        self.pages, self.names = pages, head["names"]
        self.measures = numpy.array([record["measures"] for record in records], dtype=numpy.float32)
        self.groups = [record["groups"] for record in records]
        self.right = numpy.array([page["kind"] == "article" for page in pages], dtype=float)
        self.of_site = collections.defaultdict(list)
        for number, page in enumerate(pages):
            # The front page is known by its address, and no other page is like it.
            if page["set"] in ("whole", "crawls") and page["kind"] != "home":
                self.of_site[page["set"], page["site"]].append(number)

    def weight(self, page: dict) -> float:
        if page["set"] in ("whole", "crawls"):
            return WHOLE * (SECTION if page["kind"] == "section" else 1)
        if page["set"] == "kinds":
            return DOCUMENTATION if page["kind"] == "documentation" else OTHER
        return {"homes": FRONT, "cases": MADE}.get(page["set"], 1)

    def trained(self, numbers: list[int]) -> lightgbm.Booster:
        weights = numpy.array([self.weight(self.pages[number]) for number in numbers])
        again = numpy.random.default_rng(1).random(len(numbers)) < UNNAMED
        measures, right = self.measures[numbers], self.right[numbers]
        unnamed = measures[again].copy()
        unnamed[:, [self.names.index(name) for name in ADDRESS]] = -1
        unnamed[:, self.names.index("address's words in the headline")] = 0
        data = lightgbm.Dataset(numpy.vstack([measures, unnamed]), numpy.concatenate([right, right[again]]), weight=numpy.concatenate([weights, weights[again]]))
        return lightgbm.train(PARAMS, data, TREES)

    def unseen(self) -> numpy.ndarray:
        """The log odds of every page by trees of other sites."""
        odds = numpy.zeros(len(self.pages))
        part = lambda page: page["site"] if page["set"] == "whole" else trees.split(page["site"], SPLITS)
        for one in sorted({part(page) for page in self.pages}, key=str):
            inside = [number for number, page in enumerate(self.pages) if part(page) == one]
            name = one if isinstance(one, str) else None
            outside = [number for number, page in enumerate(self.pages) if part(page) != one and page["site"] != name]
            odds[inside] = self.trained(outside).predict(self.measures[inside], raw_score=True)
        return odds

    def usual(self) -> numpy.ndarray:
        """The median of each measure over as many articles as other pages."""
        others, articles = numpy.flatnonzero(self.right == 0), numpy.flatnonzero(self.right)
        articles = articles[numpy.linspace(0, len(articles) - 1, len(others)).astype(int)]
        return numpy.median(self.measures[numpy.concatenate([others, articles])], axis=0)

    def inputs(self, numbers: list[int], odds: numpy.ndarray) -> numpy.ndarray:
        """What the weights weigh, of each page of a site of which these pages are known."""
        own = numpy.clip(odds[numbers], -MOST, MOST)
        columns = [own]
        for group in range(len(self.groups[0])):
            sums = collections.defaultdict(lambda: [0.0, 0])
            for number, value in zip(numbers, own):
                held = sums[self.groups[number][group]]
                held[0], held[1] = held[0] + value, held[1] + 1
            others = [sums[self.groups[number][group]] for number in numbers]
            columns.append(numpy.array([(held[0] - value) / (held[1] - 1 + PRIOR) for held, value in zip(others, own)]))
        columns.append(numpy.full(len(own), own.sum() / (len(own) + PRIOR)))
        return numpy.stack(columns, axis=1)

    def weights(self, sites: list[tuple], odds: numpy.ndarray) -> numpy.ndarray:
        """Logistic regression on whole sites and parts of them; the last weight is the constant. Sites weigh alike."""
        draw = numpy.random.default_rng(2)
        inputs, right, weights = [], [], []
        for site in sites:
            numbers = self.of_site[site]
            drawn = [(numbers, 1.0)]
            for size in PARTS:
                drawn += [(list(draw.choice(numbers, size, replace=False)), 0.5) for _ in range(DRAWS) if len(numbers) > size]
            for part, weight in drawn:
                inputs.append(self.inputs(part, odds))
                right.append(self.right[part])
                of = [{"section": 2, "article": 1}.get(self.pages[number]["kind"], 0.5) for number in part]
                weights.append(numpy.array(of) * weight / len(part))
        inputs, right, weights = numpy.vstack(inputs), numpy.concatenate(right), numpy.concatenate(weights)
        inputs = numpy.hstack([inputs, numpy.ones((len(inputs), 1))])
        weights *= len(weights) / weights.sum()
        found, penalty = numpy.zeros(inputs.shape[1]), numpy.diag([1.0] * (inputs.shape[1] - 1) + [0.0])
        for _ in range(30):
            likely = 1 / (1 + numpy.exp(-inputs @ found))
            slope = inputs.T @ (weights * (likely - right)) + penalty @ found
            curve = (inputs * (weights * likely * (1 - likely))[:, None]).T @ inputs + penalty
            found = found - numpy.linalg.solve(curve, slope)
        return found


# The measures of the address.
ADDRESS = [
    "length of the path", "depth of the address", "length of the last part", "words of the last part", "digits of the last part",
    "most words of a part", "numbers among the parts", "date in the address", "address ends in a number", "address has an extension",
    "length of the query", "digits of the query",
]


def threshold(values: numpy.ndarray) -> float:
    """The site's own threshold, as in kind/site.rs: where its pages fall into two, near the middle, less the fewer they are."""
    count = len(values)
    if count < LEAST_PAGES:
        return 0.0
    ordered = numpy.sort(numpy.clip(values, -6, 6))
    sums, best = numpy.cumsum(ordered), (0.0, 0.0, 0.0)
    for at in range(1, count):
        cut = (ordered[at - 1] + ordered[at]) / 2
        if LEAST_CUT <= cut <= MOST_CUT:
            below, above = sums[at - 1] / at, (sums[-1] - sums[at - 1]) / (count - at)
            between = at * (count - at) * (above - below) ** 2
            best = max(best, (between, cut, above))
    _, cut, above = best
    # A site without articles falls into two, too; there the upper part is low.
    return cut * (sure(above) if cut < 0 else 1) * count / (count + CUT_PRIOR)


def sure(above: float) -> float:
    return float(numpy.clip((above - LEAST_ABOVE) / (MOST_ABOVE - LEAST_ABOVE), 0, 1))


def sites_of(known: Pages) -> list[tuple]:
    return [site for site, numbers in known.of_site.items() if len(numbers) >= 20]


def print_unseen(known: Pages) -> None:
    odds = known.unseen()
    share = lambda taken, wanted: numpy.mean([taken[number] for number, page in enumerate(known.pages) if wanted(page)])
    alone = odds > 0
    for name in ARTICLES:
        print(f"alone {name:12} {share(alone, lambda page: page['set'] == name):.3f} of {sum(page['set'] == name for page in known.pages)} articles")
    for kind in ["documentation", "service", "forum", "collection", "listing", "product"]:
        print(f"alone {kind:14} {share(alone, lambda page: page['set'] == 'kinds' and page['kind'] == kind):.3f} taken")
    for kind in ["article", "no article"]:
        print(f"alone cases, {kind:10} {share(alone, lambda page: page['set'] == 'cases' and page['kind'] == kind):.3f} taken")
    print(f"alone other kinds    {share(alone, lambda page: page['set'] == 'kinds'):.3f} taken")
    whole = [site for site in known.of_site if site[0] == "whole"]
    rows = {"alone": {}, **{str(size): {} for size in PARTS}, "all": {}, "stripped": {}}
    for site in whole:
        weights = known.weights([other for other in sites_of(known) if other != site], odds)
        numbers = known.of_site[site]
        def judged(part: list[int]) -> numpy.ndarray:
            values = known.inputs(part, odds) @ weights[:-1] + weights[-1]
            return values > threshold(values)
        rows["alone"][site] = [(numbers, alone[numbers])]
        rows["all"][site] = [(numbers, judged(numbers))]
        draw = numpy.random.default_rng(5)
        for size in PARTS:
            order = draw.permutation(numbers)
            rows[str(size)][site] = [(list(part), judged(list(part))) for part in numpy.array_split(order, max(1, len(order) // size))]
        stripped = [number for number in numbers if not known.right[number]]
        rows["stripped"][site] = [(stripped, judged(stripped))]
    print("pages known   articles: mean over sites, least; taken: sections, others; articles by site")
    for name, of_site in rows.items():
        taken = collections.defaultdict(list)
        for site, parts in of_site.items():
            for part, found in parts:
                for number, is_taken in zip(part, found):
                    kind = known.pages[number]["kind"]
                    taken[site if kind == "article" else kind].append(is_taken)
        recall = [numpy.mean(taken[site]) for site in whole if taken[site]]
        articles = f"{numpy.mean(recall):.3f}, {min(recall):.3f}" if recall else "–"
        print(f"{name:10} {articles}; {numpy.mean(taken['section']):.3f}, {numpy.mean(taken['other']):.3f}; {' '.join(f'{value:.2f}' for value in recall)}")


def main() -> None:
    parser = sets.arguments(__doc__)
    parser.add_argument("--unseen", action="store_true", help="judge each site by trees and weights of the others")
    args = parser.parse_args()
    with sets.opened(args.data, SETS) as folders:
        known = Pages(listed(dict(zip(SETS, folders))))
    print(f"{len(known.pages)} pages, {int(known.right.sum())} of them articles")
    if args.unseen:
        print_unseen(known)
    if args.check or args.write:
        of = f"{len(known.pages)} pages of {len({page['site'] for page in known.pages})} sites"
        model = known.trained(list(range(len(known.pages))))
        sets.settle(args, FOLDER / "kinds.txt", trees.text(model, known.names, f"Trees that tell articles from other pages. Written by train/kinds.py from {of}"))
        found = known.weights(sites_of(known), known.unseen())
        rows = "".join(f'    ("{name}", {value:.3f}),\n' for name, value in zip([*INPUTS, "constant"], found))
        count = len(found)
        text = f"""//! What the pages of a site say of one of them, as weights. Written by `train/kinds.py` from {len(sites_of(known))} sites; not by hand.

/// The weight of each input, and the constant.
pub(super) const WEIGHTS: [(&str, f64); {count}] = [
{rows}];
"""
        sets.settle(args, FOLDER / "weights.rs", text)
        rows = "".join(f'    ("{name}", {value:.2f}),\n' for name, value in zip(known.names, known.usual()))
        text = f"""//! The values of measures on pages of all kinds. Written by `train/kinds.py`; not by hand.

/// For each measure its median over as many articles as other pages, in the order of the measures.
pub(super) const USUAL: [(&str, f32); {len(known.names)}] = [
{rows}];
"""
        sets.settle(args, FOLDER / "usual.rs", text)


if __name__ == "__main__":
    main()
