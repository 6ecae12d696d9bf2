"""What an OpenAPI v3 schema node says, in the few words that a form needs.

References are followed one at a time, when a node is looked at: schemas of custom resource definitions refer to
themselves.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Node = Mapping[str, Any]

CONTAINERS = frozenset({"object", "array", "map"})
EMPTY: Node = {}
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
}


class Identity:
    """A value as the key of a cache: equal to itself alone, and held by the key, so that its id stays its own.

    kube.client shares its documents: what is made of one is made once.
    """

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value


@dataclass(frozen=True, slots=True)
class Schema:
    """A kind's schema with what it refers to (`components.schemas`), as kube.client gives it.

    None: the server publishes none.
    """

    root: Node
    components: Node

    @classmethod
    def from_document(cls, document: Node | None) -> "Schema":
        document = document if isinstance(document, Mapping) else EMPTY
        return cls(document, (document.get("components") or {}).get("schemas") or EMPTY)

    def node(self, node: Node | None) -> Node:
        """`node` with its reference resolved: `$ref`, or the `allOf` of one that built-in kinds wrap it in to add a
        default.

        What an `allOf` of plain branches limits is limited here: the values that all of them list, the names that any
        requires.
        """
        for _ in range(8):
            if not isinstance(node, Mapping):
                return EMPTY
            wrapped = node.get("allOf")
            if "$ref" in node:
                name = str(node["$ref"]).rpartition("/")[2]
                node = {**(self.components.get(name) or {}), **{k: v for k, v in node.items() if k != "$ref"}}
            elif isinstance(wrapped, list):
                parts = [self.node(part) for part in wrapped]
                node = {k: v for k, v in node.items() if k != "allOf"}
                for part in parts:
                    node = _both(node, part)
            else:
                return node
        return EMPTY

    def properties(self, node: Node) -> Iterator[tuple[str, Node]]:
        for name, child in (node.get("properties") or {}).items():
            yield name, self.node(child)

    def child(self, node: Node, name: str) -> Node:
        """The schema of one property, or of an entry of a map."""
        properties = node.get("properties") or {}
        return self.node(properties[name]) if name in properties else self.entry(node)

    def items(self, node: Node) -> Node:
        return self.node(node.get("items"))

    def entry(self, node: Node) -> Node:
        additional = node.get("additionalProperties")
        return self.node(additional) if isinstance(additional, Mapping) else EMPTY

    def fitting(self, node: Node, value: Any) -> Node:
        """The branch of a node with several types that fits `value`'s type; the node itself if none does."""
        declared = node.get("type")
        if isinstance(declared, str):
            return node
        if isinstance(declared, list):
            options: list[Node] = [{"type": name} for name in declared]
        else:
            options = [self.node(branch) for branch in node.get("anyOf") or node.get("oneOf") or ()]
        rest = {key: part for key, part in node.items() if key not in ("anyOf", "oneOf", "type")}
        for option in options:
            wanted = _TYPES.get(str(option.get("type")))
            if wanted and isinstance(value, wanted) and (isinstance(value, bool) == (wanted is bool)):
                return {**rest, **option}
        return node

    def controls(self, node: Node, limit: int) -> int:
        """How many controls the node would need at first, counted up to `limit`."""
        if limit <= 1 or kind_of(node) != "object":
            return 1
        count = 1
        for _, child in self.properties(node):
            count += self.controls(child, limit - count)
            if count >= limit:
                return limit
        return count


def _both(node: Node, part: Node) -> Node:
    """`node` within what `part` allows too."""
    made = {**part, **node}
    if "enum" in node and "enum" in part:
        made["enum"] = [item for item in node["enum"] if item in part["enum"]]
    if "required" in node and "required" in part:
        made["required"] = list(dict.fromkeys((*node["required"], *part["required"])))
    if "properties" in node and "properties" in part:
        made["properties"] = {**part["properties"], **node["properties"]}
    return made


def kind_of(node: Node) -> str:
    """string, bytes, integer, number, boolean, enum, int-or-string, object, array, map, or any (only YAML can say
    it).
    """
    declared = node.get("type")
    if isinstance(declared, list):
        named = [name for name in declared if name != "null"]
        declared = named[0] if len(named) == 1 else None
        if set(named) == {"integer", "string"}:
            return "int-or-string"
        if declared is None:
            return "any"
    if _int_or_string(node, declared):
        return "int-or-string"
    if node.get("x-kubernetes-embedded-resource"):
        return "any"
    if node.get("enum") and declared != "boolean" and all(not isinstance(item, (dict, list)) for item in node["enum"]):
        return "enum"
    if declared in ("string", "integer", "number", "boolean"):
        return "bytes" if declared == "string" and node.get("format") == "byte" else str(declared)
    if declared == "array":
        return "array" if node.get("items") else "any"
    if declared == "object" or (declared is None and node.get("properties")):
        if node.get("properties"):
            return "object"
        return (
            "map" if node.get("additionalProperties") and isinstance(node["additionalProperties"], Mapping) else "any"
        )
    return "any"


def _int_or_string(node: Node, declared: Any) -> bool:
    if node.get("x-kubernetes-int-or-string") or node.get("format") == "int-or-string":
        return True
    if declared:
        return False
    for union in (node.get("anyOf"), node.get("oneOf")):
        types = {branch.get("type") for branch in union or () if isinstance(branch, Mapping)}
        if types in ({"integer", "string"}, {"number", "string"}):
            return True
    return False


def nullable(node: Node) -> bool:
    """Whether null is a value here, and kept."""
    declared = node.get("type")
    return bool(
        node.get("nullable") or (isinstance(declared, list) and "null" in declared) or None in (node.get("enum") or ())
    )


def keeps_unknown(node: Node) -> bool:
    """Whether the server keeps fields of an object that its properties do not name."""
    additional = node.get("additionalProperties")
    return bool(node.get("x-kubernetes-preserve-unknown-fields") or additional or additional == EMPTY)


def unnamed(node: Node, value: Any) -> tuple[str, ...]:
    """The fields of `value` that the schema does not name."""
    properties = node.get("properties") or {}
    return tuple(key for key in value if key not in properties) if isinstance(value, dict) else ()


def unions(node: Node) -> tuple[tuple[str, ...], ...]:
    """What each branch of a `oneOf` or `anyOf` asks for and not every other does; () where names can't tell the
    branches apart.
    """
    properties = node.get("properties") or {}
    for union in (node.get("oneOf"), node.get("anyOf")):
        branches = [branch for branch in union or () if isinstance(branch, Mapping)]
        if len(branches) < 2:
            continue
        named = [{*(branch.get("required") or ()), *(branch.get("properties") or ())} for branch in branches]
        shared = set.intersection(*named)
        only = [tuple(name for name in properties if name in names - shared) for names in named]
        if len(set(only)) == len(only) and any(only):
            return tuple(only)
    return ()


def branch_of(only: tuple[tuple[str, ...], ...], value: Any) -> str:
    """The number of the branch that the object's fields speak for; '' when none or several do."""
    present = {name for names in only for name in names if isinstance(value, dict) and name in value}
    fitting = [number for number, names in enumerate(only) if present and present <= set(names)]
    least = min((len(only[number]) for number in fitting), default=0)
    found = [number for number in fitting if len(only[number]) == least]
    return str(found[0]) if len(found) == 1 else ""
