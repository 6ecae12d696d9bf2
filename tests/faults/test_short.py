"""The short form: each kind of fault once, in lanes that do not touch each other, then a few at random."""

import asyncio

import pytest

from tests.faults import report
from tests.faults.conftest import Scenes
from tests.faults.long import at_random
from tests.faults.scene import Scene

#: After the last fault. `make test-faults` holds it to 10 s; machines that run this beside other tests stand still for
#: seconds.
LIMIT_SECONDS = 30.0
RATE = 50.0
_LANES = (
    ("one hub does not reach Redis", "a hub is stopped and goes on", "a hub is killed"),
    ("a web process is stopped and goes on", "the browsers' connections are cut", "a web process is killed"),
    ("Redis forgets everything", "Redis is full", "Redis is killed and comes back empty"),
    ("the hubs' watches are cut", "the API server has too much to do (429)", "the API server is killed and comes back"),
)


@pytest.mark.timeout(420)
async def test_nothing_is_lost(scenes: Scenes) -> None:
    async with scenes(hubs=2, webs=2, views=5, browser=1) as found:
        async with found.writing(RATE):
            for lane in zip(*_LANES, strict=True):
                await asyncio.gather(*(_play(found, name) for name in lane))
            await at_random(found, 4, starts=False)
        settled = await found.finish(LIMIT_SECONDS)
        result = report.write(found, [settled], "short")
        assert not result["problems"]
        assert not settled.wrong, f"FAULT_SEED={found.seed}"
        assert settled.largest <= LIMIT_SECONDS, f"FAULT_SEED={found.seed}"
        assert found.backward == [], f"FAULT_SEED={found.seed}"


async def _play(scene: Scene, name: str) -> None:
    fault = next((kind for kind in scene.kinds if kind.name == name), None)
    if fault is not None:
        await scene.play(fault, min(fault.seconds[1], 2.5))
