"""What `extract` returns."""

import json
import pickle
from datetime import datetime, timezone

import newslode
import pytest
from pages import TEXTS, article, url


def found(html: str | bytes, any_kind: bool = False) -> newslode.Article:
    found = newslode.extract(html, url("rain"), any_kind=any_kind)
    assert found is not None
    return found


def test_an_article_has_the_fields_of_its_page() -> None:
    rain = found(article("rain"))
    assert (rain.url, rain.site, rain.title) == (url("rain"), "example.org", "rain")
    assert (rain.authors, rain.language, rain.kind, rain.published) == (["Ada Lane"], "en", "article", "2024-05-02")
    assert [block.text for block in rain.body][:2] == TEXTS["rain"]
    assert {block.kind for block in rain.body} == {"paragraph"}
    assert rain.text.split("\n") == [block.text for block in rain.body]
    assert rain.evidence["authors"].witness == "meta"
    assert 0 < rain.evidence["authors"].confidence <= 1
    assert rain.markdown.startswith("# rain\n\nAda Lane · 2024-05-02\n\nAfter eleven dry weeks")


def test_an_article_comes_back_from_its_forms() -> None:
    rain = found(article("rain"))
    forms = [
        newslode.Article.from_dict(rain.to_dict()),
        newslode.Article.from_json(rain.to_json()),
        pickle.loads(pickle.dumps(rain)),
    ]
    assert forms == [rain] * 3
    assert {hash(form) for form in forms} == {hash(rain)}
    assert json.loads(rain.to_json()) == rain.to_dict()
    # The names are those of docs/articles.md.
    assert list(rain.to_dict()) == [
        "url", "site", "title", "authors", "published", "modified", "place", "section", "concepts", "language", "body",
        "image", "kind", "method", "evidence", "listed", "lead", "description", "keywords", "breadcrumbs", "author_pages",
        "publisher", "licence", "access", "completeness", "dates", "cut",
    ]  # fmt: skip
    assert found(article("tram")) != rain
    # What exports add is ignored, what is missing is empty.
    assert newslode.Article.from_dict({"title": "x", "event": "new"}).title == "x"
    for damaged in ["", "{", "[]", '{"kind": "poem"}', '{"body": 3}']:
        with pytest.raises(newslode.FormatError):
            newslode.Article.from_json(damaged)


def test_a_page_that_is_no_article_is_none_unless_it_is_asked_for() -> None:
    contact = "<title>Contact</title><h1>Contact</h1><p>Write to us."
    assert newslode.extract(contact, url("contact")) is None
    assert newslode.kind(contact, url("contact")) == "other"
    read = newslode.extract(contact, url("contact"), any_kind=True)
    assert read is not None
    assert (read.kind, read.title, read.text) == ("other", "Contact", "Write to us.")
    assert found(article("rain"), any_kind=True) == found(article("rain"))


def test_bytes_are_decoded_as_browsers_do_and_text_is_taken_as_it_is() -> None:
    said = "<meta charset=windows-1252><h1>Fähre</h1><p>Die Fähre fährt."
    forms: list[str | bytes | bytearray] = [said, said.encode("windows-1252"), bytearray(said, "windows-1252")]
    for html in forms:
        read = newslode.extract(html, any_kind=True)
        assert read is not None and read.title == "Fähre"
    header = newslode.extract("<h1>Ж</h1><p>Ж".encode("koi8-r"), content_type="text/html; charset=koi8-r", any_kind=True)
    assert header is not None and header.title == "Ж"


def test_without_a_url_the_page_may_say_it() -> None:
    html = article("rain") + "<img src=/a.jpg><meta property=og:image content=/a.jpg>"
    unknown = newslode.extract(html)
    assert unknown is not None
    assert (unknown.url, unknown.site, unknown.image) == ("", "", None)
    said = newslode.extract(f"<link rel=canonical href={url('rain')}>" + html)
    assert said is not None
    assert (said.url, said.site) == (url("rain"), "example.org")
    assert said.image == "https://news.example.org/a.jpg"


def test_no_date_after_the_fetch_counts() -> None:
    html = article("rain") + "<meta property=article:published_time content=2024-05-02T08:00:00Z>"
    for day, published in [(1, None), (3, "2024-05-02T08:00:00Z")]:
        fetched_at = datetime(2024, 5, day, tzinfo=timezone.utc)
        read = newslode.extract(html, "https://news.example.org/rain", fetched_at=fetched_at, any_kind=True)
        assert read is not None and read.published == published
