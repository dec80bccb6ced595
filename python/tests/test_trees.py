"""Hierarchies and tables."""

import json
import pickle
import xml.etree.ElementTree as ElementTree

import newslode
import pytest

PAGE = """<title>The Herald</title><h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>
<h2>Culture</h2><ul><li><a href=/book>Books</a><li><a href=/film>Films</a></ul>"""


def test_a_tree_is_walked_from_head_to_texts() -> None:
    found = newslode.partition(PAGE, "https://news.example.org/")
    assert (found.url, found.title, found.coarse, found.leaves) == ("https://news.example.org/", "The Herald", [], 6)
    nodes = found.nodes
    assert [node.index for node in nodes] == list(range(len(found)))
    assert nodes[0] == found.root and found.root.kind == "page" and found.root.parent is None
    for node in nodes:
        assert all(child.parent == node for child in node.children)
        assert node.walk()[0] == node
        assert [below.index for below in node.walk()] == list(range(node.index, node.index + len(node.walk())))
    culture = next(node for node in nodes if node.text == "Culture")
    assert [(below.text, below.href, below.heads) for below in culture.walk() if not below.children] == [
        ("Books", "https://news.example.org/book", ["Culture"]),
        ("Films", "https://news.example.org/film", ["Culture"]),
    ]
    assert found.tree() == "Sport\n  Cup\n  Tour\nCulture\n  Books\n  Films\n"


def test_a_tree_is_written_as_xml_json_and_svg() -> None:
    found = newslode.partition(PAGE, "https://news.example.org/")
    assert [part.get("text") for part in ElementTree.fromstring(found.xml()).iter() if part.get("href")] == [
        "Cup", "Tour", "Books", "Films",
    ]  # fmt: skip
    assert json.loads(found.json()) == found.to_dict()
    assert ElementTree.fromstring(found.svg()).tag.endswith("svg")
    assert newslode.Hierarchy.from_xml(found.xml()) == found == pickle.loads(pickle.dumps(found))


@pytest.mark.parametrize("method", ["default", "outline", "dp", "regex", "entropy", "flat", "paper"])
def test_each_method_keeps_all_texts(method: str) -> None:
    found = newslode.partition(PAGE, method=method)  # type: ignore[arg-type]
    leaves = sorted(leaf for node in found.nodes for leaf in node.leaves)
    assert leaves == list(range(6))


def records(html: str) -> list[dict[str, str]]:
    (table,) = newslode.tables(html)
    assert list(dict.fromkeys(name for record in table.records for name in record)) == table.header
    return table.records


def test_records_of_a_table_with_headers_at_the_top() -> None:
    html = "<table><caption>Prices</caption><tr><th>Fruit<th>Price<tr><td>Apple<td>1.20<tr><td>Pear<td>2.10</table>"
    assert records(html) == [{"Fruit": "Apple", "Price": "1.20"}, {"Fruit": "Pear", "Price": "2.10"}]
    (table,) = newslode.tables(html)
    assert (table.index, table.titles, table.orientation, table.rows, table.columns) == (0, ["Prices"], "column", 3, 2)
    assert not table.is_cut
    told = table.to_dict()
    assert told["records"][0]["fields"][1] == {"path": ["Price"], "value": "1.20", "leaves": [4, 5]}
    assert {"table", "titles", "orientation", "rows", "columns", "leaves", "header_cells", "records", "is_cut"} == set(told)


def test_a_column_keeps_its_name_where_another_of_the_same_name_is_empty() -> None:
    html = """<table><tr><th>Team<th>Goals<th>Goals<tr><td>Reds<td>3<td>1<tr><td>Blues<td><td>2
        <tr><td>Greens<td>4<td>0</table>"""
    assert records(html) == [
        {"Team": "Reds", "Goals": "3", "Goals (2)": "1"},
        {"Team": "Blues", "Goals (2)": "2"},
        {"Team": "Greens", "Goals": "4", "Goals (2)": "0"},
    ]


def test_layout_is_no_table() -> None:
    assert newslode.tables("<table><tr><td><h1>The Herald</h1><p>Text</table>") == []
    assert newslode.tables("") == []
