"""`fetch` against a server on this machine."""

import gzip
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import newslode
import pytest
from pages import article
from serving import Answering, Listening, running

CONTACT = "desk@example.org"


class Handler(Answering):
    robots = b"User-agent: *\nDisallow: /closed/\nUser-agent: Barred\nDisallow: /\n"

    def do_GET(self) -> None:
        asked: list[tuple[str, float, str]] = self.server.asked  # type: ignore[attr-defined]
        asked.append((self.path, time.monotonic(), self.headers["User-Agent"]))
        if self.path == "/robots.txt":
            self.answer(200, self.robots, "text/plain")
        elif self.path == "/moved":
            self.answer(301, b"", "text/html", Location="/rain")
        elif self.path == "/away":
            self.answer(302, b"", "text/html", Location="/closed/rain")
        elif self.path == "/loop":
            self.answer(302, b"", "text/html", Location="/loop")
        elif self.path == "/packed":
            body = gzip.compress(article("rain").encode())
            self.answer(200, body, "text/html; charset=utf-8", **{"Content-Encoding": "gzip"})
        elif self.path == "/bomb":
            self.answer(200, gzip.compress(bytes(30 << 20)), "text/html", **{"Content-Encoding": "gzip"})
        elif self.path == "/slow":
            time.sleep(2)
            self.answer(200, b"late", "text/html")
        elif self.path == "/gone":
            self.answer(404, b"gone", "text/html")
        else:
            self.answer(200, article("rain").encode(), "text/html; charset=utf-8")


class Server(Listening):
    def __init__(self) -> None:
        super().__init__(Handler)
        self.asked: list[tuple[str, float, str]] = []

    def get(self, path: str, **arguments: object) -> newslode.Response:
        options = {"contact": CONTACT, "delay": 0.0, "allow_private": True, **arguments}
        return newslode.fetch(f"http://127.0.0.1:{self.server_port}{path}", **options)  # type: ignore[arg-type]


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server()) as server:
        yield server


def test_a_page_is_fetched_and_read(server: Server) -> None:
    response = server.get("/rain")
    assert (response.status, response.ok, response.content_type) == (200, True, "text/html; charset=utf-8")
    assert (response.body, response.text) == (article("rain").encode(), article("rain"))
    assert response.headers["content-length"] == str(len(response.body))
    found = newslode.extract(response, any_kind=True)
    assert found is not None
    assert (found.title, found.url) == ("rain", response.url)
    assert [path for path, _, _ in server.asked] == ["/robots.txt", "/rain"]
    assert server.asked[0][2].endswith(f"(+{CONTACT})")
    server.get("/tram")
    assert [path for path, _, _ in server.asked][2:] == ["/tram"], "robots.txt is asked for once"
    assert (server.get("/gone").status, server.get("/gone").body) == (404, b"")
    assert server.get("/packed").text == article("rain")


def test_robots_txt_is_heeded_also_behind_a_redirect(server: Server) -> None:
    assert server.get("/moved").redirects == [f"http://127.0.0.1:{server.server_port}/moved"]
    for path in ["/closed/rain", "/away"]:
        with pytest.raises(newslode.Disallowed, match="robots.txt does not allow"):
            server.get(path)
    with pytest.raises(newslode.Disallowed):
        server.get("/rain", user_agent="Barred/1")
    assert not [path for path, _, _ in server.asked if path.startswith("/closed")]
    with pytest.raises(newslode.FetchError, match="redirects more than"):
        server.get("/loop")


def test_requests_to_a_site_keep_their_distance(server: Server) -> None:
    for _ in range(2):
        server.get("/rain", delay=0.3)
    times = [at for _, at, _ in server.asked]
    assert len(times) == 3
    # A request takes a while from its turn to the server, the first one more than others.
    assert times[-1] - times[0] > 0.45, times


def test_limits_hold(server: Server) -> None:
    with pytest.raises(newslode.FetchError, match="larger than 1000000 bytes"):
        server.get("/bomb", max_bytes=1_000_000)
    with pytest.raises(newslode.FetchError, match="did not answer within"):
        server.get("/slow", timeout=0.5)
    wrongs: list[dict[str, Any]] = [{"delay": -1.0}, {"timeout": 0.0}, {"max_bytes": 0}, {"timeout": float("nan")}]
    for wrong in wrongs:
        with pytest.raises(ValueError, match="seconds"):
            server.get("/rain", **wrong)


def test_private_addresses_and_nameless_callers_are_refused(server: Server) -> None:
    with pytest.raises(newslode.FetchError, match="allow_private=True"):
        server.get("/rain", allow_private=False)
    for host in ["127.0.0.1", "[::1]", "169.254.169.254", "localhost"]:
        with pytest.raises(newslode.FetchError):
            newslode.fetch(f"http://{host}:{server.server_port}/", contact=CONTACT, delay=0)
    for contact in [None, "", "me", "a@b\r\nX: y"]:
        with pytest.raises(ValueError, match="`contact` must be"):
            newslode.fetch("https://news.example.org/", contact=contact)
    with pytest.raises(newslode.InvalidUrl):
        newslode.fetch("file:///etc/passwd", contact=CONTACT)
    assert not server.asked


def test_importing_starts_no_thread() -> None:
    program = "import newslode, os; print(len(os.listdir('/proc/self/task')))"
    if not os.path.exists("/proc/self/task"):
        program = "print(1)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


def _status(port: int) -> int:
    url = f"http://127.0.0.1:{port}/rain"
    return newslode.fetch(url, delay=0, allow_private=True, timeout=10).status


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_of_a_fork_fetches_too(server: Server) -> None:
    assert server.get("/rain").ok
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_status, [server.server_port] * 4).get(timeout=60) == [200] * 4
