"""An image registry that refuses, by the first part of an image's name: a status, `token`, `other` (an image for
another platform only), `page` (a page instead of an image).

    python -m tests.node.bad_registry PORT [CERTIFICATE KEY]
"""

import hashlib
import json
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
_MANIFEST = {
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "digest": f"sha256:{'1' * 64}",
    "size": 100,
    "platform": {"architecture": "s390x", "os": "linux"},
}
_INDEX = json.dumps({"schemaVersion": 2, "mediaType": _INDEX_TYPE, "manifests": [_MANIFEST]}).encode()


class _Refusals(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Also HEAD."""
        kind = self.path.split("/")[2] if self.path.count("/") > 1 else ""
        status, body, headers = 200, b"{}", dict[str, str]()
        if self.path.startswith("/token"):
            status = 401
        elif kind.isdigit():
            status = int(kind)
            if status == 401:
                headers["WWW-Authenticate"] = 'Basic realm="registry"'
        elif kind == "token":
            status = 401
            realm = f"http://{self.headers['Host']}/token"
            headers["WWW-Authenticate"] = f'Bearer realm="{realm}",service="registry",scope="repository:web:pull"'
        elif kind == "other":
            body = _INDEX
            headers["Content-Type"] = _INDEX_TYPE
            headers["Docker-Content-Digest"] = f"sha256:{hashlib.sha256(_INDEX).hexdigest()}"
        elif kind == "page":
            body = b"<html>Sign in</html>"
            headers["Content-Type"] = "text/html"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def main(port: str, *pair: str) -> None:
    """Serves until it is ended. `pair`: certificate and key, for TLS."""
    server = ThreadingHTTPServer(("0.0.0.0", int(port)), _Refusals)
    if pair:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*pair)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
