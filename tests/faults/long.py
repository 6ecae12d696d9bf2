"""Minutes of faults at random, two at once where they touch different parts.

Run by `make test-faults` (FAULT_MINUTES=, FAULT_SEED=).
"""

import asyncio
import os
import time

import pytest

from tests.faults import report
from tests.faults.conftest import Scenes
from tests.faults.scene import Scene

MINUTES = float(os.environ.get("FAULT_MINUTES") or 5)
#: No update may wait for longer after the last fault is over.
LIMIT_SECONDS = 10.0
RATE = 100.0


@pytest.mark.timeout(MINUTES * 60 + 420)
async def test_nothing_is_lost_in_minutes_of_faults(scenes: Scenes) -> None:
    async with scenes(hubs=3, webs=2, views=12, browser=2) as found:
        async with found.writing(RATE):
            await at_random(found, MINUTES * 60)
        settled = await found.finish(LIMIT_SECONDS)
        result = report.write(found, [settled])
        assert not result["problems"]
        assert not settled.wrong, f"FAULT_SEED={found.seed}"
        assert settled.largest <= LIMIT_SECONDS, f"FAULT_SEED={found.seed}"
        assert found.backward == [], f"FAULT_SEED={found.seed}"


async def at_random(scene: Scene, seconds: float, at_once: int = 2, *, starts: bool = True) -> None:
    """Faults for so long; all are over on return. `starts`: also those that restart a program."""
    until = time.monotonic() + seconds
    playing: dict[asyncio.Task[None], frozenset[str]] = {}
    while time.monotonic() < until:
        busy = frozenset().union(*playing.values())
        free = [kind for kind in scene.kinds if not kind.touches & busy and (starts or not kind.starts)]
        if len(playing) < at_once and free:
            fault = scene.chance.choice(free)
            playing[asyncio.create_task(scene.play(fault))] = fault.touches
        await asyncio.sleep(scene.chance.uniform(0.2, 2.0))
        playing = {task: touches for task, touches in playing.items() if not task.done()}
    await asyncio.gather(*playing)
