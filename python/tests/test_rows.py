"""Dates as datetimes, rows and data frames."""

import gzip
import json
import pathlib
from datetime import datetime, timedelta, timezone
from typing import Any

import newslode
import pandas
import pytest

#: Forms of dates that articles have, with what `published_at` is.
DATES = {
    "2024-05-02": datetime(2024, 5, 2),
    "2024-05-02T08:30:00": datetime(2024, 5, 2, 8, 30),
    "2024-05-02T08:30": datetime(2024, 5, 2, 8, 30),
    "2024-05-02T08:30:00Z": datetime(2024, 5, 2, 8, 30, tzinfo=timezone.utc),
    "2024-05-02T08:30:00.25+05:30": datetime(
        2024, 5, 2, 8, 30, 0, 250_000, tzinfo=timezone(timedelta(hours=5, minutes=30))
    ),
    "1642-05-02T08:30:00-04:00": datetime(1642, 5, 2, 8, 30, tzinfo=timezone(timedelta(hours=-4))),
}


def dated(date: str | None) -> newslode.Article:
    return newslode.Article.from_dict({"title": "Rain", "published": date, "body": [{"kind": "paragraph", "text": "x"}]})


def test_dates_are_datetimes_and_aware_where_the_zone_is_known() -> None:
    for written, expected in DATES.items():
        found = dated(written).published_at
        assert found is not None
        assert (found, found.tzinfo is None) == (expected, expected.tzinfo is None), written
    for none in [None, "", "yesterday", "2024-13-40", "-0044-03-15", "2024-05-02T99:00", "2024-05-02T08:00+25:00"]:
        assert dated(none).published_at is None, none


def test_a_row_is_flat_and_its_times_have_one_form() -> None:
    rows = [dated(written).row() for written in [*DATES, None]]
    assert len({tuple(row) for row in rows}) == 1, "all rows have the same keys"
    assert all(isinstance(value, (str, datetime, type(None))) for row in rows for value in row.values())
    assert {row["published_at"].tzinfo for row in rows[:-1]} == {timezone.utc}
    assert rows[4]["published_at"] == DATES["2024-05-02T08:30:00.25+05:30"]
    assert [row["published_precision"] for row in rows] == ["day", "time", "time", "zone", "zone", "zone", None]
    assert rows[0]["text"] == "x"
    assert (rows[0]["authors"], rows[0]["url"]) == (None, None)


def test_no_date_is_lost_in_a_frame() -> None:
    frame = newslode.frame([dated(written) for written in [*DATES, None]])
    assert str(frame["published_at"].dtype).endswith("UTC]")
    assert frame["published_at"].notna().sum() == len(DATES)
    assert pandas.to_datetime(frame["published_at"]).notna().sum() == len(DATES)
    assert list(frame["published"])[:-1] == list(DATES)
    assert len(newslode.frame([])) == 0
    assert "text" in newslode.frame([]).columns


