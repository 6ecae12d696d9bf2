"""What answers behind a port-forward to a simulated Pod: one page, over TLS and plain HTTP, that says what it is.

python -m tools.realcluster.page PORT CERTIFICATE KEY
"""

from __future__ import annotations

import http.server
import socket
import ssl
import sys

_TEXT = b"""<!doctype html><html lang="en"><title>Simulated</title>
<p>This Pod is simulated by kwok: it has a status, and no program runs in it.
"""
_TLS_HANDSHAKE = 0x16


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(_TEXT)))
        self.end_headers()
        self.wfile.write(_TEXT)

    def log_message(self, format: str, *args: object) -> None:
        """No log: there is nothing to learn from it."""


class _Server(http.server.ThreadingHTTPServer):
    """The first byte of a connection tells whether TLS follows."""

    daemon_threads = True
    tls: ssl.SSLContext

    def finish_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        assert isinstance(request, socket.socket)
        request.settimeout(30)
        if request.recv(1, socket.MSG_PEEK)[:1] == bytes([_TLS_HANDSHAKE]):
            request = self.tls.wrap_socket(request, server_side=True)
        _Page(request, client_address, self)


def main(port: int, certificate: str, key: str) -> None:
    """Serves until it is ended."""
    server = _Server(("127.0.0.1", port), _Page)
    server.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.tls.load_cert_chain(certificate, key)
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
