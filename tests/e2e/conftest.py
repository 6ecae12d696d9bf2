"""A console as `make run` starts it, and a real browser in front of it.

`--url` and `--kubeconfig` point the same tests at a console that already runs, on any cluster. Without Chromium the
tests are skipped, saying so; with REQUIRE_BROWSER set (CI) they fail instead.
"""

import contextlib
import json
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen
from uuid import uuid4

import psutil
import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from bench.console import console
from kube.client import ClusterClient
from kube.config import load
from kube.discovery import ResourceType
from kube.errors import NotFound
from tests.chromium import Contexts, browser, chromium, command_of, contexts
from tests.conftest import CATALOG

__all__ = ["browser", "chromium", "contexts"]


@dataclass(frozen=True, slots=True)
class Site:
    """The console under test."""

    url: str
    kubeconfig: Path
    supervisor: int = 0  # its process, 0 when the console was not started here

    def part(self, words: str) -> psutil.Process:
        """The process of one part, by words of its command line; the test is skipped on a console that was not
        started here.
        """
        if not self.supervisor:
            pytest.skip("needs a console of the test's own, to stop parts of it")
        family = psutil.Process(self.supervisor).children(recursive=True)
        return next(member for member in family if words in " ".join(command_of(member)))

    def knows(self, group: str) -> bool:
        """Whether the console has heard of an API group: what is served is asked for every ten seconds
        (kube/catalog.py).
        """
        with urlopen(f"{self.url}/api/resources/", timeout=30) as answer:
            return any(type_["group"] == group for type_ in json.load(answer))

    @contextmanager
    def without_cluster(self) -> Iterator[None]:
        """The API server does not answer: an embedded one is killed (the supervisor starts it again), any other one
        stopped meanwhile.
        """
        family = psutil.Process(self.supervisor).children(recursive=True) if self.supervisor else []
        for member in family:
            if "-m sandbox" in " ".join(command_of(member)):
                member.kill()
                yield
                return
        port = urlsplit(load(str(self.kubeconfig)).host).port
        found = {
            connection.pid
            for connection in psutil.net_connections("tcp")
            if connection.status == "LISTEN" and connection.laddr.port == port
        }
        if not found:
            pytest.skip("needs an API server on this machine, to stop it")
        server = psutil.Process(next(pid for pid in found if pid is not None))
        server.suspend()
        try:
            yield
        finally:
            server.resume()


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    if url := request.config.getoption("--url"):
        yield Site(url.rstrip("/"), Path(request.config.getoption("--kubeconfig")))
        return
    given = request.config.getoption("--kubeconfig")
    kubeconfig = Path(given).expanduser().resolve() if given else None
    with console(catalog=CATALOG if CATALOG.is_dir() and not given else None, kubeconfig=kubeconfig) as running:
        yield Site(running.url, kubeconfig or running.data / "sandbox/kubeconfig", running.process.pid)


@pytest.fixture(scope="session")
def client(site: Site) -> ClusterClient:
    """The cluster behind the console, without the console."""
    return ClusterClient(load(str(site.kubeconfig), None))


@pytest.fixture
def namespace(request: pytest.FixtureRequest, client: ClusterClient) -> Iterator[str]:
    """A name that is free.

    What was made under it is deleted: first the instances of the module's KINDS (group, plural), while their operator
    still lives, then the namespace.
    """
    name = f"{request.module.__name__.rpartition('test_')[2].replace('_', '-')}-{uuid4().hex[:6]}"
    yield name
    client.forget_types()
    for group, plural in request.module.KINDS:
        with contextlib.suppress(NotFound):
            remove_all(client, client.find(group, "", plural), name)
    with contextlib.suppress(NotFound):
        client.delete(client.find("", "v1", "namespaces"), name)


def remove_all(client: ClusterClient, type_: ResourceType, namespace: str) -> None:
    """Deletes every object there; one that its operator does not let go within 20 s loses its finalizers."""
    for item in client.list(type_, namespace).items:
        client.delete(type_, item["metadata"]["name"], namespace)
    until = time.monotonic() + 20
    while left := client.list(type_, namespace).items:
        if time.monotonic() > until:
            for item in left:
                client.patch(type_, item["metadata"]["name"], {"metadata": {"finalizers": None}}, namespace)
            return
        time.sleep(0.1)


@pytest.fixture
def context(contexts: Contexts) -> BrowserContext:
    return contexts()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test leaves a picture of its page in test-results/."""
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if call.when == "call" and report.failed and isinstance(page, Page) and not page.is_closed():
        folder = Path(item.config.rootpath) / "test-results"
        folder.mkdir(exist_ok=True)
        page.screenshot(path=folder / f"{item.name}.png")
        report.sections.append(("page", f"{page.url}\n{folder / item.name}.png"))
    return report


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose script errors and broken content policy fail the test."""
    found = context.new_page()
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # A number may come for a row that a filter took away: htmx says so.
        if message.type == "error" and not message.text.startswith(
            ("Failed to load resource", "htmx:oobErrorNoTarget, #count-")
        ):
            complaints.append(message.text)

    found.on("console", note)
    found.on("pageerror", lambda error: complaints.append(str(error)))
    yield found
    assert not complaints, complaints
