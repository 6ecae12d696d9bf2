"""A draft of an object: its initial content, how the edited object is sent to the cluster, and the API server's errors.

An existing object is never overwritten as a whole: the changes are sent as a patch with the resourceVersion that they
were compared with. Fields that the server writes (status, resourceVersion, uid, …) are never part of the changes,
whatever a text says about them.
"""

import re
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import BadRequest, Conflict, KubeError, NotFound, StatusCause
from kube.objects import SERVER_METADATA, KubeObject, name_of, namespace_of, uid_of
from resources.forms.schema import Node, Schema, kind_of
from resources.writing.diff import PLAIN, Clash, Key, Path, Shape, json_patch, merge, merges, same

_TRIES = 4
#: metadata that the server writes.
SERVERS = SERVER_METADATA
#: An API server refuses JSON patches of more operations.
_OPERATIONS = 10_000


class Clashing(Exception):
    """The same fields were changed in the cluster.

    `merged`: the live object with the draft laid over it; `theirs`: the live object.
    """

    def __init__(self, clashes: tuple[Clash, ...], merged: KubeObject, theirs: KubeObject) -> None:
        super().__init__(", ".join(words(clash.path) for clash in clashes))
        self.clashes = clashes
        self.merged = merged
        self.theirs = theirs


class ObjectGone(Exception):
    """The object that was opened is no more. `again`: whether another one of its name stands there now."""

    def __init__(self, again: bool) -> None:
        super().__init__("recreated" if again else "deleted")
        self.again = again


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was sent, over what, and what came of it. `sent` equals `live` when there was nothing to send."""

    live: KubeObject
    sent: KubeObject
    result: KubeObject


@dataclass(frozen=True, slots=True)
class _Shape:
    """A schema's node, as a merge sees it."""

    schema: Schema
    node: Node

    @property
    def keys(self) -> tuple[str, ...]:
        names = self.node.get("x-kubernetes-list-map-keys") if self.node.get("x-kubernetes-list-type") == "map" else ()
        return tuple(str(name) for name in names or ())

    @property
    def is_set(self) -> bool:
        return self.node.get("x-kubernetes-list-type") == "set"

    def child(self, name: str) -> Shape:
        return _Shape(self.schema, self.schema.child(self.node, name))

    def item(self) -> Shape:
        return _Shape(self.schema, self.schema.items(self.node))


def shape(schema: Schema | None) -> Shape:
    return _Shape(schema, schema.node(schema.root)) if schema else PLAIN


def words(path: Path) -> str:
    """As kubectl writes it: `spec.users[name=reporting].role`, `data[tls.crt]`."""
    text = ""
    for step in path:
        if isinstance(step, Key):
            text += f"[{','.join(f'{name}={value}' for name, value in step)}]"
        elif isinstance(step, int) or not step.replace("-", "").replace("_", "").isalnum():
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def begin(type_: ResourceType, namespace: str, schema: Schema, example: KubeObject | None) -> KubeObject:
    """A new object: the example without what the server writes, or the least that every object has."""
    made: dict[str, Any] = {"apiVersion": type_.api_version, "kind": type_.kind, "metadata": {}}
    root = schema.node(schema.root)
    # An example without a spec that must be there: what is missing in it is then said field by field.
    needed = example is None or "spec" in (root.get("required") or ())
    if needed and kind_of(schema.child(root, "spec")) == "object":
        made["spec"] = {}
    made |= {key: value for key, value in (example or {}).items() if key not in ("apiVersion", "kind", "status")}
    metadata = made["metadata"] if isinstance(made["metadata"], dict) else {}
    metadata = {key: value for key, value in metadata.items() if key not in (*SERVERS, "namespace")}
    made["metadata"] = {**metadata, **({"namespace": namespace} if type_.namespaced and namespace else {})}
    return made


def editable(obj: KubeObject) -> KubeObject:
    """What the form of an existing object carries: without status and managedFields, large and not editable."""
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}


def own(obj: KubeObject) -> KubeObject:
    """What people write of an object: nothing that the server keeps for itself."""
    found = obj.get("metadata")
    metadata = {key: value for key, value in (found or {}).items() if key not in SERVERS}
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}


def create(
    client: ClusterClient, type_: ResourceType, obj: KubeObject, namespace: str, *, dry_run: bool = False
) -> KubeObject:
    """Creates an object, without the fields that only a server writes: a pasted object may have them."""
    metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key not in SERVERS}
    return client.create(type_, {**obj, "metadata": metadata}, namespace, dry_run=dry_run)


