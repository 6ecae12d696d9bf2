"""A console on a cluster like EKS', with all of its processes: tokens of seconds, made by a plugin of the kubeconfig,
end while pages are open.
"""

import contextlib
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from uuid import uuid4

import pytest

from bench.console import console
from kube.client import ClusterClient
from kube.config import load
from tests import processes
from tests.clusters.front import front_of
from tests.clusters.test_ways import Way, _eks, plugin
from tests.eventually import until

pytestmark = pytest.mark.timeout(300)

#: A token is renewed each second, and ends after so many: streams end then.
_SECONDS = 6


class Site:
    """The console; `admin`: the cluster behind it, without plugin and front; `folder`: the plugin's."""

    def __init__(self, url: str, folder: Path, admin: ClusterClient, namespace: str = "default") -> None:
        self.url, self.folder, self.admin, self.namespace = url, folder, admin, namespace

    @property
    def runs(self) -> int:
        return len((self.folder / "runs").read_text().splitlines())

    def read(self, path: str, **headers: str) -> tuple[int, str]:
        request = urllib.request.Request(self.url + path, headers={"Accept-Language": "en", **headers})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def make(self) -> str:
        name = f"eks-{uuid4().hex[:6]}"
        self.admin.create(self.admin.find("", "v1", "configmaps"), {"metadata": {"name": name}}, self.namespace)
        return name


class Stream:
    """An open page's: the data of all events."""

    def __init__(self, site: Site) -> None:
        self.events: list[tuple[str, str]] = []
        self._connection = HTTPConnection(site.url.removeprefix("http://"), timeout=300)
        self._connection.request(
            "GET", f"/stream?topic=theirs/core/v1/configmaps/{site.namespace}", headers={"Accept-Language": "en"}
        )
        self._socket = self._connection.sock
        self._thread = threading.Thread(target=self._read, args=(self._connection.getresponse(),), daemon=True)
        self._thread.start()

    def _read(self, answer: HTTPResponse) -> None:
        event = ""
        with contextlib.suppress(OSError, HTTPException):
            for line in answer:
                name, _colon, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    event = value
                elif name == "data":
                    self.events.append((event, value))

    def follows(self, site: Site) -> None:
        """Waits until updates arrive: an object that is made before the watch stands comes with a list."""
        made: list[str] = []
        until(lambda: any(map(self.has, made)) or made.append(site.make()), "an update", seconds=40)

    def has(self, text: str) -> bool:
        return any(text in data for _event, data in self.events)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    data, folder = tmp_path_factory.mktemp("eks-cluster"), tmp_path_factory.mktemp("eks")
    with processes.sandbox(data, options=("--no-olm",)), _eks(front_of(data / "kubeconfig"), folder) as way:
        plugin(folder, _SECONDS)
        way.admin = data / "kubeconfig"
        yield way


@pytest.fixture(scope="module")
def site(way: Way) -> Iterator[Site]:
    folder = way.config.parent
    with console(folder / "console", kubeconfig=way.config) as running:
        yield Site(running.url, folder, ClusterClient(load(str(way.admin))))


@pytest.fixture
def stream(site: Site) -> Iterator[Stream]:
    found = Stream(site)
    yield found
    found.close()


def test_tokens_end_while_a_page_is_open_and_nobody_notices(way: Way, site: Site, stream: Stream) -> None:
    stream.follows(site)
    began, runs = time.monotonic(), site.runs
    missed = []
    while time.monotonic() - began < 2.5 * _SECONDS:
        name = site.make()
        try:
            until(lambda name=name: stream.has(name), seconds=6)
        except AssertionError:
            missed.append((name, time.monotonic() - began, stream.events[-3:]))
        for path in ("/", "/resources/core/v1/configmaps/?namespace=default"):
            status, page = site.read(path)
            assert status == 200, page[:500]
        time.sleep(1)
    assert not missed
    assert way.front.ended >= 2, "streams ended with their tokens"
    assert not way.front.answered[401], way.front.answered
    # A web process and a worker, once a second at most for such short tokens.
    assert site.runs - runs <= 2 * (time.monotonic() - began + 2)


def test_a_plugin_that_fails_is_said_and_its_repair_noticed(site: Site, stream: Stream) -> None:
    stream.follows(site)
    program = site.folder / "get-token"
    good = program.read_text()
    complaint = "The SSO session has expired. Run aws sso login."
    program.write_text(f"#!/bin/sh\necho run >> {site.folder}/runs\necho '{complaint}' >&2\nexit 255\n")
    until(lambda: site.read("/resources/core/v1/pods/")[0] == 503, "the last token's end", seconds=20)
    runs, began = site.runs, time.monotonic()
    for path in ("/resources/core/v1/pods/", "/namespaces/", "/resources/core/v1/configmaps/new/"):
        status, page = site.read(path)
        text = re.sub(r"\s+", " ", page).replace("&#x27;", "'")
        assert status == 503, path
        assert "credential plugin failed" in text and complaint in text, (path, text[:3000])
    status, text = site.read("/api/resources/core/v1/pods/")
    assert status == 503 and complaint in json.loads(text)["detail"]
    until(lambda: stream.has(complaint), "the page is told", seconds=30)
    for _number in range(30):
        site.read("/resources/core/v1/pods/")
    assert site.runs - runs <= 2 * ((time.monotonic() - began) / 5 + 2), "not once a request"
    # It hangs: the page's frame comes soon.
    program.write_text(f"#!/bin/sh\necho run >> {site.folder}/runs\nsleep 600\n")
    time.sleep(5.5)
    began = time.monotonic()
    status, page = site.read("/resources/core/v1/pods/", **{"Sec-Fetch-Mode": "navigate"})
    assert status == 200 and "<h1" in page and time.monotonic() - began < 6
    program.write_text(good)
    until(lambda: site.read("/resources/core/v1/pods/")[0] == 200, "the page is back", seconds=40)
    stream.follows(site)
