"""The cluster is recreated under a running console: other certificates, another token, another address, versions
from the beginning.
"""

import asyncio
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

import aiohttp
import pytest

from console.processes.parts import free_port
from kube.client import ClusterClient
from kube.renewal import following
from tests import processes
from tests.deploy.browsers import Browser, make, opened, watched
from tests.eventually import reached

pytestmark = pytest.mark.timeout(300)
PAGE = "/resources/core/v1/configmaps/?namespace=default"


def _console(folder: Path, kubeconfig: Path, stack: ExitStack) -> str:
    """The address of one that uses that cluster."""
    port = free_port()
    command = [sys.executable, "-m", "console.processes", "--port", str(port), "--data", str(folder / "data")]
    command += ["--kubeconfig", str(kubeconfig)]
    ready = lambda: processes.answers(f"http://127.0.0.1:{port}/readyz")  # noqa: E731
    settings = {"REDIS_URL": "", "REDIS_PREFIX": "renewed"}
    stack.enter_context(processes.running(command, folder / "console.log", ready, 120, **settings))
    return f"http://127.0.0.1:{port}"


async def _page(console: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{console}{PAGE}") as answer:
        return answer.status, await answer.text()


async def test_pages_and_live_updates_go_on_without_a_restart(tmp_path: Path) -> None:
    cluster, first = tmp_path / "sandbox", ExitStack()
    with ExitStack() as stack:
        stack.enter_context(first)
        first.enter_context(processes.sandbox(cluster, options=("--no-olm",)))
        console = await asyncio.to_thread(_console, tmp_path, cluster / "kubeconfig", stack)
        client = ClusterClient(following(str(cluster / "kubeconfig")))
        browser = Browser(url=f"{console}/stream?notice={client.name}/core/v1/configmaps/default")
        async with opened(browser):
            # Many, so that versions of the old cluster are ahead of the new one's.
            for number in range(40):
                await make(client, "default", f"old-{number}")
            await watched(client, "default", browser)
            assert "old-7" in (await _page(console))[1]
            address, number_of_events = client.host, len(browser.events)
            await asyncio.to_thread(first.close)
            shutil.rmtree(cluster)
            stack.enter_context(processes.sandbox(cluster, options=("--no-olm",)))
            assert client.host != address
            await reached(
                lambda: "resync" in browser.events[number_of_events:], "the page is told to list again", seconds=60
            )
            await watched(client, "default", browser)
            status, text = await _page(console)
            assert status == 200
            assert "old-7" not in text
            assert "begin-0" in text
            assert "starting it again" not in (tmp_path / "console.log").read_text(), "a part had to be started anew"
