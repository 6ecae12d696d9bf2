"""Which containers a Pod has, and the text of one of them."""

from dataclasses import dataclass
from typing import Any

#: Lines that a page begins with; the rest is in the download.
TAILS = (100, 500, 2000, 10000)


@dataclass(frozen=True, slots=True)
class Container:
    """`restarts` above 0: there may be a log of the run before."""

    name: str
    kind: str
    state: str
    restarts: int


def containers(pod: dict[str, Any]) -> tuple[Container, ...]:
    """In the order in which people look: the ones that go on running first, then init and ephemeral ones."""
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    found = []
    for kind, key, states in (
        ("container", "containers", "containerStatuses"),
        ("init", "initContainers", "initContainerStatuses"),
        ("ephemeral", "ephemeralContainers", "ephemeralContainerStatuses"),
    ):
        told = {state.get("name"): state for state in status.get(states) or ()}
        for container in spec.get(key) or ():
            name = str(container.get("name") or "")
            state = told.get(name) or {}
            word = next(iter(state.get("state") or {}), "waiting")
            found.append(Container(name, kind, word, int(state.get("restartCount") or 0)))
    return tuple(found)
