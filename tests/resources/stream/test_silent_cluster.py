"""O16: the banner of open pages says once that a cluster is silent."""

import asyncio
from typing import cast

import pytest

from resources.changes import ChangeLog, HubState
from resources.stream.health import HealthWatch, PartHealth

_UNREACHABLE = "The API server does not answer: it took too long."


class _Log:
    """Redis as it is when all is well, and a worker that can't reach the API server."""

    async def hubs(self, _cluster: str) -> list[HubState]:
        return [HubState(id="worker", problem=_UNREACHABLE)]

    async def full(self) -> bool:
        return False


async def _states(seconds: float) -> dict[str, PartHealth]:
    """The first state of each part, after the API server has been silent for `seconds`."""
    states: dict[str, PartHealth] = {}
    complete = asyncio.Event()

    def record(state: PartHealth) -> None:
        states[state.part] = state
        if {"redis", "worker", "cluster", "api"} <= states.keys():
            complete.set()

    async def nothing() -> None:
        return None

    watch = HealthWatch(cast(ChangeLog, _Log()), record, nothing, lambda: {""}, lambda _cluster: seconds)
    run = asyncio.create_task(watch.run())
    await asyncio.wait_for(complete.wait(), 5)
    run.cancel()
    return states


@pytest.mark.parametrize("seconds", [0.0, 30.0])
def test_a_silent_cluster_is_said_once(seconds: float) -> None:
    states = asyncio.run(_states(seconds))
    silent = bool(seconds)
    assert states["api"].ready is not silent
    # The worker's words count only where the API server answers the console: then they have a cause of their own.
    assert (states["cluster"].ready, states["cluster"].detail) == ((True, "") if silent else (False, _UNREACHABLE))
