"""What is wrong with an object, by field: what the API server says, and what we find before anything is sent.

The server writes `spec.users[0].name`, `metadata.labels`, `data[tls.crt]`, and for maps of custom resources also
`spec.config.maxmemory-policy`: a dot may be part of a key. So the object itself is walked, longest key first. Where the
server names no field, or only the map around an entry, its sentence says more: numbers out of range, unions, labels.

Our check (object_problems) finds everything at once, in the API server's words. Its rules are `structural`'s, which the
sandbox uses too. Nothing is reported that the server would accept: defaults fill what is required, what an update does
not touch is forgiven, status is its controller's, and where the server's own code decides (built-in kinds) only what it
can't do without is asked for. CEL is left to the server's dry run (docs/decisions/0008).

A custom resource is checked by the schema as its definition has it. The API server's OpenAPI document adds what every
object has (apiVersion, kind, metadata; in embedded resources too), which the server itself checks by other rules:
apiextensions-apiserver, pkg/controller/openapi/builder.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from kube.discovery import is_custom
from resources.forms.fields import FormField
from resources.forms.paths import Path, words
from resources.forms.schema import Identity, Node, Schema
from structural import metadata
from structural.causes import Fault, FieldCause
from structural.nodes import Family, SchemaNode
from structural.prepare import examine
from structural.validate import validate
from structural.words import REQUIRED
from untrusted import json_bounds

_STEP = re.compile(r"^\[([^\]]*)\]|^\.?([^.\[]+)")
#: Sentences of which the field is "<nil>".
_FIELD_IN_SENTENCE = (
    re.compile(r"Checked value must be of type \S+ (?:with format \S+|\(default format\)) in (?P<where>.+)$"),
    re.compile(r'^Invalid value: (?:"": )?"(?P<where>[^"]+)" must (?:not )?validate '),
)
_SHOWN = re.compile(r'^Invalid value: ("(?:[^"\\]|\\.)*")')
_ABOUT_KEYS = re.compile("name part|prefix part|label key")
_FORBIDDEN = re.compile(r"(?<!\S)(?P<where>\S+) in body is a forbidden property$")

_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_TYPE_META = ("apiVersion", "kind")
#: Prepared schemas in memory; the client keeps as many documents.
_KEPT_NODES = 12
#: How names of built-in kinds are held to be; of all others only what no path can say is refused.
_NAME_RULES = {
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


@dataclass(frozen=True, slots=True)
class Placed:
    """One complaint.

    `where` is the server's own word for the field; `key`: it is about the key of a map's entry, not its value.
    """

    path: Path
    where: str
    message: str
    key: bool = False


def path_of(where: str, schema: Schema, obj: Any) -> Path:
    """The path that the server's words mean, as far as it can be followed; then its parts as they are written."""
    node: Node = schema.node(schema.root)
    path: Path = ()
    value, rest = obj, where
    while rest:
        key = _known(rest, node, value)
        if key is not None:
            rest = rest.removeprefix(".")[len(key) :]
        else:
            match = _STEP.match(rest)
            if match is None:
                break
            key = match[1] if match[1] is not None else match[2]
            rest = rest[match.end() :]
        step: str | int = key
        if isinstance(value, list) or (node.get("type") == "array"):
            if key.isdigit():
                step = int(key)
            node = schema.items(node)
            value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
        else:
            key = key.strip("\"'") if isinstance(value, dict) and key not in value else key
            step = key
            node = schema.child(node, key)
            value = value.get(key) if isinstance(value, dict) else None
        path = (*path, step)
    return path


def _known(rest: str, node: Node, value: Any) -> str | None:
    """The longest key of the object or the schema that `rest` begins with."""
    if rest.startswith("["):
        return None
    plain = rest.removeprefix(".")
    names = [*(value if isinstance(value, dict) else ()), *(node.get("properties") or ())]
    fitting = [
        name
        for name in names
        if name and plain.startswith(name) and (len(plain) == len(name) or plain[len(name)] in ".[")
    ]
    return max(fitting, key=len, default=None)


def place_causes(causes: Iterable[tuple[str, str, str]], schema: Schema, obj: Any) -> tuple[Placed, ...]:
    """The causes (field, reason, message) with their paths; one for each field and message."""
    found: dict[tuple[Path, str], Placed] = {}
    for where, _reason, message in causes:
        clean = _field(where, message)
        placed = Placed(path_of(clean, schema, obj) if clean else (), clean, message)
        placed = _entry(placed, obj)
        found.setdefault((placed.path, message), placed)
    return tuple(found.values())


def joined(reported: tuple[Placed, ...], known: tuple[Placed, ...]) -> tuple[Placed, ...]:
    """The server's errors, and those of our checks that it didn't report: it stops at unknown fields, and at what it
    can't decode.
    """
    there = {(error.path, error.message) for error in reported}
    return (*reported, *(error for error in known if (error.path, error.message) not in there))


