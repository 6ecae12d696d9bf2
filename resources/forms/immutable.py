"""What of an existing object can't be changed, removed or added any more, by the transition rules of its schema.

330 of the rules of real definitions are `self == oldSelf`, but they stand on parents too, and come in pairs: a field
that can't be added later (`has(oldSelf.x) || !has(self.x)`), or that stays once it is set. What is not understood locks
nothing: the API server decides.

No CEL is run. A rule is read if it consists of `has()`, `==`, `!=`, `!`, `&&`, `||`, fields of `self` and `oldSelf`,
and literals; the question put to it is what it says if one field were another one, or gone, or new, and all else stayed
as it is.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from resources.forms.fields import ABSENT
from resources.forms.paths import Path
from resources.forms.schema import EMPTY, Identity, Node, Schema

CHANGE, REMOVE, ADD = "change", "remove", "add"
#: Schemas whose rules are cached.
_KEPT = 12
_ANY = "*"
_DEEPEST = 40
_TOKEN = re.compile(
    r"\s*(?:(?P<op>\|\||&&|==|!=|!|\(|\))|(?P<has>has)\b|(?P<path>(?:self|oldSelf)(?:\.[A-Za-z_]\w*)*)"
    r"|(?P<text>'[^'\\]*'|\"[^\"\\]*\")|(?P<number>-?\d+(?:\.\d+)?)\b|(?P<word>true|false|null)\b)"
)
_WORDS = {"true": True, "false": False, "null": None}

Names = tuple[str, ...]
Steps = tuple[str, ...]
Tokens = list[tuple[str, str]]


class _Mark:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


#: Values of which only this is known: what it was, something else, nothing at all, anything, and what makes CEL give
#: up.
SAME, OTHER, GONE, UNKNOWN, ERROR = (_Mark(name) for name in ("SAME", "OTHER", "GONE", "UNKNOWN", "ERROR"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`operator`: or, and, not, equal, has, field (of `self`, or of `oldSelf` if `old`) or literal."""

    operator: str
    parts: "tuple[Rule, ...]" = ()
    names: Names = ()
    old: bool = False
    value: Any = None


@dataclass(frozen=True, slots=True)
class Case:
    """The field `names` of `before` (the old value that the rule stands at) would be `now`; all else stays."""

    before: Any
    names: Names
    now: Any


