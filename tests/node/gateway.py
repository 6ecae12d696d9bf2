"""The public name of deploy/overlays/public-… from outside of the node: a browser that finds the gateway's Service by
it and trusts the authority that signed its certificate, and single requests.
"""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path

import pytest
from cryptography import x509
from playwright.sync_api import Browser

from console.processes.parts import free_port
from tests.chromium import Chromium
from tests.node.relays import relayed
from tools.realnode.keeper import GATEWAY, PUBLIC
from tools.realnode.node import RealNode


def _answer(
    connection: HTTPConnection, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> tuple[int, Message]:
    with closing(connection):
        # A body may be refused before its end.
        with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            connection.request("POST" if body else "GET", path, body or None, headers or {})
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers


@dataclass(frozen=True, slots=True)
class Gateway:
    """`port`: of this machine's loopback, where its HTTPS port is. `authority`: in PEM."""

    port: int
    plain: int
    authority: Path

    @property
    def url(self) -> str:
        return f"https://{PUBLIC}"

    def _connect(self) -> ssl.SSLSocket:
        context = ssl.create_default_context(cafile=str(self.authority))
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        return context.wrap_socket(plain, server_hostname=PUBLIC)

    def certificate(self) -> x509.Certificate:
        """Which it has now; ssl.SSLError if the authority didn't sign it for this name."""
        with self._connect() as connection:
            served = connection.getpeercert(binary_form=True)
        assert served
        return x509.load_der_x509_certificate(served)

    def ask(self, path: str, size: int = 0) -> int:
        """The status of a page, by a connection of its own. `size`: of a form's body in bytes."""
        connection = HTTPConnection(PUBLIC)
        connection.sock = self._connect()
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return _answer(connection, path, b"x" * size, form)[0]

    def ask_plain(self, path: str) -> tuple[int, Message]:
        """Status and headers, without TLS."""
        connection = HTTPConnection(PUBLIC)
        connection.sock = socket.create_connection(("127.0.0.1", self.plain), timeout=30)
        return _answer(connection, path)

    @contextmanager
    def browser(self, chromium: Chromium, home: Path) -> Iterator[Browser]:
        """Of a person whose machine trusts the authority and knows the name."""
        if shutil.which("certutil") is None:
            pytest.skip("needs certutil (Debian: apt-get install libnss3-tools)")
        database = home / ".pki" / "nssdb"
        database.mkdir(parents=True)
        known = ("certutil", "-d", f"sql:{database}")
        subprocess.run([*known, "-N", "--empty-password"], check=True)
        subprocess.run([*known, "-A", "-t", "C,,", "-n", "node", "-i", str(self.authority)], check=True)
        ports = ((443, self.port), (80, self.plain))
        rules = ",".join(f"MAP {PUBLIC}:{port} 127.0.0.1:{here}" for port, here in ports)
        found = chromium.launch(f"--host-resolver-rules={rules}", home=home)
        yield found
        found.close()


@contextmanager
def gateway(node: RealNode, authority: Path) -> Iterator[Gateway]:
    """In place of a load balancer: ports of this machine that lead to the gateway's Service."""
    found = Gateway(free_port(), free_port(), authority)
    with relayed(node.machine.pid, f"{found.port}={GATEWAY}:443", f"{found.plain}={GATEWAY}:80"):
        yield found
