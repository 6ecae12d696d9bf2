"""Volumes of a Pod, with links to what they are made of; and which Pods use a Secret, a ConfigMap or a claim."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.objects import KubeObject, name_of
from resources.kinds import Panel
from resources.kinds.parts import Cell, Table, line, more_note, see, some, state, table
from resources.state.health import items, mapping, text
from resources.state.kind_health import health

# The volume's field, what it is called, and where the object's name stands in it.
_OBJECTS = {
    "configMap": ("ConfigMap", "name"),
    "secret": ("Secret", "secretName"),
    "persistentVolumeClaim": ("PersistentVolumeClaim", "claimName"),
}


def volumes(client: ClusterClient, spec: Any, namespace: str) -> tuple[tuple[Cell, ...], ...]:
    """Rows of name, kind and origin, in the order of the Pod's spec."""
    return tuple(_volume(client, entry, namespace) for entry in items(mapping(spec).get("volumes")))


def _volume(client: ClusterClient, entry: Mapping[str, Any], namespace: str) -> tuple[Cell, ...]:
    kind = next((key for key in entry if key != "name"), "emptyDir")
    source = mapping(entry.get(kind))
    if kind in _OBJECTS:
        what, field = _OBJECTS[kind]
        return line(entry.get("name")), line(what), see(client, "", what, source.get(field), namespace)
    if kind == "projected":
        parts = tuple(bit for part in items(source.get("sources")) for bit in _projected(client, part, namespace))
        return line(entry.get("name")), line(_("projected")), parts
    words = {
        "hostPath": text(source.get("path")),
        "emptyDir": ", ".join(filter(None, (text(source.get("medium")), text(source.get("sizeLimit"))))),
        "csi": text(source.get("driver")),
        "nfs": f"{text(source.get('server'))}:{text(source.get('path'))}",
        "image": text(source.get("reference")),
    }.get(kind, "")
    return line(entry.get("name")), line(kind), line(words)


def _projected(client: ClusterClient, part: Mapping[str, Any], namespace: str) -> Cell:
    for kind, field in (("ConfigMap", "configMap"), ("Secret", "secret")):
        if found := mapping(part.get(field)):
            name = text(found.get("name"))
            return see(client=client, group="", kind=kind, name=name, namespace=namespace, words=f"{kind} {name}")
    if "serviceAccountToken" in part:
        return line(_("service account token"))
    return line(_("Pod metadata (downward API)")) if "downwardAPI" in part else line(next(iter(part), ""))


def users(client: ClusterClient, kind: str, name: str, namespace: str) -> Panel:
    """The Pods of the namespace that mount it, take variables from it, or pull their image with it."""
    found = some(client, "", "Pod", namespace)
    rows = tuple(
        (see(client, "", "Pod", name_of(pod), namespace), state(health(pod)), line(", ".join(ways)))
        for pod in found.items
        if (ways := tuple(dict.fromkeys(uses(pod, kind, name))))
    )
    title, columns = _("Used by Pods"), (_("Pod"), _("State"), _("Usage"))
    empty = _("No existing Pods use this object.")
    return table(
        "users",
        Table(title=title, columns=columns, rows=rows, note=more_note(found), problem=found.problem, empty=empty),
        wide=True,
    )


def uses(pod: KubeObject, kind: str, name: str) -> Iterator[str]:
    """How a Pod uses it, a few words for each way; none for a Pod that does not."""
    spec = mapping(pod.get("spec"))
    for entry in items(spec.get("volumes")):
        field, key = {what: (field, key) for field, (what, key) in _OBJECTS.items()}[kind]
        own = text(mapping(entry.get(field)).get(key)) == name
        parts = items(mapping(entry.get("projected")).get("sources"))
        if own or any(text(mapping(part.get(field)).get("name")) == name for part in parts):
            yield _("volume %(name)s") % {"name": text(entry.get("name"))}
    if kind == "PersistentVolumeClaim":
        return
    word = "secret" if kind == "Secret" else "configMap"
    for container in _containers(spec):
        direct = (
            mapping(mapping(entry.get("valueFrom")).get(f"{word}KeyRef")) for entry in items(container.get("env"))
        )
        whole = (mapping(entry.get(f"{word}Ref")) for entry in items(container.get("envFrom")))
        if any(text(item.get("name")) == name for item in (*direct, *whole)):
            yield _("environment of container %(name)s") % {"name": text(container.get("name"))}
    if kind == "Secret" and any(text(entry.get("name")) == name for entry in items(spec.get("imagePullSecrets"))):
        yield _("image pull secret")


def _containers(spec: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    for part in ("initContainers", "containers"):
        yield from items(spec.get(part))
