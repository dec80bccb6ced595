"""Many pages: order, laziness, errors, and other threads of Python."""

import gc
import threading
import time
from collections.abc import Iterator

import newslode
import pytest
from pages import TEXTS, article, site, url

NAMES = [list(TEXTS)[number % 3] for number in range(200)]


@pytest.mark.parametrize("threads", [None, 1, 2, 7])
def test_articles_come_in_the_order_of_their_pages(threads: int | None) -> None:
    # Pages of very different length, so that threads overtake each other.
    pages = [
        (article(name) + "<p>" + "again and again " * (2000 if number % 10 == 0 else 1), url(f"{name}/{number}"))
        for number, name in enumerate(NAMES)
    ]
    many = list(newslode.extract_many(pages, threads))
    assert many == [newslode.extract(*page) for page in pages]
    assert [found.url for found in many if found] == [url(f"{name}/{number}") for number, name in enumerate(NAMES)]


def test_pages_may_be_html_alone_and_need_no_end() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield article("rain").encode()

    articles = newslode.extract_many(endless(), threads=2)
    first = [next(articles) for _ in range(50)]
    assert all(found is not None and found.title == "rain" for found in first)
    assert 50 <= taken <= 50 + 2 * 8, "pages are taken as they are needed"
    del articles


def test_nothing_is_taken_before_it_is_asked_for() -> None:
    taken: list[str] = []

    def pages() -> Iterator[str]:
        for name in TEXTS:
            taken.append(name)
            yield article(name)

    articles = newslode.extract_many(pages(), threads=1)
    assert taken == []
    next(articles)
    assert taken == ["rain"]
    assert list(newslode.extract_many([])) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_a_page_that_fails_does_so_in_its_place(threads: int) -> None:
    pages = [*site(), ("<p>text", "no url"), *site()]
    articles = newslode.extract_many(pages, threads)
    found: list[str | None] = []
    while True:
        try:
            page = next(articles)
        except StopIteration:
            break
        except newslode.InvalidUrl:
            found.append("failed")
        else:
            found.append(page and page.title)
    assert found == [*TEXTS, "failed", *TEXTS]
    skipped = [page and page.title for page in newslode.extract_many(pages, threads, skip_errors=True)]
    assert skipped == [*TEXTS, None, *TEXTS]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_error_of_the_iterable_comes_after_its_pages(threads: int) -> None:
    def pages() -> Iterator[tuple[str, str]]:
        yield "<p>text", "no url"
        yield from site()
        raise newslode.FormatError("the file of pages is damaged")

    articles = newslode.extract_many(pages(), threads, skip_errors=True)
    assert [page and page.title for page in (next(articles) for _ in range(4))] == [None, *TEXTS]
    with pytest.raises(newslode.FormatError, match="the file of pages is damaged"):
        next(articles)
    assert list(articles) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_other_threads_run_meanwhile(threads: int) -> None:
    """While a page is read that takes long, another thread counts. With the lock held it would not count at all."""
    page = article("rain") + "<p>a <b>b</b> c" * 60_000
    is_done = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not is_done.is_set():
            counted += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    before = counted
    list(newslode.extract_many([page], threads))
    during = counted - before
    is_done.set()
    counter.join()
    assert during > 5


def test_dropped_iterators_end_their_threads() -> None:
    before = threading_count()
    for _ in range(20):
        articles = newslode.extract_many([article(name) for name in NAMES], threads=4)
        next(articles)
        del articles
    gc.collect()
    # A thread of an earlier test may have been about to end.
    assert threading_count() <= before


def threading_count() -> int:
    """Threads of the process, those that Python does not know included."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))
