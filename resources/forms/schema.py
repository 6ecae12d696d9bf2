"""What an OpenAPI v3 schema node says, in the few words that a form needs.

References are followed one at a time, when a node is looked at: schemas of custom resource definitions refer to themselves.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Node = Mapping[str, Any]

SCALARS = frozenset({"string", "integer", "number", "boolean", "enum", "int-or-string"})
EMPTY: Node = {}


@dataclass(frozen=True, slots=True)
class Schema:
    """A kind's schema with what it refers to (`components.schemas`), as kube.client gives it. None: the server publishes none."""

    root: Node
    components: Node

    @classmethod
    def of(cls, document: Node | None) -> "Schema":
        document = document or EMPTY
        return cls(document, (document.get("components") or {}).get("schemas") or EMPTY)

    def node(self, node: Node | None) -> Node:
        """`node` with its reference resolved: `$ref`, or the `allOf` of one that built-in kinds wrap it in to add a default."""
        for _ in range(8):
            if not isinstance(node, Mapping):
                return EMPTY
            wrapped = node.get("allOf")
            if "$ref" in node:
                name = str(node["$ref"]).rpartition("/")[2]
                node = {**(self.components.get(name) or {}), **{k: v for k, v in node.items() if k != "$ref"}}
            elif isinstance(wrapped, list) and len(wrapped) == 1 and "$ref" in (wrapped[0] or {}):
                node = {**self.node(wrapped[0]), **{k: v for k, v in node.items() if k != "allOf"}}
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


def kind_of(node: Node) -> str:
    """string, integer, number, boolean, enum, int-or-string, object, array, map, or any (only YAML can say it)."""
    declared = node.get("type")
    if isinstance(declared, list):
        declared = next((name for name in declared if name != "null"), None)
    if _int_or_string(node, declared):
        return "int-or-string"
    if node.get("x-kubernetes-embedded-resource"):
        return "any"
    if node.get("enum") and declared != "boolean" and all(not isinstance(item, (dict, list)) for item in node["enum"]):
        return "enum"
    if declared in ("string", "integer", "number", "boolean"):
        return str(declared)
    if declared == "array":
        return "array" if node.get("items") else "any"
    if declared == "object" or node.get("properties"):
        if node.get("properties"):
            return "object"
        return (
            "map" if isinstance(node.get("additionalProperties"), Mapping) and node["additionalProperties"] else "any"
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


def immutable(node: Node) -> bool:
    """A transition rule that is exactly 'it never changes'."""
    rules = node.get("x-kubernetes-validations") or ()
    return any(str(rule.get("rule", "")).replace(" ", "") in ("self==oldSelf", "oldSelf==self") for rule in rules)
