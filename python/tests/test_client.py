"""`Client` against a server that answers as the API does."""

import json
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import newslode
import pytest
from serving import Answering, Listening, running


class Handler(Answering):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Api)
        parts = urlsplit(self.path)
        question = {name: values[0] for name, values in parse_qs(parts.query).items()}
        server.asked.append((parts.path, question, self.headers))
        if self.headers["Authorization"] != "Bearer secret":
            self.answer_json(401, {"code": "unauthorized", "message": "Reading asks for a token."})
        elif parts.path == "/api/v1/articles":
            start, limit = int(question.get("cursor", 0)), int(question["limit"])
            articles = [{"url": f"https://a.example/{n}", "title": str(n)} for n in range(start, min(start + limit, 5))]
            following = start + limit
            self.answer_json(200, {"articles": articles, "matched": 5, "next": str(following) if following < 5 else None})
        elif parts.path == "/api/v1/article" and "format" in question:
            self.answer(200, "# Räin\n".encode(), "text/markdown")
        elif parts.path == "/api/v1/article":
            self.answer_json(200, {"url": question["url"], "title": "Rain", "id": "0", "rights": {}})
        elif parts.path == "/api/v1/sites":
            self.answer_json(200, {"sites": [{"site": "a.example"}]})
        elif parts.path == "/api/v1/concepts/world%20cup":
            self.answer_json(200, {"key": "world cup"})
        elif parts.path == "/api/v1/taxonomy":
            self.answer(200, b"<p>no", "text/html")
        elif parts.path == "/api/v1/events":
            last = int(self.headers["Last-Event-ID"] or 0)
            # The connection ends after two events.
            events = "".join(
                f": alive\n\nid: {n}\r\nevent: new\r\ndata: {{\"title\":\ndata: \"{n}\"}}\n\n" for n in (last + 1, last + 2)
            )
            self.answer(200, (events + "id: 99\ndata: cut").encode(), "text/event-stream")
        else:
            self.answer(302, b"", "text/html", Location="http://127.0.0.1:1/")

    def answer_json(self, status: int, value: object) -> None:
        self.answer(status, json.dumps(value).encode(), "application/json")


class Api(Listening):
    def __init__(self) -> None:
        super().__init__(Handler)
        self.asked: list[tuple[str, dict[str, str], object]] = []

    def client(self, token: str | None = "secret") -> newslode.Client:
        return newslode.Client(f"http://127.0.0.1:{self.server_port}/", token, timeout=10)


@pytest.fixture
def api() -> Iterator[Api]:
    with running(Api()) as server:
        yield server


def test_articles_come_in_parts_with_filters(api: Api) -> None:
    client = api.client()
    found = [article["title"] for article in client.articles(page_size=2, concept="drought", from_="7d")]
    assert found == ["0", "1", "2", "3", "4"]
    assert [question.get("cursor") for _, question, _ in api.asked] == [None, "2", "4"]
    assert {(question["concept"], question["from"]) for _, question, _ in api.asked} == {("drought", "7d")}
    assert len(list(client.articles(limit=3, page_size=2))) == 3
    assert list(client.articles(limit=0)) == []


def test_single_things_are_asked_for(api: Api) -> None:
    client = api.client()
    article = client.article("https://a.example/rain?x=1&y=2")
    assert (article.title, article.url) == ("Rain", "https://a.example/rain?x=1&y=2")
    assert client.document("https://a.example/rain", "markdown") == "# Räin\n"
    assert client.sites() == [{"site": "a.example"}]
    assert client.concept("world cup") == {"key": "world cup"}


def test_a_stream_comes_back_where_it_broke(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    events = api.client().events(after="7")
    found = [next(events) for _ in range(5)]
    assert [event.id for event in found] == ["8", "9", "10", "11", "12"]
    assert found[0] == newslode.Event("8", "new", {"title": "8"})
    assert len(list(api.client().events(retry=False))) == 2


def test_failures_say_what_to_do_and_never_show_the_token(api: Api) -> None:
    with pytest.raises(newslode.ApiError, match="401: Reading asks for a token") as caught:
        api.client(None).sites()
    assert caught.value.status == 401
    with pytest.raises(newslode.ApiError, match="401"):
        next(api.client("other").events())
    with pytest.raises(newslode.ApiError, match="is this a Newslode server"):
        api.client().concepts()
    with pytest.raises(newslode.ApiError, match="302"):
        api.client().site("a.example")
    assert "secret" not in repr(api.client())
    for url, token in [("ftp://a.example", None), ("a.example", None), ("http://a.example", "a\r\nX: y")]:
        with pytest.raises(ValueError):
            newslode.Client(url, token)
