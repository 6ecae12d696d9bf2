"""Two web processes behind nginx with its own buffering: live updates arrive at once, outlive a web process, and
pages know their address.
"""

import asyncio
import signal
import ssl
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from uuid import uuid4

import aiohttp
import pytest

from kube.client import ClusterClient
from kube.config import load
from tests.deploy.browsers import Browser, Here, make, opened, watched
from tests.deploy.nginx import NAME, Behind, behind
from tests.eventually import reached, until
from tests.processes import answers

pytestmark = pytest.mark.timeout(420)


@pytest.fixture(scope="module")
def site(cluster_kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    with behind(tmp_path_factory.mktemp("nginx"), cluster_kubeconfig) as found:
        yield found


@pytest.fixture(scope="module")
def client(cluster_kubeconfig: Path) -> ClusterClient:
    return ClusterClient(load(str(cluster_kubeconfig)))


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    type_, name = client.find("", "v1", "namespaces"), f"nginx-{uuid4().hex[:6]}"
    client.create(type_, {"metadata": {"name": name}})
    yield name
    client.delete(type_, name)


def _tls(site: Behind) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(site.authority))


def _address(site: Behind, client: ClusterClient, namespace: str) -> str:
    return f"https://{NAME}:{site.port}/stream?notice={client.name}/core/v1/configmaps/{namespace}"


def _seen_by_all(browsers: Sequence[Browser], name: str) -> bool:
    return all(name in browser.seen for browser in browsers)


async def test_an_event_reaches_browsers_of_both_processes_at_once(
    site: Behind, client: ClusterClient, namespace: str
) -> None:
    browsers = [Browser(url=_address(site, client, namespace)) for _ in range(12)]
    async with opened(*browsers, tls=_tls(site)):
        await watched(client, namespace, *browsers)
        spread = [site.clients(port) for port in site.own]
        assert min(spread) > 0, f"nginx sent all to one process: {spread}"
        # One after the other: a buffer that holds some hundred bytes back would hold the last of them for good.
        for number in range(3):
            await make(client, namespace, f"m{number}")
            seen = partial(_seen_by_all, browsers, f"m{number}")
            await reached(seen, f"m{number} is seen by all")
        await reached(lambda: all(browser.heartbeats for browser in browsers), "a heartbeat comes through", seconds=60)
        assert {browser.connections for browser in browsers} == {1}


async def test_browsers_of_a_process_that_is_killed_go_on_at_the_other_and_miss_nothing(
    site: Behind, client: ClusterClient, namespace: str
) -> None:
    browsers = [Browser(url=_address(site, client, namespace)) for _ in range(12)]
    made: list[str] = []

    async def write() -> None:
        while True:
            await make(client, namespace, f"k{len(made)}")
            made.append(f"k{len(made)}")
            await asyncio.sleep(0.02)

    async with opened(*browsers, tls=_tls(site)):
        await watched(client, namespace, *browsers)
        assert min(site.clients(port) for port in site.own) > 0
        writer = asyncio.create_task(write())
        await reached(lambda: len(made) > 10, "something is written")
        killed = site.web(site.own[0])
        killed.send_signal(signal.SIGKILL)
        await reached(lambda: any(browser.connections > 1 for browser in browsers), "somebody came back")
        count = len(made)
        await reached(lambda: len(made) > count + 20, "something more is written")
        writer.cancel()
        await asyncio.gather(writer, return_exceptions=True)
        await reached(lambda: all(set(made) <= set(browser.seen) for browser in browsers), "everybody saw everything")
        again = [browser.events[browser.events.index("added") :].count("resync") for browser in browsers]
        assert set(again) == {0}, "nobody had to begin anew"
        alive = f"http://127.0.0.1:{site.own[0]}/healthz"
        await asyncio.to_thread(until, lambda: answers(alive), "the process is started again")
        assert site.web(site.own[0]).pid != killed.pid


async def test_a_stream_that_is_asked_for_by_post(site: Behind, client: ClusterClient, namespace: str) -> None:
    topic = f"{client.name}/core/v1/configmaps/{namespace}"
    browser = Browser(url=f"https://{NAME}:{site.port}/stream", body={"rows": [{"topic": topic}]})
    async with opened(browser, tls=_tls(site)):
        await watched(client, namespace, browser)
        await make(client, namespace, "posted")
        await reached(lambda: "posted" in browser.seen, "the row is seen")


async def test_a_page_knows_its_scheme_and_host(site: Behind) -> None:
    tls = _tls(site)
    base = f"https://{NAME}:{site.port}"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=tls, resolver=Here())) as session:
        async with session.get(f"{base}/") as page:
            assert page.status == 200
            cookies = {name: morsel for name, morsel in page.cookies.items() if name.startswith("console_")}
            assert "max-age" in page.headers["Strict-Transport-Security"]
        assert {name.rstrip("0123456789") for name in cookies} >= {"console_place", "console_csrf_"}
        assert all(morsel["secure"] for morsel in cookies.values())
        # A form of this very page is taken, one of the same name without TLS is not.
        token = next(morsel.value for name, morsel in cookies.items() if name.startswith("console_csrf"))
        sent = {"csrfmiddlewaretoken": token, "theme": "dark"}
        for origin, status in ((base, 302), (base.replace("https", "http"), 403), (f"https://{NAME}", 403)):
            headers = {"Origin": origin, "Referer": f"{origin}/settings/"}
            async with session.post(f"{base}/settings/", data=sent, headers=headers, allow_redirects=False) as answer:
                assert answer.status == status, origin
        # Without its slash: where it sends people has the scheme and the host that they came by.
        async with session.get(f"{base}/settings", allow_redirects=False) as moved:
            assert moved.headers["Location"] in ("/settings/", f"{base}/settings/")
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=Here())) as session,
        session.get(f"http://{NAME}:{site.plain}/resources/", allow_redirects=False) as moved,
    ):
        assert (moved.status, moved.headers["Location"]) == (308, f"https://{NAME}/resources/")


def test_the_shared_port_is_served_while_one_process_hangs_and_while_it_is_started_anew(site: Behind) -> None:
    """Connections go to a process that accepts them: none waits for one that doesn't."""
    address = f"http://127.0.0.1:{site.shared}/healthz"
    hangs = site.web(site.own[0])
    hangs.send_signal(signal.SIGSTOP)
    try:
        # Each is a connection of its own.
        assert [answers(address) for _ in range(20)] == [True] * 20
    finally:
        hangs.send_signal(signal.SIGKILL)
    assert [answers(address) for _ in range(20)] == [True] * 20
    until(lambda: answers(f"http://127.0.0.1:{site.own[0]}/healthz"), "the process is started again")
