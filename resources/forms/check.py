"""Everything that is wrong with an object, at once and in the API server's words, before anything is sent.

The checks are `structural`'s, which the sandbox uses too. Nothing is reported that the server would accept: defaults
fill what is required, what an update does not touch is forgiven, status is its controller's, and where the server's own
code decides (built-in kinds) only what it can't do without is asked for. CEL is left to the server's dry run
(docs/decisions/0008).

A custom resource is checked by the schema as its definition has it. The API server's OpenAPI document adds what every
object has (apiVersion, kind, metadata; in embedded resources too), which the server itself checks by other rules:
apiextensions-apiserver, pkg/controller/openapi/builder.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from kube.discovery import KUBERNETES_GROUPS
from resources.forms import errors
from resources.forms.errors import Placed
from resources.forms.paths import Path, words
from resources.forms.schema import Node, Schema
from structural import metadata
from structural.causes import Fault, FieldCause
from structural.nodes import Family, SchemaNode
from structural.prepare import examine
from structural.validate import validate
from structural.words import REQUIRED

_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_TYPE_META = ("apiVersion", "kind")
#: Prepared schemas in memory; the client keeps as many documents.
_KEPT = 12
_NODES: OrderedDict[int, tuple[Any, SchemaNode]] = OrderedDict()
#: How names of built-in kinds are held to be; of all others only what no path can say is refused.
_NAMES = {
    **dict.fromkeys(("Namespace", "Service", "StatefulSet"), "label"),
    **dict.fromkeys(
        (
            "ConfigMap",
            "CronJob",
            "DaemonSet",
            "Deployment",
            "Ingress",
            "Job",
            "NetworkPolicy",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Pod",
            "ReplicaSet",
            "Secret",
            "ServiceAccount",
            "StorageClass",
        ),
        "subdomain",
    ),
}
#: Required texts of built-in kinds that may be empty, which Go takes for absent.
_MAY_BE_EMPTY = frozenset({"value"})


def problems(schema: Schema, obj: dict[str, Any], old: dict[str, Any] | None = None) -> tuple[Placed, ...]:
    """What the API server would find; `old` is the stored object of an update.

    In the order of the fields' names, as it lists them.
    """
    node = node_of(schema)
    if node is None:
        return ()
    given = _copy(obj)
    found = examine(node, given)
    causes = list(_metadata(node, given, old, found.faults))
    given.pop("status", None)
    before = {name: value for name, value in old.items() if name != "status"} if old is not None else None
    causes += validate(node, given, before, rules=False)
    if node.family.builtin:
        causes = [cause for cause in causes if cause.field.startswith("metadata") or _certain(node, cause, schema, obj)]
    unknown = [(place, "", f'unknown field "{place}"') for place in found.unknown]
    return (*_faulty(found.faults, schema, obj), *errors.place_causes([*unknown, *causes], schema, obj))


def node_of(schema: Schema) -> SchemaNode | None:
    """The prepared schema, kept as long as the document is in use; None where the server publishes none."""
    if not schema.root:
        return None
    key = id(schema.root)
    found = _NODES.get(key)
    if found is None or found[0] is not schema.root:
        custom = _is_custom_resource(schema.root, schema.components)
        root = _written_schema(schema.root) if custom else dict(schema.root)
        family = Family(root, {} if custom else schema.components)
        found = _NODES[key] = (schema.root, family.node(root))
        while len(_NODES) > _KEPT:
            _NODES.popitem(last=False)
    _NODES.move_to_end(key)
    return found[1]


def _metadata(
    node: SchemaNode, obj: dict[str, Any], old: dict[str, Any] | None, faults: list[Fault]
) -> Iterator[FieldCause]:
    given = obj.get("metadata")
    if not isinstance(given, dict) or any(fault.place[0] == "metadata" for fault in faults):
        return
    if old is None:
        rule = _NAMES.get(str(obj.get("kind")), "path") if node.family.builtin else "subdomain"
        yield from metadata.given_names(given, rule)
    yield from metadata.shape_causes(given, "metadata")


def _certain(node: SchemaNode, cause: FieldCause, schema: Schema, obj: dict[str, Any]) -> bool:
    """Of built-in kinds Go's decoder says what has the wrong type, and makes up what is absent: only texts are
    surely missed.
    """
    path = errors.path_of(cause.field, schema, obj)
    found = _at(node, path)
    texts = found is not None and found.types == ("string",)
    return cause.reason == REQUIRED and texts and path[-1] not in _MAY_BE_EMPTY


def _at(node: SchemaNode, path: Path) -> SchemaNode | None:
    found: SchemaNode | None = node
    for part in path:
        if found is None:
            return None
        found = found.items if isinstance(part, int) else found.child(part)
    return found


def _faulty(faults: list[Fault], schema: Schema, obj: dict[str, Any]) -> Iterator[Placed]:
    for fault in faults:
        first, *rest = fault.place
        path = (*errors.path_of(str(first), schema, obj), *rest)
        yield Placed(path, words(path), fault.text)


def _copy(value: Any) -> Any:
    """Deep, of JSON: several times as quick as copy.deepcopy."""
    if isinstance(value, dict):
        return {name: _copy(inner) for name, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


def _is_custom_resource(root: Node, components: Mapping[str, Any]) -> bool:
    """Whether the document is of a kind with a CustomResourceDefinition.

    Kinds of aggregated servers are as good as built in: their servers' code decides.
    """
    if any(not name.startswith(_META) for name in components):
        return False
    kinds = root.get("x-kubernetes-group-version-kind")
    group = str(kinds[0].get("group") or "") if isinstance(kinds, list) and kinds else None
    return group is None or ("." in group and group not in KUBERNETES_GROUPS)


def _written_schema(root: Node) -> dict[str, Any]:
    """The schema without what publishing added. Parts without embedded resources are the same objects as before."""
    made = {name: value for name, value in _embedded(root).items() if name != "components"}
    own = {name: value for name, value in (made.get("properties") or {}).items() if name not in _TYPE_META}
    if "metadata" in own:
        own["metadata"] = {"type": "object"}
    return {**made, "properties": own}


def _embedded(node: Any) -> Any:
    """`node` with what publishing gave to embedded resources taken back."""
    if not isinstance(node, Mapping):
        return node
    changed: dict[str, Any] = {}
    properties = node.get("properties")
    if isinstance(properties, Mapping):
        made = {name: _embedded(inner) for name, inner in properties.items()}
        if node.get("x-kubernetes-embedded-resource"):
            made = {name: inner for name, inner in made.items() if name not in (*_TYPE_META, "metadata")}
        if any(made.get(name) is not inner for name, inner in properties.items()):
            changed["properties"] = made
    for name in ("items", "additionalProperties"):
        inner = node.get(name)
        if isinstance(inner, Mapping) and (made_ := _embedded(inner)) is not inner:
            changed[name] = made_
    if node.get("x-kubernetes-embedded-resource"):
        changed["required"] = [name for name in node.get("required") or () if name not in _TYPE_META]
    return {**node, **changed} if changed else node