def test_a_frame_keeps_dates_of_all_zones_and_of_years_that_nanoseconds_do_not_hold(tmp_path: pathlib.Path) -> None:
    # What pages write, with the time in UTC and how exactly it is known.
    kept = {
        "2024-05-02T23:30:00-11:00": ("2024-05-03 10:30:00", "zone"),
        "2024-05-02T23:30:00+14:00": ("2024-05-02 09:30:00", "zone"),
        "2024-05-02T08:30:00+05:45": ("2024-05-02 02:45:00", "zone"),
        "2024-05-02T08:30:00+00:19:32": ("2024-05-02 08:10:28", "zone"),
        "2024-05-02 08:30": ("2024-05-02 08:30:00", "time"),
        "2024-02-29": ("2024-02-29 00:00:00", "day"),
        "2016-12-31T23:59:60Z": ("2016-12-31 23:59:59", "zone"),
        "1969-07-20T20:17:40Z": ("1969-07-20 20:17:40", "zone"),
        # Nanoseconds hold the years 1678 to 2261.
        "1677-09-20": ("1677-09-20 00:00:00", "day"),
        "1605-01-01T12:00:00": ("1605-01-01 12:00:00", "time"),
        "1440-03-01T00:00:00+01:00": ("1440-02-29 23:00:00", "zone"),
        "0001-01-01": ("0001-01-01 00:00:00", "day"),
        "2262-04-12": ("2262-04-12 00:00:00", "day"),
        "3024-05-02T08:30:00+02:00": ("3024-05-02 06:30:00", "zone"),
        "9999-12-31T23:59:59.999999Z": ("9999-12-31 23:59:59.999999", "zone"),
    }
    # Of years that a `datetime` does not have, the text stays.
    text_alone = ["0001-01-01T00:00:00+01:00", "9999-12-31T23:00:00-02:00", "0000-05-02", "12024-05-02", "-0044-03-15"]
    lines = [dated(written).to_json() for written in [*kept, *text_alone, None]]
    file = tmp_path / "articles.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    for frame in [newslode.frame(file), newslode.frame(json.loads(line) for line in reversed(lines)).iloc[::-1]]:
        assert list(frame["published"])[:-1] == [*kept, *text_alone]
        told = frame["published_at"].dt.tz_localize(None)
        found = {date: (str(at), how) for date, at, how in zip(frame["published"], told, frame["published_precision"])}
        assert {date: found[date] for date in kept} == kept
        lost = frame[frame["published"].notna() & frame["published_at"].isna()]
        assert list(lost["published"]) == text_alone
        assert frame["published_at"].dt.year.max() == 9999
        assert str(frame["published_at"].min()) == "0001-01-01 00:00:00+00:00"


def test_a_frame_is_made_of_articles_dicts_and_files(tmp_path: pathlib.Path) -> None:
    articles = [dated("2024-05-02"), dated("2024-05-03T08:00:00Z")]
    lines = "\n".join(article.to_json() for article in articles) + "\n\n"
    plain, packed = tmp_path / "articles.jsonl", tmp_path / "articles.jsonl.gz"
    plain.write_text(lines, "utf-8")
    packed.write_bytes(gzip.compress(lines.encode()))
    expected = newslode.frame(articles)
    dicts = [article.to_dict() for article in articles]
    sources: list[Any] = [dicts, [articles[0], None, articles[1]], plain, str(packed)]
    for source in sources:
        pandas.testing.assert_frame_equal(newslode.frame(source), expected)
    plain.write_text(lines + "{", "utf-8")
    with pytest.raises(newslode.FormatError, match="line 4 of"):
        newslode.frame(plain)
    packed.write_bytes(packed.read_bytes()[:40])
    with pytest.raises(newslode.FormatError, match="damaged"):
        newslode.frame(packed)
    with pytest.raises(TypeError, match="not int"):
        newslode.frame([1])  # type: ignore[list-item]
    with pytest.raises(FileNotFoundError):
        newslode.frame(tmp_path / "none")


def test_comments_come_on_request_and_never_in_the_text() -> None:
    page = (
        "<title>Rain</title><meta property=og:type content=article><h1>Rain</h1>"
        "<p>After eleven dry weeks it rained on Thursday, and the farmers came out to watch it fall.</p>"
        "<ol class=comment-list><li class=comment><b class=fn>Bo</b><p>At last!</p></li></ol>"
    )
    silent, telling = newslode.extract(page), newslode.extract(page, comments=True)
    assert silent is not None
    assert telling is not None
    assert silent.comments is None
    assert "comments" not in silent.to_dict()
    assert telling.comments == [{"author": "Bo", "date": None, "text": "At last!", "parent": None}]
    assert json.loads(telling.to_json())["comments"] == telling.comments
    assert newslode.Article.from_json(telling.to_json()) == telling
    assert (telling.text, "At last" in telling.markdown) == (silent.text, False)


def test_a_focus_changes_what_is_taken_and_has_three_names() -> None:
    page = "<h1>Rain</h1><p>After eleven dry weeks it rained on Thursday over the valley.</p>"
    for focus in ["balanced", "precision", "recall"]:
        found = newslode.extract(page, any_kind=True, focus=focus)  # type: ignore[arg-type]
        assert found is not None
        assert "eleven dry weeks" in found.text
    with pytest.raises(ValueError, match="`speed` is not a focus"):
        newslode.extract(page, focus="speed")  # type: ignore[arg-type]
