"""Servers on this machine, for what asks over the network."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeVar


class Answering(BaseHTTPRequestHandler):
    """Answers without a word on standard error."""

    def answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Listening(ThreadingHTTPServer):
    """Listens on a free port of loopback."""

    daemon_threads = True

    def __init__(self, handler: type[Answering]) -> None:
        super().__init__(("127.0.0.1", 0), handler)


S = TypeVar("S", bound=Listening)


@contextmanager
def running(server: S) -> Iterator[S]:
    """The server, which answers until the block ends."""
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
