"""Boosted trees: the parameters that make them repeatable, their text form, and splits of pages by site."""
import pathlib
from collections.abc import Callable

import lightgbm

# One thread and fixed seeds: the same pages give the same trees.
REPEATABLE = {"seed": 1, "num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1}


def split(site: str, splits: int) -> int:
    """The split of a site's pages (FNV-1a); `newslode-lab eval … --folds` computes the same."""
    number = 0x811C9DC5
    for byte in site.encode():
        number = (number ^ byte) * 0x01000193 % 2**32
    return number % splits


def text(model: lightgbm.Booster, names: list[str], head: str) -> str:
    """The trees in the text form that `page/src/trees.rs` reads."""
    return f"# {head}; not by hand.\n# measure, threshold, then, else: a later line of the tree (from 0) or =value\n" + body(model, names)


def body(model: lightgbm.Booster, names: list[str], share: float = 1) -> str:
    """The same without a head; `share` is what these trees add to a sum with others."""
    lines = []
    for tree in model.dump_model()["tree_info"]:
        lines.append("tree")
        nodes, todo = [], [tree["tree_structure"]]
        while todo:
            node = todo.pop(0)
            nodes.append(node)
            todo += [child for child in (node["left_child"], node["right_child"]) if "split_feature" in child]
        number = {node["split_index"]: at for at, node in enumerate(nodes)}
        target = lambda node: str(number[node["split_index"]]) if "split_index" in node else f"={share * node['leaf_value']:.4f}"
        for node in nodes:
            name = names[node["split_feature"]]
            lines.append(f"{name}\t{node['threshold']:.6g}\t{target(node['left_child'])}\t{target(node['right_child'])}")
    return "\n".join(lines) + "\n"


def write_splits(folder: pathlib.Path, splits: int, trained: Callable[[int], str]) -> None:
    """Writes the trees of each split, trained on all other splits, to FOLDER/0.txt and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(splits):
        (folder / f"{number}.txt").write_text(trained(number), "utf-8", newline="\n")
