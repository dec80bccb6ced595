"""Articles as a data frame of pandas, which is imported only here."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Union

from newslode._newslode import Article
from newslode.errors import FormatError

if TYPE_CHECKING:
    import pandas

__all__ = ["frame"]

_Source = Union[str, "os.PathLike[str]", Iterable[Union[Article, "dict[str, Any]", None]]]

#: The longest line of a file of articles, in bytes. The longest that Newslode writes has 16 MiB.
_LONGEST_LINE = 64 << 20
#: The columns that hold times.
_TIMES = ("published_at", "modified_at")


def frame(articles: _Source) -> pandas.DataFrame:
    """The rows of articles (`Article.row`) as a `pandas.DataFrame`, a column for each key.

    `articles` is an iterable of articles, of dicts as `Article.to_dict` and `articles.jsonl` have them, or of what
    `extract_many` yields (a `None` is left out); or the path of an `articles.jsonl`, also packed as `.gz`.

    `published_at` and `modified_at` are columns of times in UTC, whatever the form of the dates: no date is lost, and
    `published_precision` says how exactly each is known. `published` and `modified` are text, as the article has them.

    Raises `FormatError` with the number of the line if the file holds something else, and `ImportError` without pandas
    (version 2 or later), which the package does not install.

    >>> import newslode
    >>> days = ["2024-05-02", "2024-05-02T08:00:00+02:00", None]
    >>> found = newslode.frame({"title": "Rain", "published": day} for day in days)
    >>> found["published_at"].notna().sum().item(), str(found["published_at"][1])
    (2, '2024-05-02 06:00:00+00:00')
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError("newslode.frame needs pandas: pip install pandas") from error
    rows = [article.row() for article in _read(articles)]
    columns = list(Article.from_dict({}).row())
    found = pandas.DataFrame(rows, columns=columns)
    for column in _TIMES:
        # Microseconds hold all years that a datetime can have; nanoseconds, the default of pandas 2, do not.
        times = [row[column].replace(tzinfo=None) if row[column] else None for row in rows]
        found[column] = pandas.Series(times, dtype="datetime64[us]", index=found.index).dt.tz_localize("UTC")
    return found


def _read(articles: _Source) -> Iterator[Article]:
    if isinstance(articles, (str, os.PathLike)):
        yield from _of_file(os.fspath(articles))
        return
    for article in articles:
        if isinstance(article, dict):
            yield Article.from_dict(article)
        elif isinstance(article, Article):
            yield article
        elif article is not None:
            kind = type(article).__name__
            raise TypeError(f"an article is an Article or a dict, not {kind}")


def _of_file(path: str) -> Iterator[Article]:
    opened = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        number = 0
        while True:
            number += 1
            try:
                line = file.readline(_LONGEST_LINE + 1)
            except (EOFError, gzip.BadGzipFile) as error:
                raise FormatError(f"`{path}` is damaged: {error}") from error
            if not line:
                return
            if len(line) > _LONGEST_LINE:
                raise FormatError(f"line {number} of `{path}` is longer than {_LONGEST_LINE} bytes")
            if not line.strip():
                continue
            try:
                yield Article.from_dict(json.loads(line))
            except (ValueError, TypeError) as error:
                raise FormatError(f"line {number} of `{path}` is no article: {error}") from error