class Unreadable(ValueError):
    """The rule says more than is read here."""


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

    One that already differs from the stored object, by a text or an earlier answer, is never held: it must be possible
    to put it right.
    """
    found = locks(schema, stored, path)
    if not found:
        return False, False
    before = stored
    for part in path:
        before = _inside(before, part)
    if before is None:
        return ADD in found and value in (None, ABSENT), False
    return (CHANGE in found, REMOVE in found) if before == value else (False, False)


def _inside(value: Any, part: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(str(part))
    return value[part] if isinstance(value, list) and isinstance(part, int) and part < len(value) else None


def _forbidden(rule: Rule, before: Any, names: tuple[str, ...]) -> set[str]:
    """What a rule at `before` forbids, for the field `names` below it.

    A rule that refuses even what stays as it is says nothing.
    """
    if before is None or not any(field.names == names[: len(field.names)] for field in rule_fields(rule)):
        return set()
    if _refused(rule, Case(before, names, SAME)):
        return set()
    there = _at(before, names)
    if there is GONE or there is ERROR:
        return {ADD} if _refused(rule, Case(before, names, OTHER)) else set()
    other = not there if isinstance(there, bool) else OTHER
    found = {CHANGE} if _refused(rule, Case(before, names, other)) else set()
    return found | ({REMOVE} if names and _refused(rule, Case(before, names, GONE)) else set())


def _refused(rule: Rule, case: Case) -> bool:
    result = evaluate(rule, case)
    return result is False or result is ERROR


@cached(LRUCache(_KEPT), key=lambda schema: Identity(schema.root), lock=Lock())
def transition_rules(schema: Schema) -> Mapping[Steps, tuple[Rule, ...]]:
    """The rules that are understood, by where they stand: names of properties, `*` for items and entries. Cached."""
    made: dict[Steps, tuple[Rule, ...]] = {}
    _collect(schema.root, (), made)
    return made


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
                found.append(parse_rule(text))
    return found


@lru_cache(maxsize=1024)
def parse_rule(rule: str) -> Rule:
    """The rule as a tree. Raises Unreadable."""
    tokens = _tokens(rule)
    made, rest = _either(tokens)
    if rest:
        raise Unreadable(rule)
    return made


def _tokens(rule: str) -> list[tuple[str, str]]:
    found, at, text = [], 0, rule.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise Unreadable(rule)
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
        if match.lastgroup == "path" and text[at : at + 1] in ("[", "(", ".") and text[at : at + 1]:
            raise Unreadable(rule)
    return found


def _either(tokens: Tokens) -> tuple[Rule, Tokens]:
    return _joined(tokens, "||", "or", _both)


def _both(tokens: Tokens) -> tuple[Rule, Tokens]:
    return _joined(tokens, "&&", "and", _comparison)


def _joined(tokens: Tokens, sign: str, operator: str, inner: Any) -> tuple[Rule, Tokens]:
    first, tokens = inner(tokens)
    parts = [first]
    while tokens and tokens[0] == ("op", sign):
        part, tokens = inner(tokens[1:])
        parts.append(part)
    return (first if len(parts) == 1 else Rule(operator=operator, parts=tuple(parts))), tokens


def _comparison(tokens: Tokens) -> tuple[Rule, Tokens]:
    left, tokens = _single(tokens)
    if tokens and tokens[0] in (("op", "=="), ("op", "!=")):
        right, after = _single(tokens[1:])
        made = Rule(operator="equal", parts=(left, right))
        return (made if tokens[0][1] == "==" else Rule(operator="not", parts=(made,))), after
    return left, tokens


def _single(tokens: Tokens) -> tuple[Rule, Tokens]:
    if not tokens:
        raise Unreadable("it ends too soon")
    (kind, text), rest = tokens[0], tokens[1:]
    match kind, text:
        case "op", "!":
            part, rest = _single(rest)
            return Rule(operator="not", parts=(part,)), rest
        case "op", "(":
            made, rest = _either(rest)
            if not rest or rest[0] != ("op", ")"):
                raise Unreadable("a parenthesis is open")
            return made, rest[1:]
        case "has", _:
            if len(rest) < 3 or rest[0] != ("op", "(") or rest[1][0] != "path" or rest[2] != ("op", ")"):
                raise Unreadable("has() of something else")
            return Rule(operator="has", parts=(_field(rest[1][1]),)), rest[3:]
        case "path", _:
            return _field(text), rest
        case "text", _:
            return Rule(operator="literal", value=text[1:-1]), rest
        case "number", _:
            return Rule(operator="literal", value=float(text) if "." in text else int(text)), rest
        case "word", _:
            return Rule(operator="literal", value=_WORDS[text]), rest
    raise Unreadable(text)


def _field(text: str) -> Rule:
    first, *names = text.split(".")
    # CEL's own words and odd characters are spelled out: __namespace__, a__dot__b.
    plain = [re.sub(r"^__([a-z]+)__$", r"\1", name).replace("__dot__", ".").replace("__dash__", "-") for name in names]
    return Rule(operator="field", names=tuple(plain), old=first == "oldSelf")


def rule_fields(rule: Rule) -> Iterator[Rule]:
    """Every field that the rule speaks of."""
    if rule.operator == "field":
        yield rule
    for part in rule.parts:
        yield from rule_fields(part)


def evaluate(rule: Rule, case: Case) -> Any:
    """What the rule says in that case: True, False, UNKNOWN or ERROR, which refuses like False."""
    match rule.operator:
        case "or" | "and":
            return _logic([evaluate(part, case) for part in rule.parts], rule.operator == "or")
        case "not":
            value = evaluate(rule.parts[0], case)
            return not value if isinstance(value, bool) else value if value is ERROR else UNKNOWN
        case "equal":
            return _equal(evaluate(rule.parts[0], case), evaluate(rule.parts[1], case))
        case "has":
            value = _value(rule.parts[0], case)
            return value if value in (UNKNOWN, ERROR) else value is not GONE
        case "field":
            value = _value(rule, case)
            return ERROR if value is GONE else value
    return rule.value


def _logic(values: list[Any], either: bool) -> Any:
    if any(value is either for value in values):
        return either
    if any(value is UNKNOWN or not (isinstance(value, bool) or value is ERROR) for value in values):
        return UNKNOWN
    return ERROR if ERROR in values else not either


def _equal(item: Any, other: Any) -> Any:
    if ERROR in (item, other):
        return ERROR
    if UNKNOWN in (item, other):
        return UNKNOWN
    if OTHER in (item, other):
        # It differs from the old value; whether it is one of the rule's literals isn't known.
        pair = other if item is OTHER else item
        return False if isinstance(pair, _Before) else UNKNOWN
    return _plain(item) == _plain(other)


@dataclass(frozen=True, slots=True)
class _Before:
    """A value of `oldSelf` at the field in question."""

    value: Any


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, _Before) else value


def _value(field: Rule, case: Case) -> Any:
    if case.now is SAME:
        return _at(case.before, field.names)
    touched = field.names == case.names[: len(field.names)]
    if field.old:
        found = _at(case.before, field.names)
        return _Before(found) if touched and found is not GONE and not isinstance(found, bool) else found
    if touched and len(field.names) == len(case.names):
        return case.now
    if touched:
        return OTHER
    if case.names == field.names[: len(case.names)]:
        return UNKNOWN if case.now is OTHER else ERROR if case.now is GONE else UNKNOWN
    return _at(case.before, field.names)


def _at(value: Any, names: Names) -> Any:
    for number, name in enumerate(names):
        if not isinstance(value, dict) or name not in value:
            return GONE if number == len(names) - 1 else ERROR
        value = value[name]
    return value
