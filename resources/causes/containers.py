"""A Pod's containers as its status has them.
https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-states
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resources.causes.evidence import Item
from resources.state.health import items, mapping, number, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """state.terminated or lastState.terminated."""

    reason: str
    message: str
    exit_code: int
    signal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerState:
    """`waiting`, `why`: state.waiting's reason and message. `ended`: how it ended, now or the time before, None if it
    never did.
    """

    name: str
    image: str
    waiting: str
    why: str
    ended: Ended | None
    is_running: bool
    started: str
    restarts: int
    ready: bool
    spec: Mapping[str, Any]


def containers(item: Item) -> tuple[ContainerState, ...]:
    """Init containers first."""
    spec, status = item.spec, item.status
    specs = {
        text(container.get("name")): container
        for part in ("initContainers", "containers")
        for container in items(spec.get(part))
    }
    return tuple(
        _container(container_status, specs.get(text(container_status.get("name")), {}))
        for part in ("initContainerStatuses", "containerStatuses")
        for container_status in items(status.get(part))
    )


def label(item: Item, container: ContainerState) -> str:
    """The subject of a sentence about a container, which is named where the Pod has several."""
    spec = item.spec
    several = len(items(spec.get("containers"))) + len(items(spec.get("initContainers"))) > 1
    return f"{item.subject} ({container.name})" if several and container.name else item.subject


def since(item: Item) -> str:
    """Since when the Pod has not been ready."""
    ready = item.condition("ContainersReady") or item.condition("Ready")
    return (ready.changed if ready is not None and ready.status != "True" else "") or item.created


def _container(status: Mapping[str, Any], spec: Mapping[str, Any]) -> ContainerState:
    state, last = mapping(status.get("state")), mapping(status.get("lastState"))
    waiting, running = mapping(state.get("waiting")), mapping(state.get("running"))
    ended = mapping(state.get("terminated")) or mapping(last.get("terminated"))
    return ContainerState(
        name=text(status.get("name")),
        image=text(spec.get("image")) or text(status.get("image")),
        waiting=text(waiting.get("reason")),
        why=text(waiting.get("message")),
        ended=_ended(ended) if ended else None,
        is_running="running" in state,
        started=text(running.get("startedAt")),
        restarts=number(status.get("restartCount")),
        ready=status.get("ready") is True,
        spec=spec,
    )


def _ended(value: Mapping[str, Any]) -> Ended:
    return Ended(
        reason=text(value.get("reason")),
        message=text(value.get("message")),
        exit_code=number(value.get("exitCode")),
        signal=number(value.get("signal")),
    )
