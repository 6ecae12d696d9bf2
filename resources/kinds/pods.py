"""A Pod's page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from resources.health import items, mapping, text
from resources.kinds import Kind, Maker, Panel


@dataclass(frozen=True, slots=True)
class Container:
    """`state`: running, waiting or terminated, with the reason; `init`: it runs before the others."""

    name: str
    image: str
    state: str
    colour: str
    ready: bool
    restarts: int
    init: bool
    last: str


def panels(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    if found := containers(obj):
        yield Panel("containers", "resources/kinds/_containers.html", found)


def containers(obj: KubeObject) -> tuple[Container, ...]:
    """Of a Pod, in the order of its spec; init containers first."""
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    found: list[Container] = []
    for part, states, init in (
        ("initContainers", "initContainerStatuses", True),
        ("containers", "containerStatuses", False),
    ):
        by_name = {text(entry.get("name")): entry for entry in items(status.get(states))}
        found += (_container(entry, by_name.get(text(entry.get("name")), {}), init) for entry in items(spec.get(part)))
    return tuple(found)


def _container(spec: Mapping[str, Any], status: Mapping[str, Any], init: bool) -> Container:
    state, colour = _state(mapping(status.get("state")))
    last, _ = _state(mapping(status.get("lastState")))
    restarts = status.get("restartCount")
    return Container(
        name=text(spec.get("name")),
        image=text(spec.get("image")),
        state=state or "waiting",
        colour=colour,
        ready=status.get("ready") is True,
        restarts=restarts if isinstance(restarts, int) else 0,
        init=init,
        last=last,
    )


def _state(state: Mapping[str, Any]) -> tuple[str, str]:
    if "running" in state:
        return "running", "green"
    for word in ("waiting", "terminated"):
        entry = mapping(state.get(word))
        if not entry:
            continue
        code = entry.get("exitCode")
        parts = [word, text(entry.get("reason")), f"exit code {code}" if isinstance(code, int) and code else ""]
        good = text(entry.get("reason")) in ("ContainerCreating", "PodInitializing", "Completed")
        return ": ".join(part for part in (parts[0], ", ".join(filter(None, parts[1:]))) if part), "" if good else "red"
    return "", ""


PANELS: dict[Kind, Maker] = {("", "Pod"): panels}
