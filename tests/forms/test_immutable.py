"""Transition rules: what they forbid is locked, and nothing that the API server would take is."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from resources.forms import immutable
from resources.forms.schema import Schema
from structural.nodes import Family
from structural.rules import available, check_rules
from tests.forms import invalid_objects, kinds

OLD = {"x": "a", "flag": True, "off": False, "sub": {"y": 1}, "empty": ""}


def locks(rule: str, name: str, old: dict[str, Any] | None = None) -> set[str]:
    text = {"type": "string"}
    spec = {
        "type": "object",
        "properties": {"x": text, "new": text, "empty": text, "flag": {"type": "boolean"}, "off": {"type": "boolean"}},
        "x-kubernetes-validations": [{"rule": rule}],
    }
    schema = Schema.from_document({"type": "object", "properties": {"spec": spec}})
    path = ("spec", *name.split(".")) if name else ("spec",)
    return set(immutable.locks(schema, {"spec": OLD if old is None else old}, path))


@pytest.mark.parametrize(
    ("rule", "name", "expected"),
    [
        ("self == oldSelf", "", {"change"}),
        ("self == oldSelf", "x", {"change", "remove"}),
        ("self == oldSelf", "new", {"add"}),
        ("oldSelf.x == self.x", "x", {"change", "remove"}),
        ("self.x == oldSelf.x", "flag", set()),
        ("!has(oldSelf.x) || has(self.x)", "x", {"remove"}),
        ("has(oldSelf.new) || !has(self.new)", "new", {"add"}),
        ("!has(oldSelf.x) || self.x == oldSelf.x", "x", {"change", "remove"}),
        ("!has(oldSelf.new) || self.new == oldSelf.new", "new", set()),
        ("(self.x == oldSelf.x) || (!has(self.x) && !has(oldSelf.x))", "x", {"change", "remove"}),
        ("(self.new == oldSelf.new) || (!has(self.new) && !has(oldSelf.new))", "new", {"add"}),
        ("has(self.x) == has(oldSelf.x)", "x", {"remove"}),
        ("((!has(oldSelf.x) && !has(self.x)) || (has(oldSelf.x) && has(self.x)))", "x", {"remove"}),
        ("((!has(oldSelf.new) && !has(self.new)) || (has(oldSelf.new) && has(self.new)))", "new", {"add"}),
        ("(!has(oldSelf.x) || has(self.x)) && (has(oldSelf.x) || !has(self.x))", "x", {"remove"}),
        ("oldSelf.empty == '' || self.empty == oldSelf.empty", "empty", set()),
        ("oldSelf.x == '' || self.x == oldSelf.x", "x", {"change", "remove"}),
        ("!oldSelf.flag || (oldSelf.flag && self.flag)", "flag", {"change", "remove"}),
        ("!oldSelf.off || (oldSelf.off && self.off)", "off", set()),
        ("self.x != 'b' || (has(oldSelf.x) && oldSelf.x == 'b')", "x", {"remove"}),  # any value but b is fine
        ("self.sub.y == oldSelf.sub.y", "sub", set()),
        ("self.sub.y == oldSelf.sub.y", "sub.y", {"change", "remove"}),
        ("self.x.startsWith(oldSelf.x)", "x", set()),
        ("self.x == 'b'", "x", set()),  # no transition rule
        ("size(self.x) > 3 && self.x == oldSelf.x", "x", set()),
    ],
)
def test_locks(rule: str, name: str, expected: set[str]) -> None:
    assert locks(rule, name) == expected


def test_items_that_the_server_tells_apart() -> None:
    item = {
        "type": "object",
        "properties": {"size": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}},
    }
    spec = {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    schema = Schema.from_document({"type": "object", "properties": {"spec": spec}})
    assert immutable.locks(schema, {"spec": [{"name": "a", "size": 3}]}, ("spec", 0, "size")) == {"change"}
    assert immutable.locks(schema, {"spec": []}, ("spec", 0, "size")) == set()


def rules(node: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """(the node, the rule) of every transition rule."""
    if isinstance(node, dict):
        found = node.get("x-kubernetes-validations")
        for item in found if isinstance(found, list) else ():
            if isinstance(item, dict) and "oldSelf" in str(item.get("rule")):
                yield node, item["rule"]
        for inner in node.values():
            yield from rules(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from rules(inner)


needs_catalog = pytest.mark.skipif(not kinds.CATALOG.is_dir(), reason=f"the catalog is not at {kinds.CATALOG}")


@needs_catalog
def test_nearly_all_rules_of_real_definitions_are_understood() -> None:
    seen = understood = 0
    for kind in kinds.catalog("oldSelf"):
        for _, rule in rules(kind.schema):
            seen += 1
            try:
                immutable.parse_rule(rule)
                understood += 1
            except immutable.Unreadable:
                continue
    assert seen > 300
    assert understood / seen > 0.99, (understood, seen)


@needs_catalog
@pytest.mark.skipif(not available(), reason="there is no CEL library on this platform")
def test_what_is_locked_is_refused_by_the_server() -> None:
    """By the rules themselves, in the engine that the sandbox answers with."""
    tried = 0
    for kind in kinds.catalog("oldSelf"):
        for node, rule in rules(kind.schema):
            alone = {**node, "x-kubernetes-validations": [{"rule": rule}]}
            schema = Schema.from_document({"type": "object", "properties": {"spec": alone}})
            tried += sum(_compared(schema, old, path) for old, path in _cases(alone, rule))
    assert tried > 250


def _cases(node: dict[str, Any], rule: str) -> Iterator[tuple[Any, tuple[str, ...]]]:
    try:
        names = {field.names for field in immutable.rule_fields(immutable.parse_rule(rule))}
    except immutable.Unreadable:
        return
    if node.get("type") != "object":
        yield invalid_objects.example(node), ()
        return
    without = {"spec": {}}
    whole: dict[str, Any] = {"spec": invalid_objects.example(node)}
    for item in names - {()}:
        inner = node
        for name in item:
            inner = (inner.get("properties") or {}).get(name) or {}
        invalid_objects.put(whole, ("spec", *item), invalid_objects.example(inner), node)
    for item in names - {()}:
        yield whole["spec"], item
        yield without["spec"], item


def _compared(schema: Schema, old: Any, names: tuple[str, ...]) -> int:
    found = immutable.locks(schema, {"spec": old}, ("spec", *names))
    tried = 0
    for what in found:
        new = copy.deepcopy({"spec": old})
        path = ("spec", *names)
        if what == "remove":
            inside = new
            for name in path[:-1]:
                inside = inside[name]
            del inside[path[-1]]
        else:
            before = old
            for name in names:
                before = before.get(name) if isinstance(before, dict) else None
            other = (
                not before
                if isinstance(before, bool)
                else f"{before}-changed"
                if isinstance(before, str)
                else "something"
            )
            if what == "change" and not isinstance(before, (bool, str)):
                continue
            if what == "add" and len(path) > 2:
                continue
            invalid_objects.put(new, path, other, {})
        root = dict(schema.root)
        node = Family(root, {}).node(root)
        refused = check_rules(node, new, {"spec": old})
        assert refused, (what, names, old, root["properties"]["spec"]["x-kubernetes-validations"])
        tried += 1
    return tried
