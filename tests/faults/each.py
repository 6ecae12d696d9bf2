"""Each fault on its own: changes continue during it, and after it every page comes to show all of them.

Run by `make test-faults`.
"""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.faults import kinds, report
from tests.faults.conftest import Scenes
from tests.faults.scene import Scene, Settled

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]
#: No update may wait for longer after the fault is over.
LIMIT_SECONDS = 10.0
RATE = 80.0
_found: list[Settled] = []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one_scene(scenes: Scenes) -> AsyncIterator[Scene]:
    async with scenes(hubs=2, webs=2, views=6, browser=2) as found:
        yield found
        report.write(found, _found, "each")


@pytest.mark.parametrize("name", list(kinds.ALL))
async def test_nothing_is_lost_when(one_scene: Scene, name: str) -> None:
    fault = kinds.ALL[name]
    if fault not in one_scene.kinds:
        pytest.skip("needs an API server that speaks without TLS")
    before = {*one_scene.backward}
    async with one_scene.writing(RATE):
        await one_scene.play(fault)
    found = await one_scene.finish(LIMIT_SECONDS)
    _found.append(found)
    assert not one_scene.played[-1].problem
    assert not found.wrong
    assert found.largest <= LIMIT_SECONDS
    assert {*one_scene.backward} - before == set()
