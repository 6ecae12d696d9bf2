"""Runs in the Pods of our own Argo CD: ``python -m examples.operators.argocd.standin COMPONENT``.

It listens at the ports of the component, says what it is at each of them, and counts what it was asked at /metrics. The
server speaks TLS and plain HTTP at one port, as the real one does; redis answers PING in its own protocol. Nothing but
the standard library.

Ports are those of the embedded cluster (SANDBOX_PORT_n) or the container's own; the same goes for the two mounts of the
server.
"""

from __future__ import annotations

import http.server
import json
import logging
import os
import signal
import socket
import socketserver
import ssl
import sys
import threading
import time
from pathlib import Path
from typing import Any

from .page import page
from .parts import PARTS, ComponentSpec
from .workloads import CERTIFICATE, SETTINGS

log = logging.getLogger("argocd")
_TLS_HANDSHAKE = b"\x16"
_SECONDS = 30.0


class Component:
    """What this process stands for, and what it was asked."""

    def __init__(self, part: ComponentSpec):
        self.part = part
        self.instance = os.environ.get("ARGOCD_INSTANCE", "argocd")
        self.namespace = os.environ.get("ARGOCD_NAMESPACE", "default")
        self.started = time.time()
        self.requests = 0
        self.failed = 0
        self.seconds = 0.0
        self._lock = threading.Lock()

    def note(self, begin: float, *, failed: bool = False) -> None:
        """A request that began then, by time.monotonic()."""
        with self._lock:
            self.requests += 1
            self.failed += failed
            self.seconds += time.monotonic() - begin

    def settings(self) -> dict[str, str]:
        """argocd-cm as mounted now: the kubelet updates the files when the ArgoCD changes."""
        folder = mounted(SETTINGS)
        files = folder.iterdir() if folder.is_dir() else ()
        return {file.name: file.read_text(encoding="utf-8") for file in files if file.is_file()}

    def metrics(self) -> str:
        """In the text format of Prometheus: rate, errors and duration of what it was asked."""
        labels = f'component="{self.part.suffix}",instance="{self.instance}",namespace="{self.namespace}"'
        return (
            "# HELP argocd_simulated Whether this is a stand-in and no Argo CD.\n# TYPE argocd_simulated"
            f" gauge\nargocd_simulated{{{labels}}} 1\n# HELP argocd_requests_total What was asked of it.\n# TYPE"
            f" argocd_requests_total counter\nargocd_requests_total{{{labels}}} {self.requests}\n# HELP"
            " argocd_request_failures_total What of it was answered with an error.\n# TYPE"
            f" argocd_request_failures_total counter\nargocd_request_failures_total{{{labels}}} {self.failed}\n# HELP"
            " argocd_request_seconds_total How long all of it took.\n# TYPE argocd_request_seconds_total"
            f" counter\nargocd_request_seconds_total{{{labels}}} {self.seconds:.6f}\n# HELP process_start_time_seconds"
            " When it was started.\n# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds"
            f" {self.started:.0f}\n"
        )


class Pages(http.server.BaseHTTPRequestHandler):
    """One request over HTTP."""

    server: Server

    def do_GET(self) -> None:
        """What a browser, a probe or Prometheus asks."""
        component, begin = self.server.component, time.monotonic()
        path = self.path.partition("?")[0]
        if path in ("/healthz", "/healthz/live", "/healthz/ready"):
            self._answer("text/plain", b"ok\n")
            return
        if path == "/metrics":
            self._answer("text/plain; version=0.0.4", component.metrics().encode())
        elif path == "/api/version":
            self._answer("application/json", json.dumps({"Version": "simulated"}).encode())
        else:
            name = component.part.suffix
            self._answer(
                "text/html; charset=utf-8", page(name, component.instance, component.namespace, component.settings())
            )
        component.note(begin)

    do_HEAD = do_GET

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Each request but those of the probes."""
        if not self.path.startswith("/healthz"):
            log.info("%s", format % args)


class Redis(socketserver.StreamRequestHandler):
    """Enough of the Redis protocol to answer PING, and to report that this is only a stand-in."""

    server: Server

    def handle(self) -> None:
        """Commands come as arrays of strings, or as words in a line."""
        while line := self.rfile.readline(4096).strip():
            words = [line]
            if line.startswith(b"*"):
                words = [self.rfile.readline(4096) and self.rfile.readline(4096).strip() for _ in range(int(line[1:]))]
            begin = time.monotonic()
            good = words[0].split(b" ")[0].upper() == b"PING"
            self.wfile.write(b"+PONG\r\n" if good else b"-ERR this redis is simulated: it keeps nothing\r\n")
            self.server.component.note(begin, failed=not good)


class Server(socketserver.ThreadingTCPServer):
    """One port. The first byte of a connection tells whether TLS follows."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, component: Component, tls: ssl.SSLContext | None):
        self.component, self.tls = component, tls
        host, number = place(port)
        # One socket for IPv4 and IPv6, where the machine has both.
        if not host and socket.has_dualstack_ipv6():
            self.address_family = socket.AF_INET6
        super().__init__((host, number), Redis if component.part.plain else Pages)

    def server_bind(self) -> None:
        """With IPv4 as well on a socket of IPv6."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own."""
        request.settimeout(_SECONDS)
        if self.tls and request.recv(1, socket.MSG_PEEK) == _TLS_HANDSHAKE:
            request = self.tls.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Aborted connections and other protocols are logged at debug level only."""
        log.debug("a connection ended: %s", sys.exc_info()[1])


def place(port: int) -> tuple[str, int]:
    """Where to listen for a port of the container."""
    given = os.environ.get(f"SANDBOX_PORT_{port}")
    return ("127.0.0.1", int(given)) if given else ("", port)


def mounted(path: str) -> Path:
    """Where a mount of the container is."""
    return Path(os.environ.get("SANDBOX_MOUNT_" + path.replace("/", "_").upper(), path))


def certificate() -> ssl.SSLContext | None:
    """The server's, unless it is asked to do without."""
    folder = mounted(CERTIFICATE)
    if os.environ.get("ARGOCD_INSECURE") or not (folder / "tls.crt").exists():
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    return context


def main() -> None:
    """Serves until SIGTERM."""
    level = os.environ.get("ARGOCD_LOG_LEVEL", "info").upper()
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(message)s")
    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    component = Component(next(part for part in PARTS if part.suffix == sys.argv[1]))
    tls = certificate() if component.part.suffix == "server" else None
    for port in component.part.ports:
        threading.Thread(target=Server(port, component, tls).serve_forever, daemon=True).start()
        log.info("the simulated %s of %s listens at port %d", component.part.suffix, component.instance, port)
    signal.sigwait(ends)


if __name__ == "__main__":
    main()
