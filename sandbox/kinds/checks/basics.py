"""Numbers, names, labels and selectors: what all other checks are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from structural.causes import Cause
from structural.metadata import label_value_faults, qualified_name_faults
from structural.quantities import parse_quantity
from structural.words import duplicate, forbidden, invalid, not_supported, required, show, to_json, too_long

Object = dict[str, Any]
Causes = Iterator[Cause]
MAX_INT32 = 2**31 - 1

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_CONFIG_KEY_TEXT = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_PERCENT = re.compile(r"[0-9]+%")
_PERCENT_TEXT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)

__all__ = [
    "MAX_INT32",
    "Cause",
    "Causes",
    "Object",
    "config_key",
    "duplicate",
    "forbidden",
    "in_range",
    "invalid",
    "label",
    "labels",
    "matches",
    "not_found",
    "not_negative",
    "not_supported",
    "number_or_percent",
    "one_of",
    "only",
    "percent_over",
    "port_name",
    "port_number",
    "port_number_or_name",
    "positive",
    "qualified",
    "quantity",
    "required",
    "selector",
    "show",
    "subdomain",
    "to_json",
    "too_long",
]


def not_found(path: str, value: Any, detail: str = "") -> Cause:
    return Cause(path, "FieldValueNotFound", f"Not found: {show(value)}{': ' if detail else ''}{detail}")


# Numbers


def not_negative(path: str, value: Any) -> Causes:
    if isinstance(value, int) and value < 0:
        yield invalid(path, value, "must be greater than or equal to 0")


def positive(path: str, value: Any) -> Causes:
    if not isinstance(value, int) or value <= 0:
        yield invalid(path, value or 0, "must be greater than zero")


def in_range(path: str, value: Any, low: int, high: int) -> Causes:
    if value is not None and not low <= int(value) <= high:
        yield invalid(path, value, f"must be between {low} and {high}, inclusive")


def port_number(path: str, value: Any) -> Causes:
    return in_range(path, value or 0, 1, 65535)


def port_name(path: str, value: str) -> Causes:
    """An IANA service name."""
    if len(value) > 15:
        yield invalid(path, value, "must be no more than 15 characters")
    if not re.fullmatch(r"[-a-z0-9]+", value):
        yield invalid(path, value, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", value):
        yield invalid(path, value, "must contain at least one letter (a-z)")
    if "--" in value:
        yield invalid(path, value, "must not contain consecutive hyphens")
    if value and (value[0] == "-" or value[-1] == "-"):
        yield invalid(path, value, "must not begin or end with a hyphen")


def port_number_or_name(path: str, value: Any) -> Causes:
    return port_name(path, value) if isinstance(value, str) else port_number(path, value)


def quantity(value: Any) -> Fraction:
    """The number; zero for what is none."""
    return parse_quantity(str(value)) or Fraction(0)


def number_or_percent(path: str, value: Any) -> Causes:
    if not isinstance(value, str):
        yield from not_negative(path, value)
    elif not _PERCENT.fullmatch(value):
        yield invalid(path, value, _PERCENT_TEXT)


def percent_over(path: str, value: Any) -> Causes:
    if isinstance(value, str) and _PERCENT.fullmatch(value) and int(value[:-1]) > 100:
        yield invalid(path, value, "must not be greater than 100%")


# Names


def label(path: str, value: str) -> Causes:
    """A DNS-1123 label."""
    if len(value) > 63:
        yield invalid(path, value, "must be no more than 63 characters")
    if not _LABEL.fullmatch(value):
        yield invalid(path, value, _LABEL_TEXT)


def subdomain(path: str, value: str) -> Causes:
    """A DNS-1123 subdomain."""
    if len(value) > 253:
        yield invalid(path, value, "must be no more than 253 characters")
    if not _SUBDOMAIN.fullmatch(value):
        yield invalid(path, value, _SUBDOMAIN_TEXT)


def qualified(path: str, value: str) -> Causes:
    """A name as labels' keys are."""
    return (invalid(path, value, fault) for fault in qualified_name_faults(value))


def config_key(path: str, value: str) -> Causes:
    """A key of a ConfigMap or a Secret."""
    if len(value) > 253:
        yield invalid(path, value, "must be no more than 253 characters")
    if not _CONFIG_KEY.fullmatch(value):
        yield invalid(path, value, _CONFIG_KEY_TEXT)
    if value in (".", ".."):
        yield invalid(path, value, f"must not be '{value}'")
    elif value.startswith(".."):
        yield invalid(path, value, "must not start with '..'")


def one_of(path: str, value: Any, supported: Sequence[str]) -> Causes:
    """``supported`` in the order in which they are told."""
    if value not in supported:
        yield not_supported(path, value if value is not None else "", list(supported))


def only(path: str, value: Any, supported: Sequence[str]) -> Causes:
    """The same, where nothing may stand too."""
    return one_of(path, value, supported) if value is not None else iter(())


def labels(path: str, given: Any) -> Causes:
    """Keys and values."""
    for key, value in sorted((given or {}).items()):
        yield from qualified(path, key)
        yield from (invalid(path, str(value), fault) for fault in label_value_faults(str(value)))


# Selectors


def selector(path: str, given: Any) -> Causes:
    """A LabelSelector."""
    if not isinstance(given, dict):
        return
    yield from labels(f"{path}.matchLabels", given.get("matchLabels"))
    for index, expression in enumerate(given.get("matchExpressions") or []):
        yield from requirement(f"{path}.matchExpressions[{index}]", expression)


def requirement(path: str, given: Object) -> Causes:
    """One of a selector's expressions."""
    operator, values = given.get("operator"), given.get("values") or []
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden(f"{path}.values", text)
    else:
        yield invalid(f"{path}.operator", operator or "", "not a valid selector operator")
    yield from qualified(f"{path}.key", str(given.get("key") or ""))
    for index, value in enumerate(values):
        for fault in label_value_faults(str(value)):
            yield invalid(f"{path}.values[{index}]", value, fault)


def usable(given: Any) -> bool:
    """Whether a selector can be made of it at all."""
    return not any(True for _ in selector("", given))


def matches(given: Any, found: Any) -> bool:
    """Whether a LabelSelector selects these labels. None selects nothing."""
    if given is None:
        return False
    found = found or {}
    if any(found.get(key) != value for key, value in (given.get("matchLabels") or {}).items()):
        return False
    return all(_meets(one, found) for one in given.get("matchExpressions") or [])


def _meets(one: Object, found: Object) -> bool:
    key, values = str(one.get("key")), one.get("values") or []
    match one.get("operator"):
        case "In":
            return found.get(key) in values
        case "NotIn":
            return found.get(key) not in values
        case "Exists":
            return key in found
    return key not in found


def first(causes: Iterable[Cause]) -> Cause | None:
    """The first, if any."""
    return next(iter(causes), None)