def _field(where: str, message: str) -> str:
    """The field in the server's words, from its sentence where it gives none."""
    if where not in ("<nil>", ""):
        forbidden = _FORBIDDEN.search(message)
        return forbidden["where"] if forbidden else where
    for named in _FIELD_IN_SENTENCE:
        if found := named.search(message):
            return found["where"].removeprefix(".").removeprefix("<nil>")
    return ""


def _entry(placed: Placed, obj: Any) -> Placed:
    """Labels and annotations are refused as a whole; the sentence shows the key or the value that is wrong."""
    shown = _SHOWN.match(placed.message)
    if shown is None or not placed.path or placed.path[-1] not in ("labels", "annotations"):
        return placed
    found = value_at(obj, placed.path)
    text = _unquoted(shown[1])
    if not isinstance(found, dict):
        return placed
    about_key = bool(_ABOUT_KEYS.search(placed.message)) and text in found
    keys = [text] if about_key else [key for key, value in found.items() if value == text]
    return Placed((*placed.path, keys[0]), placed.where, placed.message, about_key) if keys else placed


def _unquoted(text: str) -> str:
    try:
        return str(json_bounds.loads(text))
    except ValueError:  # Go writes \x07 and \U0001f600 where JSON does not
        return text[1:-1]


def value_at(obj: Any, path: Path) -> Any:
    """What stands there; None for nothing."""
    for part in path:
        if isinstance(obj, dict):
            obj = obj.get(part)
        elif isinstance(obj, list) and isinstance(part, int) and part < len(obj):
            obj = obj[part]
        else:
            return None
    return obj


def by_path(placed: Iterable[Placed]) -> dict[Path, str]:
    """The words at each field; several are joined. What is about keys is in `by_key`."""
    return _joined(error for error in placed if not error.key)


def by_key(placed: Iterable[Placed]) -> dict[Path, str]:
    """The words at the keys of maps."""
    return _joined(error for error in placed if error.key)


def _joined(placed: Iterable[Placed]) -> dict[Path, str]:
    found: dict[Path, list[str]] = {}
    for error in placed:
        found.setdefault(error.path, []).append(error.message)
    return {path: "; ".join(messages) for path, messages in found.items()}


def shown(fields: Iterable[FormField]) -> Mapping[Path, FormField]:
    """Every field on the page by its path: what an error can be linked to."""
    found: dict[Path, FormField] = {}
    stack = list(fields)
    while stack:
        field = stack.pop()
        found[field.path] = field
        stack += field.children
    return found


def nearest(path: Path, on_page: Mapping[Path, FormField]) -> FormField | None:
    """The field itself, or the section it is in; None if neither is on the page."""
    while path:
        if path in on_page:
            return on_page[path]
        path = path[:-1]
    return None


def landed(placed: Iterable[Placed], on_page: Mapping[Path, FormField]) -> tuple[Placed, ...]:
    """The same, each at a field that the page has: what is inside a YAML box, or unknown to the schema, at what is
    around it, by name.

    A page made with these says every one of them at a field; what nothing on it stands for keeps its path, and is in
    the summary only.
    """
    moved = []
    for error in placed:
        field = nearest(error.path, on_page)
        exact = field is not None and field.path == error.path and (not error.key or field.is_entry or field.position)
        if field is None or exact:
            moved.append(error)
            continue
        about = words(error.path)
        message = error.message if about in error.message else f"{about}: {error.message}"
        moved.append(Placed(field.path, error.where, message))
    return tuple(moved)


def object_problems(schema: Schema, obj: dict[str, Any], old: dict[str, Any] | None = None) -> tuple[Placed, ...]:
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
    return (*_faulty(found.faults, schema, obj), *place_causes([*unknown, *causes], schema, obj))


def node_of(schema: Schema) -> SchemaNode | None:
    """The prepared schema, kept as long as the document is in use; None where the server publishes none."""
    if not schema.root:
        return None
    return _prepared(schema)


@cached(LRUCache(_KEPT_NODES), key=lambda schema: Identity(schema.root), lock=Lock())
def _prepared(schema: Schema) -> SchemaNode:
    custom = _is_custom_resource(schema.root, schema.components)
    root = _written_schema(schema.root) if custom else dict(schema.root)
    family = Family(root, {} if custom else schema.components)
    return family.node(root)


def _metadata(
    node: SchemaNode, obj: dict[str, Any], old: dict[str, Any] | None, faults: list[Fault]
) -> Iterator[FieldCause]:
    given = obj.get("metadata")
    if not isinstance(given, dict) or any(fault.place[0] == "metadata" for fault in faults):
        return
    if old is None:
        rule = _NAME_RULES.get(str(obj.get("kind")), "path") if node.family.builtin else "subdomain"
        yield from metadata.given_names(given, rule)
    yield from metadata.shape_causes(given, "metadata")


def _certain(node: SchemaNode, cause: FieldCause, schema: Schema, obj: dict[str, Any]) -> bool:
    """Of built-in kinds Go's decoder says what has the wrong type, and makes up what is absent: only texts are
    surely missed.
    """
    path = path_of(cause.field, schema, obj)
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
        path = (*path_of(str(first), schema, obj), *rest)
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
    return group is None or is_custom(group)


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
