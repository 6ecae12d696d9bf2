"""``python -m sandbox serve``: start, signals, kill, parent, ports."""

import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.certificate import context
from tests import processes
from tests.api import Api, config_map


def test_it_survives_a_kill_and_keeps_its_port(tmp_path: Path) -> None:
    with processes.sandbox(tmp_path) as process:
        api = Api(tmp_path / "kubeconfig")
        for number in range(50):
            api.post("/api/v1/namespaces/default/configmaps", config_map(f"m{number}"))
        process.kill()
        process.wait()
    with processes.sandbox(tmp_path):
        again = Api(tmp_path / "kubeconfig")
        assert (again.host, again.token) == (api.host, api.token)
        names = [i["metadata"]["name"] for i in again.get("/api/v1/namespaces/default/configmaps").json["items"]]
        assert {f"m{number}" for number in range(50)} <= set(names)


def test_open_watches_do_not_hold_it_up(tmp_path: Path) -> None:
    with processes.sandbox(tmp_path) as process:
        api = Api(tmp_path / "kubeconfig")
        with api.watch("/api/v1/pods?watch=1") as watch:
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert list(watch) == []
            assert process.wait(5) == 0
            assert time.monotonic() - begun < 2
    # A new one gives up the old versions, so clients list again.
    assert (tmp_path / "kubeconfig").stat().st_mode & 0o777 == 0o600


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([{sys.executable!r}, '-m', 'sandbox', 'serve', '--data', {str(tmp_path)!r},"
        " '--parent', str(__import__('os').getpid())], stdout=subprocess.PIPE, text=True)\n"
        "print(child.pid, child.stdout.readline(), flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=processes.ROOT)
    assert parent.stdout is not None
    child = int(parent.stdout.readline().split()[0])
    parent.kill()
    parent.wait()
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the sandbox outlived its parent")


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "sandbox", "serve", "--data", str(tmp_path), "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd=processes.ROOT, check=False)
    assert done.returncode == 1
    assert f"port {port} on 127.0.0.1 is taken" in done.stderr


def test_one_port_speaks_tls_and_plain_http(api: Api) -> None:
    host, port = api.host.split(":")
    trusted = ssl.create_default_context(cafile=str(api.kubeconfig.parent / "tls.crt"))
    with socket.create_connection((host, int(port))) as plain, trusted.wrap_socket(plain, server_hostname=host) as tls:
        assert tls.selected_alpn_protocol() is None
        tls.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert tls.recv(4096).startswith(b"HTTP/1.1 200")
    assert api.get("/readyz").status == 200


def test_a_certificate_is_made_once(tmp_path: Path) -> None:
    _, first = context(tmp_path)
    _, second = context(tmp_path)
    assert first == second
    assert (tmp_path / "tls.key").stat().st_mode & 0o777 == 0o600
