"""A Pod's page: its containers, where it runs and what it mounts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, namespace_of
from resources.kinds import Kind, Maker, Panel
from resources.kinds.containers import facts_of
from resources.kinds.parts import Cell, Table, facts, label, line, lines, see, table
from resources.kinds.volumes import volumes
from resources.state.health import items, mapping, text

_PARTS = (
    ("initContainers", "initContainerStatuses", "init"),
    ("containers", "containerStatuses", ""),
    ("ephemeralContainers", "ephemeralContainerStatuses", "ephemeral"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodContainer:
    """`state`: running, waiting or terminated, with the reason.

    `init`: it runs before the others; `role`: init, sidecar, ephemeral or ''.
    `facts`: what its spec says.
    """

    name: str
    image: str
    state: str
    colour: str
    ready: bool
    restarts: int
    init: bool
    last: str
    role: str = ""
    facts: tuple[tuple[str, Cell], ...] = ()


def panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("pod", _("Pod"), _facts(client, obj))
    if found := containers(obj, client):
        yield Panel("containers", "resources/kinds/_containers.html", found, wide=True)
    if rows := volumes(client, obj.get("spec"), namespace_of(obj)):
        yield table("volumes", Table(title=_("Volumes"), columns=(_("Name"), _("Kind"), _("Source")), rows=rows))
    if rows := tolerations(obj):
        yield table(
            "tolerations",
            Table(title=_("Tolerations"), columns=(_("Taint"), _("Effect"), _("Tolerated for")), rows=rows),
        )


def _facts(client: ClusterClient, obj: KubeObject) -> Iterable[tuple[str, Cell]]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    yield _("Node"), see(client, "", "Node", spec.get("nodeName"))
    yield (
        _("Pod IP"),
        lines(text(entry.get("ip")) for entry in items(status.get("podIPs"))) or line(status.get("podIP")),
    )
    yield _("Host IP"), line(status.get("hostIP"))
    yield _("Quality of service"), line(status.get("qosClass"))
    yield _("Service account"), see(client, "", "ServiceAccount", spec.get("serviceAccountName"), namespace_of(obj))
    yield _("Restart policy"), line(spec.get("restartPolicy"))
    yield _("Priority class"), see(client, "scheduling.k8s.io", "PriorityClass", spec.get("priorityClassName"))
    yield _("Grace period"), line(_seconds(spec.get("terminationGracePeriodSeconds")))
    yield _("Uses the node's network"), label(_("Yes"), "orange") if spec.get("hostNetwork") is True else ()
    yield _("Node selector"), lines(f"{key}={text(value)}" for key, value in mapping(spec.get("nodeSelector")).items())
    yield (
        _("Image pull secrets"),
        tuple(
            bit
            for entry in items(spec.get("imagePullSecrets"))
            for bit in see(client, "", "Secret", entry.get("name"), namespace_of(obj))
        ),
    )


def _seconds(value: Any) -> str:
    return f"{value} s" if isinstance(value, int) and not isinstance(value, bool) else ""


def containers(obj: KubeObject, client: ClusterClient | None = None) -> tuple[PodContainer, ...]:
    """Of a Pod, in the order of its spec; init containers first. With a client, also what their specs say."""
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    found: list[PodContainer] = []
    for part, states, role in _PARTS:
        by_name = {text(entry.get("name")): entry for entry in items(status.get(states))}
        for entry in items(spec.get(part)):
            # An init container that is restarted is a sidecar: it runs beside the others.
            what = "sidecar" if role == "init" and text(entry.get("restartPolicy")) == "Always" else role
            container_facts = tuple(facts_of(client, entry, namespace_of(obj))) if client else ()
            found.append(_container(entry, by_name.get(text(entry.get("name")), {}), what, container_facts))
    return tuple(found)


def _container(
    spec: Mapping[str, Any], status: Mapping[str, Any], role: str, container_facts: tuple[tuple[str, Cell], ...]
) -> PodContainer:
    state, colour = _state(mapping(status.get("state")))
    last, _colour = _state(mapping(status.get("lastState")))
    restarts = status.get("restartCount")
    return PodContainer(
        name=text(spec.get("name")),
        image=text(spec.get("image")),
        state=state or "waiting",
        colour=colour,
        ready=status.get("ready") is True,
        restarts=restarts if isinstance(restarts, int) else 0,
        init=role == "init",
        last=last,
        role=role,
        facts=tuple(fact for fact in container_facts if fact[1]),
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


def tolerations(obj: KubeObject) -> tuple[tuple[Cell, ...], ...]:
    """Which taints of nodes it puts up with."""
    return tuple(
        (
            line(_taint(entry)),
            line(text(entry.get("effect")) or _("any effect")),
            line(_seconds(entry.get("tolerationSeconds")) or _("always")),
        )
        for entry in items(mapping(obj.get("spec")).get("tolerations"))
    )


def _taint(entry: Mapping[str, Any]) -> str:
    key = text(entry.get("key"))
    if not key:
        return _("any taint")
    return f"{key}={text(entry.get('value'))}" if text(entry.get("operator")) in ("", "Equal") else key


PANELS: dict[Kind, Maker] = {("", "Pod"): panels}
