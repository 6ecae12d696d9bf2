"""What one node of a schema says, in words: its type, its bounds, whether it can be changed."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.objects import items, mapping, text
from resources.forms.schema import Node, kind_of
from resources.forms.schema import Schema as Resolver

_SAME = frozenset({"self==oldSelf", "oldSelf==self"})


def strings(value: Any) -> tuple[str, ...]:
    """The texts in a list, each once; () for anything else."""
    found = (text(item) for item in (value if isinstance(value, list | tuple) else ()))
    return tuple(dict.fromkeys(word for word in found if word))


def referred(raw: Node) -> str:
    """The name of the part that a node refers to, directly or wrapped to give it a default; '' for none."""
    if found := text(raw.get("$ref")):
        return found.rpartition("/")[2]
    wrapped = items(raw.get("allOf"))
    return text(wrapped[0].get("$ref")).rpartition("/")[2] if len(wrapped) == 1 else ""


def type_words(tree: Resolver, raw: Node, depth: int = 0) -> str:
    """“list of string”, “map of object”, “integer or string”, “PodSpec” as `kubectl explain` says it, “anything”."""
    here = tree.node(raw)
    name = referred(raw).rpartition(".")[2]
    if name == "Quantity":
        return _("quantity")
    if kind_of(here) == "int-or-string":
        return _("integer or string")
    declared = here.get("type")
    kind = _(" or ").join(strings(declared)) if isinstance(declared, list) else text(declared)
    if kind == "array":
        return _("list of %(what)s") % {"what": _within(tree, here.get("items"), depth)}
    if kind == "object" and isinstance(here.get("additionalProperties"), Mapping):
        return _("map of %(what)s") % {"what": _within(tree, here["additionalProperties"], depth)}
    if here.get("x-kubernetes-embedded-resource"):
        return _("embedded object")
    if not here.get("properties") and (here.get("x-kubernetes-preserve-unknown-fields") or not kind):
        return _("anything")
    if name and here.get("properties"):
        return name
    form = text(here.get("format"))
    return f"{kind} ({form})" if form else kind or "object"


def _within(tree: Resolver, raw: Any, depth: int) -> str:
    return type_words(tree, mapping(raw), depth + 1) if depth < 20 else _("anything")


def limits(here: Node) -> tuple[str, ...]:
    """The bounds of a field in words."""
    low = ">" if here.get("exclusiveMinimum") is True else "≥"
    high = "<" if here.get("exclusiveMaximum") is True else "≤"
    words = {
        "minimum": f"{low} %s",
        "maximum": f"{high} %s",
        "minLength": _("at least %s characters"),
        "maxLength": _("at most %s characters"),
        "pattern": _("matches %s"),
        "minItems": _("at least %s items"),
        "maxItems": _("at most %s items"),
        "minProperties": _("at least %s entries"),
        "maxProperties": _("at most %s entries"),
        "multipleOf": _("a multiple of %s"),
    }
    found = [template % (here[name],) for name, template in words.items() if here.get(name) is not None]
    if here.get("uniqueItems") or here.get("x-kubernetes-list-type") == "set":
        found.append(_("no duplicates"))
    if keys := strings(here.get("x-kubernetes-list-map-keys")):
        found.append(_("unique by %s") % ", ".join(keys))
    if here.get("nullable") is True:
        found.append(_("can be null"))
    if here.get("x-kubernetes-preserve-unknown-fields") and here.get("properties"):
        found.append(_("and any other fields"))
    return tuple(found)


def is_immutable(here: Node) -> bool:
    """Whether a rule of its own forbids any change. https://kubernetes.io/docs/reference/using-api/cel/"""
    rules = items(here.get("x-kubernetes-validations"))
    return any(text(rule.get("rule")).replace(" ", "") in _SAME for rule in rules)


def as_text(value: Any) -> str:
    """A default or one of the allowed values, as JSON but for texts."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
