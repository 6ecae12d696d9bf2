"""One kind of fault, many times: FAULT=words of its name, FAULT_TIMES=. To find updates that are rarely lost."""

import os

import pytest

from tests.faults.conftest import Scenes


@pytest.mark.timeout(900)
async def test_nothing_is_lost(scenes: Scenes) -> None:
    async with scenes(hubs=2, webs=2, views=6, browser=0) as found:
        faults = [kind for kind in found.kinds if os.environ.get("FAULT", "") in kind.name]
        for _ in range(int(os.environ.get("FAULT_TIMES") or 10)):
            async with found.writing(80.0):
                await found.play(found.chance.choice(faults))
            settled = await found.settle(15.0)
            assert not settled.wrong, f"FAULT_SEED={found.seed}"
