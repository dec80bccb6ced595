"""A service as its health check sees it: a server on loopback that answers `/health/ready` with a status."""

import contextlib
import http.server
import threading


@contextlib.contextmanager
def answering(status):
    """The port of a server; `status` is a list of one, which may be changed while it runs."""

    class Answer(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.send_response(status[0] if self.path == "/health/ready" else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
