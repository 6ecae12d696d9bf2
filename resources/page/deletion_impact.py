"""What goes with an object: every object of a definition's kind, everything in a namespace, what an instance or a
workload owns.

For the page that asks before it is deleted. Only metadata is read, in chunks, and no more than
limits.DELETED_OBJECTS of it: beyond that the server's own number holds.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources.kinds import Kind, Panel
from resources.page.contents import contents
from resources.page.owned_impact import impact
from resources.place import Place
from resources.state.health import mapping, text
from resources.tree.owners import types_below
from resources.types.manager import Manager, definition_owner

_CHUNK = 500
_NAMED = 8
_NAMESPACES = 20


@dataclass(frozen=True, slots=True)
class Held:
    """An object that waits for its finalizers before it goes."""

    place: Place
    finalizers: tuple[str, ...]
    waits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Instances:
    """`read`: how many of `total` were checked.

    `namespaces`: those with most first, `others`: how many more namespaces.

    `held`: the first with finalizers, of `holding`. `problem`: why they couldn't be read; the definition can be deleted
    all the same.
    """

    type: ResourceType | None
    total: int = 0
    read: int = 0
    namespaces: tuple[tuple[str, int], ...] = ()
    others: int = 0
    held: tuple[Held, ...] = ()
    holding: int = 0
    owner: Manager | None = None
    problem: str = ""


def deletion_impact(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Panel | None:
    """None for kinds that take nothing along."""
    if make := _MAKERS.get((type_.group, type_.kind)):
        return make(client, type_, obj)
    if not types_below(client, type_, namespace_of(obj)):
        return None
    return Panel("going", "resources/_going_owned.html", impact(client, type_, obj))


def _definition(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Panel:
    return Panel("going", "resources/_going_definition.html", instances(client, obj))


def _namespace(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Panel:
    return Panel("going", "resources/kinds/_contents.html", contents(client, name_of(obj)))


def instances(client: ClusterClient, definition: KubeObject) -> Instances:
    """All objects of the kind that the definition defines, whatever the namespace."""
    spec = mapping(definition.get("spec"))
    brought = definition_owner(client, definition)
    try:
        type_ = client.find(text(spec.get("group")), "", text(mapping(spec.get("names")).get("plural")))
    except KubeError:
        return Instances(type=None, owner=brought)  # not served: there are none that could be seen
    where: Counter[str] = Counter()
    held: list[Held] = []
    read, total, holding, token = 0, 0, 0, ""
    try:
        while True:
            table = client.table(type_, limit=_CHUNK, continue_=token, whole=True)
            for row in table.rows:
                metadata = mapping(row.object.get("metadata"))
                namespace = namespace_of(row.object)
                where[namespace] += 1
                if finalizers := metadata.get("finalizers"):
                    holding += 1
                    if len(held) < _NAMED and isinstance(finalizers, list):
                        names = tuple(text(finalizer) for finalizer in finalizers)
                        place = Place(type_, namespace, name_of(row.object))
                        held.append(Held(place, names, bool(metadata.get("deletionTimestamp"))))
            read += len(table.rows)
            total, token = read + (table.remaining or 0), table.continue_
            if not token or read >= limits.DELETED_OBJECTS.value:
                break
    except KubeError as error:
        return Instances(type=type_, total=total, read=read, owner=brought, problem=str(error))
    most = tuple((name, number) for name, number in where.most_common(_NAMESPACES) if name)
    others = max(0, len(where) - _NAMESPACES)
    return Instances(
        type=type_,
        total=total,
        read=read,
        namespaces=most,
        others=others,
        held=tuple(held),
        holding=holding,
        owner=brought,
    )


_MAKERS: dict[Kind, Callable[[ClusterClient, ResourceType, KubeObject], Panel]] = {
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _definition,
    ("", "Namespace"): _namespace,
}
