"""What a template may call: Go's own functions and those of Sprig that packages of this form use.

Pure; nothing of the machine is reached.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any

import yaml

#: `{{ until 1000000000 }}` must not fill the memory.
LONGEST = 10_000


def text(value: Any) -> str:
    """As Go's template prints it."""
    if value is True or value is False:
        return "true" if value else "false"
    return "" if value is None else str(value)


def truth(value: Any) -> bool:
    """Go's: empty is false.

    The text "false" is not empty, so it is true: compare a parameter with eq, or declare it boolean.
    """
    return bool(value)


def _int(value: Any) -> int:
    return int(value) if value not in ("", None) else 0


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        value = value[int(key)] if isinstance(value, list) else value[str(key)]
    return value


def _until(number: Any) -> list[int]:
    return _range(0, number)


def _range(first: Any, last: Any, step: Any = 1) -> list[int]:
    found = range(_int(first), _int(last), _int(step))
    if len(found) > LONGEST:
        raise ValueError(f"a list of {len(found)} numbers is longer than {LONGEST}")
    return list(found)


def _and(*values: Any) -> Any:
    return next((value for value in values if not truth(value)), values[-1])


def _or(*values: Any) -> Any:
    return next((value for value in values if truth(value)), values[-1])


def _dict(*parts: Any) -> dict[str, Any]:
    return {text(key): value for key, value in zip(parts[::2], parts[1::2], strict=True)}


def _indent(width: Any, value: Any) -> str:
    return "\n".join(" " * _int(width) + line for line in text(value).split("\n"))


def _yaml(value: Any) -> str:
    return str(yaml.safe_dump(value, default_flow_style=False, sort_keys=True)).removesuffix("\n").removesuffix("\n...")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda *numbers: sum(map(_int, numbers)),
    "and": _and,
    "atoi": _int,
    "b64dec": lambda value: base64.b64decode(text(value)).decode(),
    "b64enc": lambda value: base64.b64encode(text(value).encode()).decode(),
    "coalesce": lambda *values: next((item for item in values if truth(item)), None),
    "contains": lambda part, value: text(part) in text(value),
    "default": lambda fallback, value=None: value if truth(value) else fallback,
    "dict": _dict,
    "div": lambda a, b: _int(a) // _int(b),
    "empty": lambda value: not truth(value),
    "eq": lambda first, *others: first in others,
    "first": lambda values: values[0],
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
    "hasKey": lambda values, key: key in values,
    "hasPrefix": lambda part, value: text(value).startswith(text(part)),
    "hasSuffix": lambda part, value: text(value).endswith(text(part)),
    "indent": _indent,
    "index": _index,
    "int": _int,
    "join": lambda glue, values: text(glue).join(map(text, values)),
    "last": lambda values: values[-1],
    "le": lambda a, b: a <= b,
    "len": len,
    "list": lambda *values: list(values),
    "lower": lambda value: text(value).lower(),
    "lt": lambda a, b: a < b,
    "max": lambda *numbers: max(map(_int, numbers)),
    "min": lambda *numbers: min(map(_int, numbers)),
    "mod": lambda a, b: _int(a) % _int(b),
    "mul": lambda a, b: _int(a) * _int(b),
    "ne": lambda a, b: a != b,
    "nindent": lambda width, value: "\n" + _indent(width, value),
    "not": lambda value: not truth(value),
    "or": _or,
    "print": lambda *values: "".join(map(text, values)),
    "printf": lambda pattern, *values: pattern.replace("%v", "%s") % tuple(values),
    "quote": lambda value: json.dumps(text(value)),
    "replace": lambda old, new, value: text(value).replace(old, new),
    "sha256sum": lambda value: hashlib.sha256(text(value).encode()).hexdigest(),
    "splitList": lambda mark, value: text(value).split(text(mark)),
    "squote": lambda value: f"'{text(value)}'",
    "sub": lambda a, b: _int(a) - _int(b),
    "ternary": lambda yes, no, value: yes if truth(value) else no,
    "toJson": lambda value: json.dumps(value, sort_keys=True),
    "toString": text,
    "toYaml": _yaml,
    "trim": lambda value: text(value).strip(),
    "trimPrefix": lambda part, value: text(value).removeprefix(text(part)),
    "trimSuffix": lambda part, value: text(value).removesuffix(text(part)),
    "trunc": lambda width, value: text(value)[: _int(width)],
    "until": _until,
    "untilStep": _range,
    "upper": lambda value: text(value).upper(),
}
