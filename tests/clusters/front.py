"""Stands before an embedded cluster, so that it is reached as the clusters of others are: by their certificates,
tokens, addresses and answers. The users of all of them are its administrator.
"""

import asyncio
import contextlib
import re
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import yaml

_HEAD = b"\r\n\r\n"


@dataclass(slots=True, kw_only=True)
class Front:
    """`prefix`: of each path, as Rancher has it. `delay`: seconds before each answer.

    `until`: from a bearer token and the name in a client's certificate, until when (Unix time) the caller is known; 0
    is answered with 401. Streams end then: some load balancers and aggregated servers do so, kube-apiserver doesn't.

    `broken`: what is answered instead, by a pattern of the path. `answered`: the number of requests by status,
    without refused ones that had no credentials; 0: passed on. `ended`: streams that ended with their token.
    """

    upstream: int
    admin: str
    tls: ssl.SSLContext | None = None
    prefix: str = ""
    delay: float = 0.0
    until: Callable[[str, str], float] = lambda _token, _name: float("inf")
    broken: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    answered: Counter[int] = field(default_factory=Counter)
    ended: int = 0
    port: int = 0

    @contextmanager
    def running(self) -> Iterator["Front"]:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()

        async def start() -> asyncio.Server:
            return await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls, backlog=512)

        async def stop(server: asyncio.Server) -> None:
            server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        server = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(stop(server), loop).result(10)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request a connection."""
        ended = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError)
        with contextlib.suppress(*ended):
            first, *lines = (await reader.readuntil(_HEAD))[: -len(_HEAD)].decode("latin-1").split("\r\n")
            method, target, _version = first.split(" ")
            headers = [(name, value) for name, _colon, value in (line.partition(": ") for line in lines)]
            known = {name.lower(): value for name, value in headers}
            await asyncio.sleep(self.delay)
            token, name = known.get("authorization", "").removeprefix("Bearer "), _name(writer)
            ends = self.until(token, name)
            path = target.partition("?")[0]
            refused = self._refusal(path, ends)
            if token or name or not refused:
                self.answered[refused[0] if refused else 0] += 1
            if refused:
                await reader.read(int(known.get("content-length") or 0))
                writer.write(_answer(*refused))
                await writer.drain()
            else:
                headers = [pair for pair in headers if pair[0].lower() not in ("authorization", "connection")]
                # A WebSocket's handshake keeps its own.
                headers.append(("Connection", known["connection"] if "upgrade" in known else "close"))
                headers.append(("Authorization", f"Bearer {self.admin}"))
                head = "\r\n".join(
                    [f"{method} {target.removeprefix(self.prefix)} HTTP/1.1", *(": ".join(pair) for pair in headers)]
                )
                await self._pass_on(head.encode("latin-1") + _HEAD, reader, writer, ends)
        with contextlib.suppress(OSError):
            writer.close()

    def _refusal(self, path: str, ends: float) -> tuple[int, bytes] | None:
        if not path.startswith(f"{self.prefix}/"):
            return 404, b"<html>Not one of our clusters</html>"
        if ends <= time.time():
            return 401, b'{"kind":"Status","status":"Failure","reason":"Unauthorized","code":401}'
        return next((answer for pattern, answer in self.broken.items() if re.search(pattern, path)), None)

    async def _pass_on(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, ends: float
    ) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self.upstream)
        to_server.write(head)
        up = asyncio.create_task(_carry(reader, to_server))
        down = asyncio.create_task(_carry(from_server, writer))
        try:
            seconds = None if ends == float("inf") else max(0.0, ends - time.time())
            done, _pending = await asyncio.wait((up, down), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if up in done:
                # The client has said all; the answer may still come.
                done, _pending = await asyncio.wait((down,), timeout=seconds)
            self.ended += not done
        finally:
            for task in (up, down):
                task.cancel()
            await asyncio.gather(up, down, return_exceptions=True)
            to_server.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()


def _name(writer: asyncio.StreamWriter) -> str:
    """The common name in the certificate of the client."""
    subject = (writer.get_extra_info("peercert") or {}).get("subject") or ()
    return next((value for parts in subject for name, value in parts if name == "commonName"), "")


def _answer(status: int, body: bytes) -> bytes:
    kind = "text/html" if body.startswith(b"<") else "application/json"
    head = f"HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def front_of(kubeconfig: Path) -> Front:
    """Before the embedded cluster of this kubeconfig; plain HTTP, without a condition."""
    document = yaml.safe_load(kubeconfig.read_text())
    port = urlsplit(document["clusters"][0]["cluster"]["server"]).port
    assert port
    return Front(upstream=port, admin=document["users"][0]["user"]["token"])


def server_tls(pair: tuple[Path, Path], clients: Path | None = None) -> ssl.SSLContext:
    """With certificate and key; `clients`: the authority of clients' certificates, which aren't required."""
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(*pair)
    if clients:
        tls.load_verify_locations(clients)
        tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
        tls.verify_mode = ssl.CERT_OPTIONAL
    return tls


def kubeconfig(path: Path, *, cluster: dict[str, object], user: dict[str, object]) -> Path:
    """As tools of clouds write it; written atomically, as they do."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "theirs",
        "contexts": [{"name": "theirs", "context": {"cluster": "theirs", "user": "me"}}],
        "clusters": [{"name": "theirs", "cluster": cluster}],
        "users": [{"name": "me", "user": user}],
    }
    new = path.with_suffix(".new")
    new.write_text(yaml.safe_dump(document))
    return new.replace(path)
