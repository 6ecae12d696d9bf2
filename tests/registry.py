"""A small OCI registry on 127.0.0.1: images made of dictionaries, served with tokens, redirects, and a choice of lies.

with registry.serving() as server:
    server.add("team/catalog", "v1", [{"configs/index.yaml": b"..."}], labels={...})
    server.lies = {"digest"}          # see LIES
"""

import gzip
import hashlib
import io
import json
import tarfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
#: digest: other bytes for a layer; manifest: other bytes for a manifest; header: a wrong Docker-Content-Digest;
#: truncated: a layer ends early; busy: 429; slow: a byte at a time; broken: 500; redirect: layers come from another
#: address; loop: redirects to itself; outside: leads to metadata.
LIES = frozenset({"digest", "manifest", "header", "truncated", "busy", "slow", "broken", "redirect", "loop", "outside"})


def layer(files: Mapping[str, bytes | None], extra: tuple[tarfile.TarInfo, ...] = ()) -> bytes:
    """A gzipped tar: None makes a folder. `extra`: members as they are, e.g. links."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as packed:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            if data is None:
                member.type = tarfile.DIRTYPE
                packed.addfile(member)
            else:
                member.size = len(data)
                packed.addfile(member, io.BytesIO(data))
        for member in extra:
            packed.addfile(member)
    return gzip.compress(sink.getvalue(), 1)


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@dataclass(kw_only=True)
class Registry:
    """`users`: name → password; with some, everything wants a token. `asked`: (path, Authorization) of each request."""

    host: str
    blobs: dict[str, bytes] = field(default_factory=dict)
    manifests: dict[tuple[str, str], tuple[str, bytes]] = field(default_factory=dict)
    users: dict[str, str] = field(default_factory=dict)
    token: bool = False
    lies: set[str] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def blob(self, data: bytes) -> str:
        self.blobs[digest(data)] = data
        return digest(data)

    def add(
        self,
        path: str,
        tag: str,
        layers: list[Any],
        *,
        labels: Mapping[str, str] | None = None,
        platform: str = "",
        kind: str = LAYER,
    ) -> str:
        """An image; of `layers` each is bytes or a dict of files.

        `platform` arch: under an index. Returns host/path:tag.
        """
        packed = [item if isinstance(item, bytes) else layer(item) for item in layers]
        config = json.dumps({"os": "linux", "architecture": "amd64", "config": {"Labels": dict(labels or {})}}).encode()
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": {"mediaType": CONFIG, "digest": self.blob(config), "size": len(config)},
            "layers": [{"mediaType": kind, "digest": self.blob(item), "size": len(item)} for item in packed],
        }
        raw = json.dumps(manifest).encode()
        self.manifests[(path, digest(raw))] = (MANIFEST, raw)
        if platform:
            found = {"schemaVersion": 2, "mediaType": INDEX, "manifests": []}
            if (path, tag) in self.manifests:
                found = json.loads(self.manifests[(path, tag)][1])
            found["manifests"].append({"digest": digest(raw), "platform": {"os": "linux", "architecture": platform}})
            self.manifests[(path, tag)] = (INDEX, json.dumps(found).encode())
        else:
            self.manifests[(path, tag)] = (MANIFEST, raw)
        return f"{self.host}/{path}:{tag}"


class _Handler(BaseHTTPRequestHandler):
    registry: Registry
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args: Any) -> None:
        pass

    def do_GET(self) -> None:
        server, path = self.registry, self.path.partition("?")[0]
        server.asked.append((self.path, self.headers.get("Authorization", "")))
        if "busy" in server.lies:
            self._send(429, b"slow down", {"Retry-After": "7"})
        elif "broken" in server.lies:
            self._send(500, b"")
        elif path == "/token":
            self._token()
        elif path.startswith("/elsewhere/"):
            self._blob(path.removeprefix("/elsewhere/"))
        elif (server.token or server.users) and self.headers.get("Authorization") != "Bearer good":
            realm = f'Bearer realm="http://{server.host}/token",service="test",scope="repository:x:pull"'
            self._send(401, b"{}", {"WWW-Authenticate": realm})
        elif "/manifests/" in path:
            self._manifest(*path.removeprefix("/v2/").split("/manifests/"))
        elif "/blobs/" in path:
            self._blob(path.rpartition("/")[2])
        else:
            self._send(404, b"")

    def _token(self) -> None:
        import base64

        server = self.registry
        given = self.headers.get("Authorization", "").removeprefix("Basic ")
        user, _colon, password = base64.b64decode(given).decode().partition(":")
        if server.users and server.users.get(user) != password:
            self._send(401, b"{}")
        else:
            self._send(200, b'{"token": "good"}')

    def _manifest(self, path: str, wanted: str) -> None:
        found = self.registry.manifests.get((path, wanted))
        if found is None:
            self._send(404, b'{"errors":[{"code":"MANIFEST_UNKNOWN"}]}')
            return
        kind, raw = found
        reported_digest = digest(b"else") if "header" in self.registry.lies else digest(raw)
        body = raw + b" " if "manifest" in self.registry.lies and wanted.startswith("sha256:") else raw
        self._send(200, body, {"Content-Type": kind, "Docker-Content-Digest": reported_digest})

    def _blob(self, wanted: str) -> None:
        server, data = self.registry, self.registry.blobs.get(wanted)
        if data is None:
            self._send(404, b"")
            return
        packed = data[:2] == b"\x1f\x8b"
        if "loop" in server.lies:
            self._send(307, b"", {"Location": self.path})
        elif "outside" in server.lies:
            self._send(307, b"", {"Location": "http://169.254.169.254/latest/meta-data/"})
        elif "redirect" in server.lies and not self.path.startswith("/elsewhere/"):
            self._send(307, b"", {"Location": f"http://localhost:{server.host.rpartition(':')[2]}/elsewhere/{wanted}"})
        elif "digest" in server.lies and packed:
            self._send(200, layer({"configs/index.yaml": b"schema: olm.package\nname: evil\n"}))
        elif "truncated" in server.lies and packed:
            self._send(200, data[: len(data) // 2], length=len(data))
            self.close_connection = True
        elif "slow" in server.lies and packed:
            self._slowly(data)
        else:
            self._send(200, data)

    def _slowly(self, data: bytes) -> None:
        self._send(200, b"", length=len(data))
        for place in range(len(data)):
            try:
                self.wfile.write(data[place : place + 1])
            except OSError:
                return
            time.sleep(0.05)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None, length: int = -1) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length < 0 else length))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving() -> Iterator[Registry]:
    """A registry with nothing in it, until the block ends."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    handler.registry = found = Registry(host=f"127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
