"""A client of the API that `newslode serve` and `newslode watch` offer, by the standard library alone."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Any, Literal

from newslode._newslode import Article
from newslode.errors import ApiError, FormatError

__all__ = ["Client", "Event"]

#: The largest answer that is read, and the longest line of a stream, in bytes.
_LARGEST = 256 << 20
_LONGEST_LINE = 64 << 20
#: Seconds between two attempts to come back to a stream: the first, and the most.
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token is for this server alone, and the API redirects nowhere."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class Event:
    """An event of `Client.events`.

    >>> import newslode
    >>> newslode.Event("1714700000000", "new", {"title": "Rain"}).kind
    'new'
    """

    #: Where a listener that comes back goes on; `None` if the server gave no id yet.
    id: str | None
    #: `"new"`, `"changed"`, `"taxonomy"` or `"rising"`; later versions may have others.
    kind: str
    #: The article, the change of the taxonomy, or the concept.
    data: dict[str, Any]


class Client:
    """A client of the API at an address, such as `http://127.0.0.1:8080`. `token` is sent with each request.

    The token is sent to this server alone: redirects are errors. All that fails is an `ApiError`, which has the `status`.

    >>> import newslode
    >>> newslode.Client("http://127.0.0.1:9", timeout=1).sites()
    Traceback (most recent call last):
        ...
    newslode.ApiError: cannot reach `http://127.0.0.1:9/api/v1/sites`: ...
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 60.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"`{url}` is not the http or https address of a server")
        if token is not None and not (token.isascii() and token.isprintable()):
            raise ValueError("a token is one line of visible ASCII characters")
        self._base = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    def __repr__(self) -> str:
        return f"<Client {self._base}>"

    def articles(self, *, limit: int | None = None, page_size: int = 100, **filters: str | int) -> Iterator[dict[str, Any]]:
        """The articles that pass all filters, newest first, at most `limit`, as dicts. Further parts are asked for as needed.

        The filters are those of `/api/v1/articles`: `q`, `concept`, `code`, `site`, `place`, `language`, `label`, `rights`,
        `from_` and `to`, `found_since`, `day`. `Article.from_dict` and `frame` take these dicts.
        """
        left = limit
        cursor: str | None = None
        # `from` is a word of Python.
        question = {name.rstrip("_"): str(value) for name, value in filters.items()}
        while left is None or left > 0:
            asked = {**question, "limit": str(page_size if left is None else min(left, page_size))}
            if cursor is not None:
                asked["cursor"] = cursor
            part = self._json("/api/v1/articles", asked)
            found = part.get("articles", [])
            yield from found
            left = None if left is None else left - len(found)
            before, cursor = cursor, part.get("next")
            if cursor is None or not found or cursor == before:
                return

    def article(self, url: str) -> Article:
        """The article at an address, with its text."""
        return Article.from_dict(self._json("/api/v1/article", {"url": url}))

    def document(self, url: str, format: Literal["text", "markdown", "html", "tei", "json-ld"]) -> str:
        """The article at an address as a document, with the same bytes as `Article.document`."""
        return self._get("/api/v1/article", {"url": url, "format": format}).decode("utf-8")

    def concepts(self) -> dict[str, Any]:
        """The taxonomy: its concepts and how they hang together."""
        return self._json("/api/v1/taxonomy")

    def concept(self, key: str) -> dict[str, Any]:
        """One concept, by key, label or identifier."""
        return self._json("/api/v1/concepts/" + urllib.parse.quote(key, safe=""))

    def sites(self) -> list[dict[str, Any]]:
        """The sites, and how they are doing."""
        sites: list[dict[str, Any]] = self._json("/api/v1/sites").get("sites", [])
        return sites

    def site(self, site: str) -> dict[str, Any]:
        """One site."""
        return self._json("/api/v1/sites/" + urllib.parse.quote(site, safe=""))

    def events(self, after: str | None = None, *, retry: bool = True) -> Iterator[Event]:
        """New and changed articles, and changes of the taxonomy, as they come, without end.

        `after` is the `id` of the last event that was heard: what came since is sent first. If the connection ends, the client
        comes back with the last id, after one second, then two, up to a minute; so an event may come twice and none is
        missed. With `retry=False` the iterator ends or raises instead. A refusal (400, 401, 404) always raises.
        """
        wait = _FIRST_WAIT
        while True:
            try:
                headers = {"Accept": "text/event-stream"}
                if after is not None:
                    headers["Last-Event-ID"] = after
                with self._open("/api/v1/events", {}, headers) as stream:
                    for event in _read_events(stream, after):
                        after, wait = event.id, _FIRST_WAIT
                        yield event
                if not retry:
                    return
            except ApiError as error:
                passes = error.status is None or error.status in (429, 502, 503, 504)
                if not (retry and passes):
                    raise
            except (OSError, HTTPException) as error:
                if not retry:
                    raise ApiError(f"the stream of `{self._base}` broke: {error}") from error
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    def _open(self, path: str, question: dict[str, str], headers: dict[str, str]) -> HTTPResponse:
        url = self._base + path + ("?" + urllib.parse.urlencode(question) if question else "")
        request = urllib.request.Request(url, headers=headers)
        if self._token is not None:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            answer: HTTPResponse = self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise ApiError(f"`{url}` answered {error.code}{_told(error)}", error.code) from error
        except (OSError, HTTPException) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            raise ApiError(f"cannot reach `{url}`: {reason}") from error
        return answer

    def _get(self, path: str, question: dict[str, str]) -> bytes:
        with self._open(path, question, {}) as answer:
            try:
                data = answer.read(_LARGEST + 1)
            except (OSError, HTTPException) as error:
                raise ApiError(f"the answer of `{self._base}{path}` broke off: {error}") from error
        if len(data) > _LARGEST:
            raise ApiError(f"the answer of `{self._base}{path}` is larger than {_LARGEST} bytes")
        return data

    def _json(self, path: str, question: dict[str, str] | None = None) -> dict[str, Any]:
        data = self._get(path, question or {})
        try:
            found = json.loads(data)
        except ValueError as error:
            raise ApiError(f"the answer of `{self._base}{path}` is not JSON: is this a Newslode server?") from error
        if not isinstance(found, dict):
            raise ApiError(f"the answer of `{self._base}{path}` is not an object: is this a Newslode server?")
        return found


def _told(error: urllib.error.HTTPError) -> str:
    """What the server says of a refusal."""
    try:
        return f": {json.loads(error.read(1 << 16))['message']}"
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return ""


def _read_events(stream: HTTPResponse, last: str | None) -> Iterator[Event]:
    """The events of a stream, as the HTML standard reads them."""
    kind, size = "message", 0
    data: list[str] = []
    while True:
        line = stream.readline(_LONGEST_LINE + 1)
        size += len(line)
        if size > _LONGEST_LINE:
            raise FormatError(f"an event is larger than {_LONGEST_LINE} bytes")
        if not line:
            return
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not text:
            if data:
                try:
                    found = json.loads("\n".join(data))
                except ValueError as error:
                    raise FormatError("an event is not JSON: is this a Newslode server?") from error
                yield Event(last, kind, found)
            kind, data, size = "message", [], 0
            continue
        name, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            kind = value
        elif name == "data":
            data.append(value)
        elif name == "id" and "\0" not in value:
            last = value
