"""What answers behind a port-forward to a simulated Pod: one page, over TLS and plain HTTP, that says what it is. It
also answers the API server's webhook for new Pods (nodes.py): they go to the node with the taint MARK.

python -m tools.realcluster.page PORT CERTIFICATE KEY MARK
"""

from __future__ import annotations

import base64
import http.server
import json
import socket
import ssl
import sys
from typing import Any

_TEXT = b"""<!doctype html><html lang="en"><title>Simulated</title>
<p>This Pod is simulated by kwok: it has a status, and no program runs in it.
"""
_TLS_HANDSHAKE = 0x16


def placed(pod: dict[str, Any], mark: str) -> list[dict[str, object]]:
    """The JSON patch that sends a Pod to the node with this taint."""
    tolerations = [*(pod["spec"].get("tolerations") or []), {"key": mark, "operator": "Exists"}]
    return [
        {"op": "add", "path": "/spec/nodeSelector", "value": {mark: "programs"}},
        {"op": "add", "path": "/spec/tolerations", "value": tolerations},
    ]


class _Page(http.server.BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._answer("text/html; charset=utf-8", _TEXT)

    def do_POST(self) -> None:
        """An AdmissionReview of a Pod."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
        patch = json.dumps(placed(request["object"], self.server.mark)).encode()
        response = {
            "uid": request["uid"],
            "allowed": True,
            "patchType": "JSONPatch",
            "patch": base64.b64encode(patch).decode(),
        }
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
        self._answer("application/json", json.dumps(review).encode())

    def _answer(self, content_type: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """No log: there is nothing to learn from it."""


class _Server(http.server.ThreadingHTTPServer):
    """The first byte of a connection tells whether TLS follows."""

    daemon_threads = True
    tls: ssl.SSLContext
    mark: str

    def finish_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        assert isinstance(request, socket.socket)
        request.settimeout(30)
        if request.recv(1, socket.MSG_PEEK)[:1] == bytes([_TLS_HANDSHAKE]):
            request = self.tls.wrap_socket(request, server_side=True)
        _Page(request, client_address, self)


def main(port: int, certificate: str, key: str, mark: str) -> None:
    """Serves until it is ended."""
    server = _Server(("127.0.0.1", port), _Page)
    server.mark = mark
    server.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.tls.load_cert_chain(certificate, key)
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:5])
