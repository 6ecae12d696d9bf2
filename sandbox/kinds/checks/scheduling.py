"""Where a Pod may run: tolerations, affinity, spread."""

from __future__ import annotations

from typing import Any

from structural.metadata import label_value_faults

from .basics import (
    Causes,
    Object,
    duplicate,
    forbidden,
    in_range,
    invalid,
    label,
    not_supported,
    one_of,
    positive,
    qualified,
    required,
    selector,
)

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_HARD, _SOFT = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
_ALL = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
_NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def tolerations(path: str, given: Any) -> Causes:
    """``tolerations``."""
    for index, one in enumerate(given or []):
        at, key, operator = f"{path}[{index}]", one.get("key") or "", one.get("operator") or ""
        effect, value = one.get("effect") or "", one.get("value") or ""
        if key:
            yield from qualified(f"{at}.key", key)
        elif operator != "Exists":
            yield invalid(f"{at}.operator", operator, _ALL)
        if one.get("tolerationSeconds") is not None and effect != "NoExecute":
            text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield invalid(f"{at}.effect", effect, text)
        if operator in ("", "Equal"):
            if faults := label_value_faults(value):
                yield invalid(f"{at}.operator", value, ";".join(faults))
        elif operator == "Exists":
            if value:
                yield invalid(f"{at}.operator", value, "value must be empty when `operator` is 'Exists'")
        else:
            yield not_supported(f"{at}.operator", operator, ["Equal", "Exists"])
        if effect:
            yield from one_of(f"{at}.effect", effect, _EFFECTS)


def affinity(path: str, given: Any) -> Causes:
    """``affinity``."""
    given = given or {}
    node = given.get("nodeAffinity") or {}
    at = f"{path}.nodeAffinity"
    if node.get(_HARD) is not None:
        terms = node[_HARD].get("nodeSelectorTerms") or []
        if not terms:
            yield required(f"{at}.{_HARD}.nodeSelectorTerms", "must have at least one node selector term")
        for index, term in enumerate(terms):
            yield from node_term(f"{at}.{_HARD}.nodeSelectorTerms[{index}]", term)
    for index, one in enumerate(node.get(_SOFT) or []):
        yield from _weight(f"{at}.{_SOFT}[{index}]", one)
        yield from node_term(f"{at}.{_SOFT}[{index}].preference", one.get("preference") or {})
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = given.get(kind) or {}
        for index, term in enumerate(terms.get(_HARD) or []):
            yield from _pod_term(f"{path}.{kind}.{_HARD}[{index}]", term)
        for index, one in enumerate(terms.get(_SOFT) or []):
            yield from _weight(f"{path}.{kind}.{_SOFT}[{index}]", one)
            yield from _pod_term(f"{path}.{kind}.{_SOFT}[{index}].podAffinityTerm", one.get("podAffinityTerm") or {})


def _weight(path: str, one: Object) -> Causes:
    weight = one.get("weight") or 0
    if not 1 <= weight <= 100:
        yield invalid(f"{path}.weight", weight, "must be in the range 1-100")


def node_term(path: str, term: Object) -> Causes:
    """A term of a node selector."""
    for index, one in enumerate(term.get("matchExpressions") or []):
        at, operator, values = f"{path}.matchExpressions[{index}]", one.get("operator"), one.get("values") or []
        if operator in ("In", "NotIn"):
            if not values:
                yield required(f"{at}.values", "must be specified when `operator` is 'In' or 'NotIn'")
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                yield forbidden(f"{at}.values", text)
        elif operator in ("Gt", "Lt"):
            if len(values) != 1:
                yield required(f"{at}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
        else:
            yield invalid(f"{at}.operator", operator or "", "not a valid selector operator")
        yield from qualified(f"{at}.key", one.get("key") or "")


def _pod_term(path: str, term: Object) -> Causes:
    yield from selector(f"{path}.labelSelector", term.get("labelSelector"))
    yield from selector(f"{path}.namespaceSelector", term.get("namespaceSelector"))
    for index, name in enumerate(term.get("namespaces") or []):
        yield from label(f"{path}.namespaces[{index}]", name)
    key = term.get("topologyKey") or ""
    if not key:
        yield required(f"{path}.topologyKey", "can not be empty")
    yield from qualified(f"{path}.topologyKey", key)


def spread(path: str, given: Any) -> Causes:
    """``topologySpreadConstraints``."""
    given = given or []
    for index, one in enumerate(given):
        at = f"{path}[{index}]"
        yield from positive(f"{at}.maxSkew", one.get("maxSkew") or 0)
        if not one.get("topologyKey"):
            yield required(f"{at}.topologyKey", "can not be empty")
        yield from one_of(f"{at}.whenUnsatisfiable", one.get("whenUnsatisfiable"), ("DoNotSchedule", "ScheduleAnyway"))
        same = [(other.get("topologyKey"), other.get("whenUnsatisfiable")) for other in given[index + 1 :]]
        if (one.get("topologyKey"), one.get("whenUnsatisfiable")) in same:
            text = f"{{{one.get('topologyKey')}, {one.get('whenUnsatisfiable')}}}"
            yield duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", text)
        if one.get("minDomains") is not None:
            yield from in_range(f"{at}.minDomains", one["minDomains"], 1, 2**31 - 1)
        yield from selector(f"{at}.labelSelector", one.get("labelSelector"))
