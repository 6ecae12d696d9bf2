"""Port-forward: megabytes a second from a Pod to this machine and back, through the console and through kubectl, on
one cluster with one Pod.
"""

import contextlib
import html
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

from bench.console import Running, wait
from bench.figures import Figure, figure

IMAGE = "operator-console.dev/sampledb-engine:1.0.0"
SIZE = 32 * 1024 * 1024
TIMES = 5


def measure(running: Running) -> list[Figure]:
    """The Pod is a database: a value of 32 MiB is written and read."""
    running.cluster("POST", "/api/v1/namespaces", {"metadata": {"name": "bench-forward"}})
    spec = {"containers": [{"name": "engine", "image": IMAGE, "ports": [{"containerPort": 6379}]}]}
    path = "/api/v1/namespaces/bench-forward/pods"
    running.cluster("POST", path, {"metadata": {"name": "data"}, "spec": spec})
    wait(lambda: running.cluster("GET", f"{path}/data")["status"].get("phase") == "Running", 60, "the Pod's start")
    figures: list[Figure] = []
    ours = _open(running)
    figures += _both("console", ours, "")
    if (kubectl := shutil.which("kubectl")) is None:
        print("kubectl is not on this machine: its port-forward is left out")
        return figures
    words = [kubectl, "--kubeconfig", str(running.data / "sandbox/kubeconfig"), "-n", "bench-forward"]
    command = [*words, "port-forward", "pod/data", ":6379"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+) ->", process.stdout.readline())
            assert found is not None
            figures += _both("kubectl", int(found[1]), "")
        finally:
            process.kill()
    return figures


def _open(running: Running) -> int:
    """The port of a forward that the console's page opened."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    address = f"{running.url}/resources/core/v1/pods/bench-forward/data/forward/"
    page = opener.open(address).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token is not None
    fields = {"csrfmiddlewaretoken": token[1], "remote": "6379", "local": ""}
    page = opener.open(address, urllib.parse.urlencode(fields).encode()).read().decode()
    found = re.search(r"localhost:(\d+)", html.unescape(page))
    assert found is not None
    return int(found[1])


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(b"PING\r\n")
        return connection.recv(100) == b"+PONG\r\n"
    return False


def _both(who: str, port: int, aim: str) -> list[Figure]:
    sent, received = [], []
    wait(lambda: _answers(port), 60, "an answer of the Pod")
    value = bytes(SIZE)
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        stream = connection.makefile("rb")
        for _ in range(TIMES):
            begun = time.perf_counter()
            connection.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nv\r\n$%d\r\n%s\r\n" % (SIZE, value))
            assert stream.readline() == b"+OK\r\n"
            sent.append(SIZE / 1e6 / (time.perf_counter() - begun))
            begun = time.perf_counter()
            connection.sendall(b"*2\r\n$3\r\nGET\r\n$1\r\nv\r\n")
            stream.readline()
            assert len(stream.read(SIZE + 2)) == SIZE + 2
            received.append(SIZE / 1e6 / (time.perf_counter() - begun))
    name = f"port-forward: from a Pod, {SIZE // 2**20} MiB, {who}"
    return [
        figure(name, "MB/s", received, aim, ""),
        figure(f"port-forward: to a Pod, {SIZE // 2**20} MiB, {who}", "MB/s", sent, aim, ""),
    ]