def update(
    client: ClusterClient,
    type_: ResourceType,
    began: KubeObject,
    mine: KubeObject,
    schema: Schema | None = None,
    *,
    dry_run: bool = False,
) -> Outcome:
    """Sends the changes, or a dry run of them. Raises Clashing, ObjectGone, and KubeError.

    Changes of others to other fields (an operator's status among them) don't conflict.
    """
    for attempt in range(_TRIES):
        merged, found = rebase(client, type_, began, mine, schema)
        theirs = own(found)
        if same(merged, theirs):
            return Outcome(found, theirs, found)
        try:
            return Outcome(found, merged, _send(client, type_, found, merged, dry_run))
        except Conflict:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError("the last try returns or raises")


def rebase(
    client: ClusterClient, type_: ResourceType, began: KubeObject, mine: KubeObject, schema: Schema | None = None
) -> tuple[KubeObject, KubeObject]:
    """The live object with the draft's changes in it, without what the server writes, and the live object.

    Raises Clashing, ObjectGone, and KubeError.
    """
    found = live(client, type_, began)
    merged, clashes = merge(own(began), own(mine), own(found), shape(schema))
    if clashes:
        raise Clashing(clashes, with_servers(merged, found), editable(found))
    return merged, found


def live(client: ClusterClient, type_: ResourceType, began: KubeObject) -> KubeObject:
    """The object as it is now. Raises ObjectGone when it is no more the one that was opened."""
    try:
        found = client.get(type_, name_of(began), namespace_of(began))
    except NotFound as missing:
        raise ObjectGone(again=False) from missing
    if uid_of(began) and uid_of(found) != uid_of(began):
        raise ObjectGone(again=True)
    return found


def with_servers(obj: KubeObject, live: KubeObject) -> KubeObject:
    """What a person wrote, as the object of the cluster that it is about."""
    from_server = {key: value for key, value in live["metadata"].items() if key in SERVERS and key != "managedFields"}
    return {**obj, "metadata": {**obj["metadata"], **from_server}}


def _send(client: ClusterClient, type_: ResourceType, live: KubeObject, new: KubeObject, dry_run: bool) -> KubeObject:
    old, version = own(live), live["metadata"]["resourceVersion"]
    name, namespace = name_of(live), namespace_of(live)
    patch = merges(old, new)
    if patch is not None:
        patch["metadata"] = {**(patch.get("metadata") or {}), "resourceVersion": version}
        return client.patch(type_, name, patch, namespace, dry_run=dry_run)
    operations = json_patch(old, new)
    if len(operations) >= _OPERATIONS:
        operations = [op for key in {**old, **new} for op in _whole(key, old, new)]
    place = {"op": "replace", "path": "/metadata/resourceVersion", "value": version}
    return client.patch(type_, name, [*operations, place], namespace, style="json", dry_run=dry_run)


def _whole(key: str, old: KubeObject, new: KubeObject) -> list[dict[str, Any]]:
    """One part of the object as few operations."""
    if key == "metadata" or key not in new or key not in old:  # of metadata `old` has not what the server keeps there
        return json_patch({key: old[key]} if key in old else {}, {key: new[key]} if key in new else {})
    place = f"/{key.replace('~', '~0').replace('/', '~1')}"
    return [] if same(old[key], new[key]) else [{"op": "replace", "path": place, "value": new[key]}]


# Said beside the causes that it is about, of no field.
_UNFINISHED = "some validation rules were not checked because the object was invalid"
_STRICT = re.compile(r'(unknown|duplicate) field "([^"]+)"')


def refusal_causes(error: KubeError) -> tuple[StatusCause, ...]:
    """`details.causes`, and the fields that fieldValidation=Strict names in its text only. Empty when none is named."""
    if error.causes:
        if strict := [cause for cause in error.causes if cause.field == "patch" and _STRICT.search(cause.message)]:
            # A PATCH is refused with the whole object in the text; what follows it names the fields.
            return _strict(strict[0].message.rpartition(": strict decoding error: ")[2])
        finished = tuple(cause for cause in error.causes if _UNFINISHED not in cause.message)
        return finished or error.causes
    return _strict(str(error)) if isinstance(error, BadRequest) else ()


def _strict(text: str) -> tuple[StatusCause, ...]:
    return tuple(
        StatusCause(field, "FieldValueInvalid", f'{word} field "{field}"') for word, field in _STRICT.findall(text)
    )
