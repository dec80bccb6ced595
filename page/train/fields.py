"""What the trees of titles, authors and days share: a page has candidates, of which trees say how likely each is right."""
import pathlib
from collections.abc import Callable

import lightgbm
import numpy

import sets
import trees

SPLITS = 5
# Pages of one site weigh together as much as this many.
MOST_OF_SITE = 4


def site(gold: dict) -> str:
    return gold.get("site") or gold["id"]


def boosted(pages: list[dict], params: dict, count: int, weight_of: Callable[[dict], float] = lambda page: 1) -> lightgbm.Booster:
    """Trees from the candidates of pages: pages of a site weigh together as MOST_OF_SITE, a page's candidates less the more they are."""
    of_site: dict[str, int] = {}
    for page in pages:
        of_site[site(page)] = of_site.get(site(page), 0) + 1
    of_page = lambda page: min(1, MOST_OF_SITE / of_site[site(page)]) * weight_of(page)
    candidates = lambda page: len(page["measures"])
    weight = numpy.concatenate([numpy.full(candidates(page), of_page(page) / candidates(page) ** 0.5) for page in pages])
    data = lightgbm.Dataset(numpy.concatenate([page["measures"] for page in pages]),
                            numpy.concatenate([page["right"] for page in pages]), weight=weight * len(weight) / weight.sum())
    return lightgbm.train(params, data, count)


def without_site(pages: list[dict], train: Callable[[list[dict]], lightgbm.Booster]) -> Callable[[dict], lightgbm.Booster]:
    """For a page the trees of pages of other sites."""
    of = lambda page: trees.split(site(page), SPLITS)
    models = [train([page for page in pages if of(page) != number]) for number in range(SPLITS)]
    return lambda page: models[of(page)]


def run(doc: str, names: list[str], read: Callable[[str, pathlib.Path], list[dict]], unseen: Callable[[list[dict]], None],
        train: Callable[[list[dict]], lightgbm.Booster], committed: pathlib.Path, head: str) -> None:
    """The script of a field, whose pages `read` gives by set. Pages that were made of others (`has_masthead`) are no pages of their own."""
    parser = sets.arguments(doc)
    parser.add_argument("--unseen", action="store_true", help="score each site by trees trained on the others")
    args = parser.parse_args()
    with sets.opened(args.data, names) as folders:
        pages = [page for name, folder in zip(names, folders) for page in read(name, folder)]
    of = f"{sum(not page.get('has_masthead') for page in pages)} pages of {len(set(map(site, pages)))} sites"
    print(f"{of}, {sum(len(page['measures']) for page in pages)} candidates")
    if args.unseen:
        unseen(pages)
    if args.check or args.write:
        sets.settle(args, committed, trees.text(train(pages), pages[0]["names"], head + of))
