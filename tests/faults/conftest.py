"""The cluster that the faults are done to: the embedded one, or with --kubeconfig (of whatever) or FAULT_REAL an
etcd and a kube-apiserver of the tests' own, since they are killed.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bench.browser import find_chromium
from tests.faults import clusters
from tests.faults.scene import Scene, scene
from tools.realcluster.build import build, print_progress

Scenes = Callable[..., AbstractAsyncContextManager[Scene]]


@pytest.fixture(scope="session")
def scenes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    """Makes scenes; the words are those of tests.faults.scene.scene."""
    is_real = bool(request.config.getoption("--kubeconfig") or os.environ.get("FAULT_REAL"))
    if find_chromium() is None:
        print("no Chromium: only pages of our own look on")  # noqa: T201

    @asynccontextmanager
    async def made(**options: int) -> AsyncIterator[Scene]:
        folder = tmp_path_factory.mktemp("faults")
        (folder / "console").mkdir()
        begin: Callable[[Path], Awaitable[clusters.Cluster]] = (
            (lambda where: clusters.real(where, build(print_progress))) if is_real else clusters.embedded
        )
        cluster = await begin(folder)
        try:
            async with scene(folder, cluster, **options) as found:
                yield found
        finally:
            await cluster.close()

    return made
