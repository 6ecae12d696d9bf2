"""The JSONPath of printer columns and selectable fields: ``.spec.x``, ``.a[0].b``,
``.conditions[?(@.type=="Ready")].status``.

Compiled once to steps; results are a list, as several elements may match.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Step = Callable[[list[Any]], list[Any]]

_TOKEN = re.compile(
    r"""\.\.?(?P<key>(?:\\.|[^.\[\]\\])+)
    |\[\s*(?P<index>-?\d+)\s*\]
    |\[\s*(?P<slice>-?\d*:-?\d*)\s*\]
    |\[\s*(?P<star>\*)\s*\]
    |\[\s*'(?P<quoted>(?:\\.|[^'\\])*)'\s*\]
    |\[\s*"(?P<double>(?:\\.|[^"\\])*)"\s*\]
    |\[\?\(\s*@(?P<left>[^=!<>]*?)\s*(?P<operator>==|!=|<=|>=|<|>)\s*(?P<right>.*?)\s*\)\]
    |\[\?\(\s*@(?P<exists>[^=!<>)]*?)\s*\)\]""",
    re.VERBOSE,
)


class BadPath(ValueError):
    """Not a JSONPath that the API server would take."""


def compile_path(text: str) -> Callable[[Any], list[Any]]:
    """A function from an object to the values at the path."""
    inner = text.strip()
    if inner.startswith("{") and inner.endswith("}"):
        inner = inner[1:-1]
    inner = inner.removeprefix("$")
    if inner and inner[0] not in ".[":
        inner = "." + inner
    steps: list[Step] = []
    at = 0
    while at < len(inner):
        found = _TOKEN.match(inner, at)
        if found is None or found.end() == at:
            if inner[at:] == ".":
                break
            raise BadPath(f"unrecognized JSONPath {text!r}")
        steps.append(_step(found))
        at = found.end()

    def find(obj: Any) -> list[Any]:
        values = [obj]
        for step in steps:
            values = step(values)
            if not values:
                break
        return values

    return find


def _step(found: re.Match[str]) -> Step:
    parts = found.groupdict()
    for name in ("key", "quoted", "double"):
        if parts[name] is not None:
            return _key(re.sub(r"\\(.)", r"\1", parts[name]))
    if parts["index"] is not None:
        index = int(parts["index"])
        return lambda values: [v[index] for v in values if isinstance(v, list) and -len(v) <= index < len(v)]
    if parts["slice"] is not None:
        begin, _, end = parts["slice"].partition(":")
        cut = slice(int(begin) if begin else None, int(end) if end else None)
        return lambda values: [item for v in values if isinstance(v, list) for item in v[cut]]
    if parts["star"] is not None:
        return _star
    if parts["operator"] is not None:
        return _filter(parts["left"], parts["operator"], parts["right"])
    inner = compile_path(parts["exists"] or "")
    return lambda values: [i for v in values if isinstance(v, list) for i in v if inner(i)]


def _key(key: str) -> Step:
    if key == "*":
        return _star
    return lambda values: [value[key] for value in values if isinstance(value, dict) and key in value]


def _star(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            found.extend(value.values())
        elif isinstance(value, list):
            found.extend(value)
    return found


def _filter(left: str, operator: str, right: str) -> Step:
    path = compile_path(left)
    wanted: Any = right.strip()
    if wanted[:1] in ("'", '"'):
        wanted = wanted[1:-1]
    elif wanted in ("true", "false"):
        wanted = wanted == "true"
    else:
        try:
            wanted = float(wanted) if "." in wanted else int(wanted)
        except ValueError:
            raise BadPath(f"unrecognized value in filter: {right!r}") from None

    def holds(item: Any) -> bool:
        values = path(item)
        if not values:
            return False
        value = values[0]
        if operator in ("==", "!="):
            return bool((value == wanted) == (operator == "=="))
        try:
            return bool(
                {"<": value < wanted, ">": value > wanted, "<=": value <= wanted, ">=": value >= wanted}[operator]
            )
        except TypeError:
            return False

    return lambda values: [item for v in values if isinstance(v, list) for item in v if holds(item)]
