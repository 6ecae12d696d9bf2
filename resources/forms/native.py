"""What a browser can check while the user types: never more than the API server would refuse, and as much of that as
HTML can express.

HTML has traps here. `pattern` is JavaScript's, which a schema's author can make hang the page, while schemas have Go's
RE2; `maxlength` cuts pasted text off in silence and counts UTF-16 units; `step` counts from `min`, or from the value
the page came with; numbers are doubles. So attributes say what they can say exactly, and everything is in `check`,
which static/js/form/validate.js holds typed text against, exactly.
"""

import json
from dataclasses import dataclass
from typing import Any

from resources.forms.schema import Node, kind_of
from structural import patterns

_EXACT = 2**53
_LARGEST = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """As the HTML attributes have them; '' where there is nothing to say, or HTML would say it wrong.

    `check`: JSON for the script.
    """

    minimum: str = ""
    maximum: str = ""
    step: str = ""
    min_length: str = ""
    check: str = ""


NONE = Constraints()


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
        check=json.dumps(check, ensure_ascii=True, separators=(",", ":")),
    )


def name_constraints() -> Constraints:
    """Of an object's name, where it must be a DNS subdomain."""
    return Constraints(check=json.dumps({"maxLength": 253, "name": True}, separators=(",", ":")))


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
    if isinstance(pattern, str) and pattern and patterns.compiled(pattern) is not None:
        made["pattern"] = pattern
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
    """`step` counts from `min`, else from the page's value, so it is set only with a `min` that fits."""
    step = str(check.get("multipleOf", ""))
    if kind != "integer" or not step.isdigit() or not minimum:
        return ""
    return step if int(minimum) % int(step) == 0 else ""
