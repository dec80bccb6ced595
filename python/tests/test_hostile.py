"""No page ends the process, however broken: it ends in a result."""

import random
import threading
from collections.abc import Callable

import newslode
import pytest

MANY = 1_000_000
PAGES: dict[str, str | bytes] = {
    "nothing": "",
    "a million open tags": "<div>" * MANY,
    "a million closed tags": "<b>" * MANY + "x" + "</b>" * MANY,
    "a million end tags": "</p>" * MANY,
    "100,000 tables": "<table><tr><td>" * (MANY // 10),
    "100,000 inline tags in tables": "<table><a>" * (MANY // 10),
    "100,000 lists": "<ul><li>x" * (MANY // 10),
    "100,000 attributes": "<p " + "".join(f"a{n}=1 " for n in range(MANY // 10)) + ">x",
    "wide spans": "<table>" + "<tr><td colspan=1000 rowspan=65534>x" * 1000 + "</table>",
    "one long text": "<p>" + "word " * MANY,
    "NULs": "\0" * MANY,
    "lone surrogates": "<p>\ud800 \udfff" * 1000,
    "deep JSON-LD": "<script type=application/ld+json>" + "[" * MANY,
    "no letters": "<p>" + "\u202e\u200b\ufeff" * 10_000,
    "random bytes": random.Random(7).randbytes(1_000_000),
    "random markup": "".join(random.Random(8).choices(["<p>", "</", "<table>", "&#0;", "<svg>", "x ", "<!--", "-->"], k=200_000)),
    "UTF-16": "<p>text".encode("utf-16"),
}


def read(html: str | bytes) -> None:
    article = newslode.extract(html, any_kind=True)
    assert article is not None
    assert newslode.Article.from_json(article.to_json()) == article
    found = newslode.partition(html)
    assert len(found.nodes) == len(found) == len(found.root.walk())
    assert found.xml() and found.svg() and found.json() and isinstance(found.tree(), str)
    for table in newslode.tables(html):
        assert len(table.records) == len(table)
        assert len(table.cells) == table.rows


@pytest.mark.parametrize("name", PAGES)
def test_any_page_has_a_result(name: str) -> None:
    """On a thread with a small stack: no walk may take more of it on a deeper page."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            read(PAGES[name])
        except BaseException as error:
            failed.append(error)

    before = threading.stack_size(512 << 10)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert failed == []


CONTROLS = "\x1b]52;c;cm0=\x07\x9b6n\u202e\u2066\x7f\r"


def is_neutral(text: str) -> bool:
    return not any(letter in text for letter in CONTROLS if letter not in "]52;c;cm0=6n")


def test_what_is_shown_of_a_page_does_not_steer_a_terminal() -> None:
    words = "The council met on Tuesday and decided that the bridge will be repaired before winter begins. " * 4
    html = f"<title>{CONTROLS}Bridge</title><h1>{CONTROLS}Bridge</h1><p>By {CONTROLS}Ann<p>{CONTROLS} # [x](y) <b>{words}"
    article = newslode.extract(html, "https://example.org/a", any_kind=True)
    assert article is not None and article.title is not None and not is_neutral(article.title)
    hierarchy = newslode.partition(html)
    for shown in [repr(article), repr(article.body), repr(hierarchy), repr(hierarchy.nodes), article.markdown]:
        assert is_neutral(shown), shown
    assert is_neutral(newslode.for_terminal(article.title)) and newslode.for_terminal("a\tb\n") == "a\tb\n"
    wrong_calls: list[Callable[[], object]] = [
        lambda: newslode.extract("<p>x", f"ftp://{CONTROLS}/"),
        lambda: newslode.partition("<p>x", None, CONTROLS),  # type: ignore[arg-type]
        lambda: newslode.Article.from_json(f'{{"{CONTROLS[0]}": 1}}'),
        lambda: newslode._newslode._fail(CONTROLS),
    ]
    for wrong in wrong_calls:
        with pytest.raises((newslode.NewslodeError, ValueError)) as told:
            wrong()
        assert is_neutral(str(told.value)), told.value


def test_hostile_pages_are_learnt_from_and_read_by_many_threads() -> None:
    small = [html[:200_000] for html in PAGES.values()]
    site = newslode.Site()
    site.learn((html, f"https://example.org/{number}") for number, html in enumerate(small))
    for number, html in enumerate(small):
        site.see(html, f"https://example.org/see/{number}")
    assert len(list(site.extract_many(small, any_kind=True))) == len(small)
    assert newslode.Site.from_bytes(site.to_bytes()).seen == site.seen
