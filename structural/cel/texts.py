"""Functions on strings: CEL's extended strings library (github.com/google/cel-go/ext, version 2) and Kubernetes'
regex.
"""

from __future__ import annotations

import json
from typing import Any

from .. import formats, patterns
from .declare import Function, tagged

_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise ValueError(f"index out of range: {index}")
    return text[index : index + 1]


def _index_of(text: str, part: str, start: int = 0) -> int:
    if not 0 <= start <= len(text):
        raise ValueError(f"index out of range: {start}")
    return text.find(part, start)


def _last_index_of(text: str, part: str, end: int | None = None) -> int:
    if end is not None and not 0 <= end <= len(text):
        raise ValueError(f"index out of range: {end}")
    return text.rfind(part) if end is None else text.rfind(part, 0, end + len(part))


def _substring(text: str, start: int, end: int | None = None) -> str:
    end = len(text) if end is None else end
    if not 0 <= start <= len(text):
        raise ValueError(f"index out of range: {start}")
    if not 0 <= end <= len(text):
        raise ValueError(f"index out of range: {end}")
    if start > end:
        raise ValueError(f"invalid substring range. start: {start}, end: {end}")
    return text[start:end]


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if separator == "":
        chars = list(text)
        return chars if limit < 0 or len(chars) <= limit else [*chars[: limit - 1], "".join(chars[limit - 1 :])]
    return text.split(separator, -1 if limit < 0 else limit - 1)


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    return text.replace(old, new, limit if limit >= 0 else -1)


def _join(items: list[Any], separator: str = "") -> str:
    if not all(isinstance(item, str) for item in items):
        raise ValueError("no such overload")
    return separator.join(items)


def _show(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, list):
        return "[" + ", ".join(_quoted(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)}: {_quoted(value[key])}" for key in sorted(value)) + "}"
    return str(value)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _show(value)


def _format(text: str, values: list[Any]) -> str:
    out: list[str] = []
    rest = iter(values)
    index = 0
    while index < len(text):
        char = text[index]
        index += 1
        if char != "%":
            out.append(char)
            continue
        if text[index : index + 1] == "%":
            out.append("%")
            index += 1
            continue
        end = index
        while end < len(text) and text[end] in ".0123456789":
            end += 1
        try:
            out.append(_clause(text[index:end], text[end : end + 1], next(rest)))
        except StopIteration:
            raise ValueError("index out of range") from None
        index = end + 1
    return "".join(out)


def _clause(precision: str, verb: str, value: Any) -> str:
    if verb == "s":
        return _show(value)
    if verb == "d" and isinstance(value, (int, float)):
        return str(value)
    if verb in ("f", "e") and isinstance(value, (int, float)):
        return f"{value:{precision or '.6'}{verb}}"
    if verb in ("b", "o") and isinstance(value, int):
        return f"{int(value):{verb}}"
    if verb in ("x", "X") and isinstance(value, (int, str)):
        return f"{value:{verb}}" if isinstance(value, int) else value.encode().hex()
    raise ValueError(f'could not parse formatting clause: unrecognized formatting clause "{verb}"')


def _find(text: str, pattern: str) -> str:
    return next(iter(patterns.find_all(pattern, text)), "")


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    found = patterns.find_all(pattern, text)
    return found if limit < 0 else found[:limit]


_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#: Formats with a name that rules can call: a pattern and a longest length, or a string format of schemas.
NAMED: dict[str, tuple[str, int] | str] = {
    "dns1123Label": (_LABEL, 63),
    "dns1123Subdomain": (rf"{_LABEL}(\.{_LABEL})*", 253),
    "dns1035Label": ("[a-z]([-a-z0-9]*[a-z0-9])?", 63),
    "qualifiedName": (rf"({_LABEL}(\.{_LABEL})*/)?{_QUALIFIED}", 317),
    "dns1123LabelPrefix": (_LABEL + "-?", 63),
    "dns1123SubdomainPrefix": (rf"{_LABEL}(\.{_LABEL})*[-.]?", 253),
    "dns1035LabelPrefix": ("[a-z]([-a-z0-9]*[a-z0-9])?-?", 63),
    "labelValue": (f"({_QUALIFIED})?", 63),
    "uri": "uri",
    "uuid": "uuid",
    "byte": "byte",
    "date": "date",
    "datetime": "datetime",
}


def _check_named(format_: dict[str, Any], text: str) -> list[str]:
    """The faults of the text; none when it has the format."""
    rule = NAMED[format_["value"]]
    if isinstance(rule, str):
        return [] if formats.holds(rule, text) else [f"invalid {rule}"]
    pattern, longest = rule
    wrong = [] if patterns.matches(f"^{pattern}$", text) else [f"must match the regex {pattern}"]
    return wrong + ([f"must be no more than {longest} characters"] if len(text) > longest else [])


def _named(name: str) -> Function:
    return Function(f"format.{name}", (), "MAP", lambda: tagged("format", name), False)


_S, _I = "STRING", "INT"
FUNCTIONS: list[Function] = [
    Function("charAt", (_S, _I), _S, _char_at),
    Function("indexOf", (_S, _S), _I, _index_of),
    Function("indexOf", (_S, _S, _I), _I, _index_of),
    Function("lastIndexOf", (_S, _S), _I, _last_index_of),
    Function("lastIndexOf", (_S, _S, _I), _I, _last_index_of),
    Function("lowerAscii", (_S,), _S, lambda text: text.translate(_LOWER)),
    Function("upperAscii", (_S,), _S, lambda text: text.translate(_UPPER)),
    Function("replace", (_S, _S, _S), _S, _replace),
    Function("replace", (_S, _S, _S, _I), _S, _replace),
    Function("split", (_S, _S), "LIST", _split),
    Function("split", (_S, _S, _I), "LIST", _split),
    Function("substring", (_S, _I), _S, _substring),
    Function("substring", (_S, _I, _I), _S, _substring),
    Function("trim", (_S,), _S, lambda text: text.strip()),
    Function("reverse", (_S,), _S, lambda text: text[::-1]),
    Function("join", ("LIST",), _S, _join),
    Function("join", ("LIST", _S), _S, _join),
    Function("format", (_S, "LIST"), _S, _format),
    Function("strings.quote", (_S,), _S, lambda text: json.dumps(text, ensure_ascii=False), False),
    Function("find", (_S, _S), _S, _find),
    Function("findAll", (_S, _S), "LIST", _find_all),
    Function("findAll", (_S, _S, _I), "LIST", _find_all),
    *map(_named, NAMED),
    Function("validate", ("MAP", _S), "LIST", _check_named),
]
