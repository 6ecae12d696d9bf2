"""A small TLS API server that authenticates users by certificate or token, as a real one does, and can change its own
certificate and the accepted credentials at run time.
"""

import contextlib
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from tests.plain_certificates import PlainAuthority
from tools.realcluster.certificates import Authority


class Secured:
    """`authority` signs the server's certificate and those of clients.

    `tokens` are accepted too. `asked`: (method, user) of each request.

    As with kube-apiserver, the TLS handshake needs no client certificate: without one and without a valid token the
    response is 401.
    """

    def __init__(self, authority: "Authority | PlainAuthority") -> None:
        self.tokens: set[str] = set()
        self.asked: list[tuple[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.trust(authority)

    def trust(self, authority: "Authority | PlainAuthority") -> None:
        """From now on (for new connections) this authority's certificates, and one of the server's own by it."""
        certificate, key = (
            authority.issue("server", "server", hosts=("127.0.0.1",))
            if isinstance(authority, Authority)
            else authority.issue()
        )
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(authority.certificate))
        # As Go's servers read certificates of clients.
        tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
        tls.verify_mode = ssl.CERT_OPTIONAL
        tls.load_cert_chain(certificate, key)
        self.tls = tls

    @contextmanager
    def running(self) -> Iterator["Secured"]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


def _handler(secured: Secured) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Of a handshake and of a kept connection: nothing here lasts longer.
        timeout = 10

        def setup(self) -> None:
            self.request = secured.tls.wrap_socket(self.request, server_side=True, do_handshake_on_connect=False)
            super().setup()

        def handle(self) -> None:
            # A client that doesn't trust the certificate disconnects during the handshake, or later.
            with contextlib.suppress(OSError):
                self.request.do_handshake()
                super().handle()

        def do_GET(self) -> None:
            who = self._person()
            secured.asked.append((self.command, who))
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._answer(200, {"kind": "Person", "gitVersion": "v1.36.3", "who": who}) if who else self._answer(
                401, {"kind": "Status", "status": "Failure", "reason": "Unauthorized", "code": 401}
            )

        do_POST = do_GET

        def _person(self) -> str:
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            if token in secured.tokens:
                return token
            subject = (self.request.getpeercert() or {}).get("subject") or ()
            return next((value for parts in subject for name, value in parts if name == "commonName"), "")

        def _answer(self, code: int, body: dict[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: Any) -> None:
            """Not among the tests' own lines."""

    return Handler


def kubeconfig(path: Path, port: int, *, cluster: str = "c", name: str = "u", **user: Any) -> Path:
    """With the authority in `ca.crt` beside it."""
    document = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": cluster, "user": name}}],
        "clusters": [
            {"name": cluster, "cluster": {"server": f"https://127.0.0.1:{port}", "certificate-authority": "ca.crt"}}
        ],
        "users": [{"name": name, "user": user}],
    }
    # Atomic, as kubectl and kubelet do it: no reader sees half a file.
    new = path.with_suffix(".new")
    new.write_text(yaml.safe_dump(document))
    return new.replace(path)
