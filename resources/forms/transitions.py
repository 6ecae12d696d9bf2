"""CEL rules that compare an object with what it was, as far as they are about presence and equality: enough to see
what can't change.

No CEL is run. A rule is read if it consists of `has()`, `==`, `!=`, `!`, `&&`, `||`, fields of `self` and `oldSelf`,
and literals; the question put to it is what it says if one field were another one, or gone, or new, and all else stayed
as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<op>\|\||&&|==|!=|!|\(|\))|(?P<has>has)\b|(?P<path>(?:self|oldSelf)(?:\.[A-Za-z_]\w*)*)"
    r"|(?P<text>'[^'\\]*'|\"[^\"\\]*\")|(?P<number>-?\d+(?:\.\d+)?)\b|(?P<word>true|false|null)\b)"
)
_WORDS = {"true": True, "false": False, "null": None}

Names = tuple[str, ...]


class Unreadable(ValueError):
    """The rule says more than is read here."""


class _Mark:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


#: Values of which only this is known: what it was, something else, nothing at all, anything, and what makes CEL give
#: up.
SAME, OTHER, ABSENT, UNKNOWN, ERROR = (_Mark(name) for name in ("SAME", "OTHER", "ABSENT", "UNKNOWN", "ERROR"))


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


@lru_cache(maxsize=1024)
def parse(rule: str) -> Rule:
    """Raises Unreadable."""
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


Tokens = list[tuple[str, str]]


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


def holds(rule: Rule, case: Case) -> Any:
    """True, False, UNKNOWN or ERROR, which refuses like False."""
    match rule.operator:
        case "or" | "and":
            return _logic([holds(part, case) for part in rule.parts], rule.operator == "or")
        case "not":
            value = holds(rule.parts[0], case)
            return not value if isinstance(value, bool) else value if value is ERROR else UNKNOWN
        case "equal":
            return _equal(holds(rule.parts[0], case), holds(rule.parts[1], case))
        case "has":
            value = _value(rule.parts[0], case)
            return value if value in (UNKNOWN, ERROR) else value is not ABSENT
        case "field":
            value = _value(rule, case)
            return ERROR if value is ABSENT else value
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
        return _Before(found) if touched and found is not ABSENT and not isinstance(found, bool) else found
    if touched and len(field.names) == len(case.names):
        return case.now
    if touched:
        return OTHER
    if case.names == field.names[: len(case.names)]:
        return UNKNOWN if case.now is OTHER else ERROR if case.now is ABSENT else UNKNOWN
    return _at(case.before, field.names)


def _at(value: Any, names: Names) -> Any:
    for number, name in enumerate(names):
        if not isinstance(value, dict) or name not in value:
            return ABSENT if number == len(names) - 1 else ERROR
        value = value[name]
    return value


def fields(rule: Rule) -> Iterator[Rule]:
    """Every field that the rule speaks of."""
    if rule.operator == "field":
        yield rule
    for part in rule.parts:
        yield from fields(part)
