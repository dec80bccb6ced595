"""Enough of an API server for the chart's `lookup`: secrets of one namespace, and the ConfigMap that all have."""

import contextlib
import http.server
import json
import threading

import helm_python

import chart

_KINDS = [{"name": "secrets", "kind": "Secret"}, {"name": "configmaps", "kind": "ConfigMap"}]


@contextlib.contextmanager
def holding(secrets):
    """A Helm configuration of a cluster that holds these secrets, name -> {key: text in base64}, and the paths asked for."""
    asked = []

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.split("?")[0]
            asked.append(f"GET {path}")
            self._say(*_answer(path, secrets))

        def _refuse(self):
            asked.append(f"{self.command} {self.path}")
            self._say(405, {})

        do_POST = do_PUT = do_PATCH = do_DELETE = _refuse

        def _say(self, code, body):
            text = json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with helm_python.Config(kube_apiserver=f"http://127.0.0.1:{server.server_address[1]}", namespace=chart.NAMESPACE) as config:
            yield config, asked
    finally:
        server.shutdown()
        server.server_close()


def _answer(path, secrets):
    if path == "/api/v1":
        resources = [kind | {"namespaced": True, "singularName": "", "verbs": ["get", "list"]} for kind in _KINDS]
        return 200, {"kind": "APIResourceList", "groupVersion": "v1", "resources": resources}
    own = f"/api/v1/namespaces/{chart.NAMESPACE}"
    if path == f"{own}/configmaps/kube-root-ca.crt":
        return 200, {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "kube-root-ca.crt"}}
    folder, _, name = path.rpartition("/")
    if folder == f"{own}/secrets" and name in secrets:
        return 200, {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": name}, "data": secrets[name]}
    return 404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
