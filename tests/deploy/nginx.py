"""A real nginx with deploy/nginx/console.conf, in front of a whole console with two web processes."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from console.processes.parts import free_port
from tests.processes import ROOT, answers, running
from tools.realcluster.certificates import Authority

NAME = "console.example.com"
CONFIGURATION = ROOT / "deploy" / "nginx" / "console.conf"
#: Around the example: what a distribution's nginx.conf has. Buffering is nginx's default.
_AROUND = """
daemon off;
{user}
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/console.conf;
}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """`port`: nginx' own, with TLS; `plain`: without.

    `shared`: of all web processes; `own`: of each. `authority`: the PEM file to trust.
    """

    port: int
    plain: int
    shared: int
    own: tuple[int, int]
    authority: Path
    supervisor: int

    def web(self, port: int) -> psutil.Process:
        """The web process at that port. Raises LookupError while there is none."""
        for process in psutil.Process(self.supervisor).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                command = process.cmdline()
                if "console.processes.web" in command and command[-1] == str(port):
                    return process
        raise LookupError(f"there is no web process at {port}")

    def clients(self, port: int) -> int:
        """How many connections that process has open at its own address."""
        with_client = (
            connection
            for connection in self.web(port).net_connections("tcp")
            if connection.status == psutil.CONN_ESTABLISHED
        )
        return sum(1 for item in with_client if item.laddr.port == port)


def program() -> str:
    """The path of nginx; the test is skipped without it, and fails in CI."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        message = "needs nginx (Debian: apt-get install nginx-light)"
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    return found


@contextmanager
def behind(folder: Path, kubeconfig: Path) -> Iterator[Behind]:
    """The console of `make run WEB=2` on that cluster, and nginx before it."""
    nginx = program()
    base, port, plain = _three_ports(), free_port(), free_port()
    authority = Authority(folder / "pki")
    found = Behind(
        port=port, plain=plain, shared=base, own=(base + 1, base + 2), authority=authority.certificate, supervisor=0
    )
    certificate, key = authority.issue("nginx", NAME, hosts=(NAME,))
    text = CONFIGURATION.read_text()
    for old, new in (
        ("127.0.0.1:9001", f"127.0.0.1:{found.own[0]}"),
        ("127.0.0.1:9002", f"127.0.0.1:{found.own[1]}"),
        ("listen 443 ssl http2", f"listen 127.0.0.1:{port} ssl http2"),
        ("listen 80", f"listen 127.0.0.1:{plain}"),
        ("/etc/nginx/console.crt", str(certificate)),
        ("/etc/nginx/console.key", str(key)),
    ):
        assert old in text, f"{CONFIGURATION.name} has no {old}"
        text = text.replace(old, new)
    (folder / "console.conf").write_text(text)
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(_AROUND.format(folder=folder, user=user))
    subprocess.run([nginx, "-t", "-q", "-c", str(folder / "nginx.conf")], check=True)
    command = [sys.executable, "-m", "console.processes", "--port", str(base), "--web", "2"]
    command += ["--data", str(folder / "data"), "--kubeconfig", str(kubeconfig)]
    settings = {
        "HTTPS": "1",
        "LOCAL_ONLY": "0",
        "FORWARDED_ALLOW_IPS": "127.0.0.1",
        "ALLOWED_HOSTS": f"{NAME},127.0.0.1",
    }
    # What this run of tests set for itself is not for a console of its own.
    settings |= {"REDIS_URL": "", "REDIS_PREFIX": "behind-nginx"}
    with ExitStack() as stack:
        ready = lambda: all(answers(f"http://127.0.0.1:{item}/readyz") for item in found.own)  # noqa: E731
        console = stack.enter_context(running(command, folder / "console.log", ready, 120, **settings))
        front = [nginx, "-c", str(folder / "nginx.conf")]
        stack.enter_context(running(front, folder / "nginx.log", lambda: _open(port)))
        yield replace(found, supervisor=console.pid)


def _three_ports() -> int:
    """A port that is free together with the two above it."""
    while True:
        first = free_port()
        with ExitStack() as stack:
            try:
                for port in range(first, first + 3):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except (OSError, OverflowError):
                continue
            return first


def _open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
