"""What of an existing object can't be changed, removed or added any more, by the transition rules of its schema.

330 of the rules of real definitions are `self == oldSelf`, but they stand on parents too, and come in pairs: a field
that can't be added later (`has(oldSelf.x) || !has(self.x)`), or that stays once it is set. What is not understood locks
nothing: the API server decides.
"""

from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from resources.forms.fields import ABSENT as NOTHING
from resources.forms.paths import Path
from resources.forms.schema import EMPTY, Node, Schema
from resources.forms.transitions import ABSENT, ERROR, OTHER, SAME, Case, Rule, Unreadable, fields, holds, parse

#: Schemas whose rules are kept.
KEPT = 12
CHANGE, REMOVE, ADD = "change", "remove", "add"
_ANY = "*"
_DEEPEST = 40

Steps = tuple[str, ...]
_RULES: OrderedDict[int, tuple[Any, Mapping[Steps, tuple[Rule, ...]]]] = OrderedDict()


def locks(schema: Schema, old: Any, path: Path) -> frozenset[str]:
    """What is forbidden for the field at `path` of the stored object: change, remove (if set), add (if not set)."""
    rules = transition_rules(schema)
    if not rules:
        return frozenset()
    found: set[str] = set()
    node, value = schema.node(schema.root), old
    steps: Steps = ()
    for depth in range(len(path) + 1):
        for rule in rules.get(steps, ()):
            names = path[depth:]
            if all(isinstance(name, str) for name in names):
                found |= _forbidden(rule, value, tuple(str(name) for name in names))
        if depth == len(path):
            break
        part = path[depth]
        declared = isinstance(part, str) and part in (node.get("properties") or EMPTY)
        steps = (*steps, str(part) if declared else _ANY)
        node = schema.items(node) if isinstance(part, int) else schema.child(node, part)
        value = _inside(value, part)
    return frozenset(found)


def held(schema: Schema, stored: Any, path: Path, value: Any) -> tuple[bool, bool]:
    """Whether the form's field with that value can't be changed (or added) any more, and whether it can't be removed.

    One that already
    differs from the stored object, by a text or an earlier answer, is never held: it must be possible to put it right.
    """
    found = locks(schema, stored, path)
    if not found:
        return False, False
    before = stored
    for part in path:
        before = _inside(before, part)
    if before is None:
        return ADD in found and value in (None, NOTHING), False
    return (CHANGE in found, REMOVE in found) if before == value else (False, False)


def _inside(value: Any, part: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(str(part))
    return value[part] if isinstance(value, list) and isinstance(part, int) and part < len(value) else None


def _forbidden(rule: Rule, before: Any, names: tuple[str, ...]) -> set[str]:
    """By a rule at `before`, for the field `names` below it.

    A rule that refuses even what stays as it is says nothing.
    """
    if before is None or not any(field.names == names[: len(field.names)] for field in fields(rule)):
        return set()
    if _refused(rule, Case(before, names, SAME)):
        return set()
    there = _present(before, names)
    if there is ABSENT:
        return {ADD} if _refused(rule, Case(before, names, OTHER)) else set()
    other = not there if isinstance(there, bool) else OTHER
    found = {CHANGE} if _refused(rule, Case(before, names, other)) else set()
    return found | ({REMOVE} if names and _refused(rule, Case(before, names, ABSENT)) else set())


def _refused(rule: Rule, case: Case) -> bool:
    result = holds(rule, case)
    return result is False or result is ERROR


def _present(value: Any, names: tuple[str, ...]) -> Any:
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return ABSENT
        value = value[name]
    return value


def transition_rules(schema: Schema) -> Mapping[Steps, tuple[Rule, ...]]:
    """The rules that are understood, by where they stand: names of properties, `*` for items and entries. Kept."""
    found = _RULES.get(id(schema.root))
    if found is None or found[0] is not schema.root:
        made: dict[Steps, tuple[Rule, ...]] = {}
        _collect(schema.root, (), made)
        found = _RULES[id(schema.root)] = (schema.root, made)
        while len(_RULES) > KEPT:
            _RULES.popitem(last=False)
    _RULES.move_to_end(id(schema.root))
    return found[1]


def _collect(node: Any, steps: Steps, made: dict[Steps, tuple[Rule, ...]]) -> None:
    if not isinstance(node, Mapping) or len(steps) > _DEEPEST:
        return
    if rules := tuple(_readable(node)):
        made[steps] = rules
    for name, child in (node.get("properties") or EMPTY).items():
        _collect(child, (*steps, name), made)
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), Mapping):
            _collect(node[keyword], (*steps, _ANY), made)


def _readable(node: Node) -> list[Rule]:
    found = []
    rules = node.get("x-kubernetes-validations")
    for rule in rules if isinstance(rules, list) else ():
        text = str(rule.get("rule") or "") if isinstance(rule, Mapping) else ""
        if "oldSelf" in text and not rule.get("optionalOldSelf"):
            with suppress(Unreadable):
                found.append(parse(text))
    return found
