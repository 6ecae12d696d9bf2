"""What a browser can check while somebody types: never more than the API server would refuse, and as much of it as can be said.

HTML has traps here. `pattern` is anchored and JavaScript's, with its flag "v", while schemas have Go's RE2; `maxlength` cuts pasted text off
in silence and counts UTF-16 units; `step` counts from `min`, or from the value the page came with; numbers are doubles. So attributes
say what they can say exactly, and everything is in `check`, which static/js/form/validate.js holds typed text against, exactly.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from resources.forms.schema import Node, kind_of
from structural.ambiguity import explosive
from structural.regex import Anchor, Chars, Either, Malformed, Repeat, Sequence, Tree, parse

_EXACT = 2**53
_LARGEST = 2**63
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
#: What Go takes for the same letter beside the other case.
_FOLDED = {"k": "\u212a", "s": "\u017f"}


@dataclass(frozen=True, slots=True)
class Constraints:
    """As the HTML attributes have them; '' where there is nothing to say, or HTML would say it wrong. `check`: JSON for the script."""

    minimum: str = ""
    maximum: str = ""
    step: str = ""
    min_length: str = ""
    pattern: str = ""
    check: str = ""


NONE = Constraints()


class Unsayable(ValueError):
    """JavaScript has no such expression, or could take an age over it."""


def constraints(node: Node) -> Constraints:
    """Of a node with one control."""
    kind = kind_of(node)
    if kind not in ("string", "integer", "number", "int-or-string"):
        return NONE
    text = kind in ("string", "int-or-string")
    number = kind != "string"
    check = {**(_numbers(node, kind) if number else {}), **(_texts(node) if text else {})}
    if not check:
        return NONE
    minimum, maximum = (_bound(check, name, kind) if number else "" for name in ("min", "max"))
    return Constraints(
        minimum=minimum,
        maximum=maximum,
        step=_step(check, kind, minimum),
        min_length=str(check.get("minLength", "")) if kind == "string" else "",
        pattern=_whole(str(node["pattern"])) if kind == "string" and "js" in check else "",
        check=json.dumps(check, ensure_ascii=True, separators=(",", ":")),
    )


def _numbers(node: Node, kind: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for keyword, name, exclusive in (("minimum", "min", "exclusiveMinimum"), ("maximum", "max", "exclusiveMaximum")):
        limit = node.get(keyword)
        if isinstance(limit, (int, float)) and not isinstance(limit, bool) and abs(limit) < _LARGEST:
            # Whole numbers are compared with int64() of the limit: fractions are cut off.
            made[name] = _shown(limit) if kind == "number" else str(int(limit))
            made |= {f"{name}Exclusive": True} if node.get(exclusive) is True else {}
    step = node.get("multipleOf")
    if isinstance(step, (int, float)) and step > 0:
        made["multipleOf"] = _shown(step)
    if node.get("format") in ("int32", "float"):
        made["format"] = node["format"]
    return made


def _texts(node: Node) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in ("minLength", "maxLength"):
        if isinstance(node.get(name), int) and (node[name] or name == "maxLength"):
            made[name] = node[name]
    pattern = node.get("pattern")
    if isinstance(pattern, str) and pattern:
        with suppress(Unsayable):
            made |= {"js": javascript(pattern), "pattern": pattern}
    return made


def _shown(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(number)


def _bound(check: dict[str, Any], name: str, kind: str) -> str:
    """`min` and `max` of a number control. Beyond 2**53 browsers round them."""
    if name not in check or kind == "int-or-string":
        return ""
    if kind == "number":
        return str(check[name])
    number = int(check[name])
    if check.get(f"{name}Exclusive"):
        number += 1 if name == "min" else -1
    return str(number) if abs(number) <= _EXACT else ""


def _step(check: dict[str, Any], kind: str, minimum: str) -> str:
    """`step` counts from `min`; without one it counts from whatever the page came with, so it is said only with a fitting `min`."""
    step = str(check.get("multipleOf", ""))
    if kind != "integer" or not step.isdigit() or not minimum:
        return ""
    return step if int(minimum) % int(step) == 0 else ""


@lru_cache(maxsize=4096)
def javascript(pattern: str) -> str:
    """A Go expression for `new RegExp(…, "v")`, to be found anywhere in the text. Raises Unsayable."""
    try:
        tree = parse(pattern)
    except (Malformed, RecursionError) as error:
        raise Unsayable(str(error)) from error
    if explosive(pattern):
        raise Unsayable("takes exponential time")
    return _written(tree)


@lru_cache(maxsize=4096)
def _whole(pattern: str) -> str:
    """The same for the attribute `pattern`, which must match the whole text."""
    tree = parse(pattern)
    parts = tree.parts if isinstance(tree, Sequence) else (tree,)
    anchored = len(parts) > 1 and parts[0] == Anchor("start") and parts[-1] == Anchor("end")
    return _written(tree) if anchored else f"[^]*(?:{_written(tree)})[^]*"


def _written(tree: Tree) -> str:
    match tree:
        case Chars():
            return _chars(tree)
        case Anchor(kind):
            anchors = {"start": "^", "end": "$", "word": r"\b", "inside": r"\B"}
            return anchors.get(kind) or {"line-start": r"(?<=^|\n)", "line-end": r"(?=$|\n)"}[kind]
        case Sequence(parts):
            return "".join(f"(?:{_written(part)})" if isinstance(part, Either) else _written(part) for part in parts)
        case Either(parts):
            return "|".join(_written(part) for part in parts)
        case Repeat(part, least, most):
            inner = _written(part) if isinstance(part, Chars) else f"(?:{_written(part)})"
            return inner + _count(least, most)


def _count(least: int, most: int | None) -> str:
    simple = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if (least, most) in simple:
        return simple[(least, most)]
    return f"{{{least}}}" if most == least else f"{{{least},{'' if most is None else most}}}"


def _chars(chars: Chars) -> str:
    ranges = _folded(chars.ranges) if chars.fold else chars.ranges
    if not chars.negated and not chars.classes and len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _escaped(ranges[0][0], _SYNTAX)
    if not ranges and not chars.classes:
        return "[^]" if chars.negated else "[]"
    listed = "".join(_inside(low) if low == high else f"{_inside(low)}-{_inside(high)}" for low, high in ranges)
    listed += "".join(rf"\{'P' if other else 'p'}{{{name}}}" for name, other in chars.classes)
    return f"[{'^' if chars.negated else ''}{listed}]"


def _inside(char: str) -> str:
    """In a class of the flag "v" more has to be escaped."""
    return char if char.isascii() and (char.isalnum() or char in " _") else f"\\u{{{ord(char):x}}}"


def _escaped(char: str, syntax: frozenset[str]) -> str:
    if char in syntax:
        return f"\\{char}"
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"


def _folded(ranges: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """With the other case of ASCII letters. Of other letters browsers know more cases than Go, or fewer."""
    made = list(ranges)
    for low, high in ranges:
        if not high.isascii():
            raise Unsayable("ignores the case of letters that are not ASCII's")
        letters = [chr(code) for code in range(ord(low), ord(high) + 1) if chr(code).isalpha()]
        made += [
            (other, other)
            for letter in letters
            for other in (letter.swapcase(), _FOLDED.get(letter.lower(), ""))
            if other
        ]
    return tuple(made)
