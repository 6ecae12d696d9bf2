"""Roles and bindings: names may be any path segment, a binding's role never changes."""

from __future__ import annotations

from typing import Any

from ..errors import Cause
from .strategy import Object, Strategy

GROUP = "rbac.authorization.k8s.io"


def _subjects(binding: Object) -> None:
    for subject in binding.get("subjects") or []:
        if subject.get("kind") in ("User", "Group"):
            subject.setdefault("apiGroup", GROUP)
        elif subject.get("apiGroup") == "":
            del subject["apiGroup"]


def _defaults(binding: Object) -> None:
    _subjects(binding)
    reference = binding.get("roleRef")
    if isinstance(reference, dict) and not reference.get("apiGroup"):
        reference["apiGroup"] = GROUP


def _binding(binding: Object, old: Object | None) -> list[Cause]:
    causes: list[Cause] = []
    reference: Any = binding.get("roleRef") or {}
    if old is not None and reference != old.get("roleRef"):
        causes.append(
            Cause("roleRef", "FieldValueInvalid", f"Invalid value: {_text(reference)}: cannot change roleRef")
        )
    if not reference.get("name"):
        causes.append(Cause("roleRef.name", "FieldValueRequired", "Required value"))
    for index, subject in enumerate(binding.get("subjects") or []):
        if not subject.get("name"):
            causes.append(Cause(f"subjects[{index}].name", "FieldValueRequired", "Required value"))
        if subject.get("kind") == "ServiceAccount" and not subject.get("namespace"):
            causes.append(Cause(f"subjects[{index}].namespace", "FieldValueRequired", "Required value"))
    return causes


def _text(reference: Object) -> str:
    order = (("apiGroup", "APIGroup"), ("kind", "Kind"), ("name", "Name"))
    return "{" + ",".join(f'"{shown}":"{reference.get(key, "")}"' for key, shown in order) + "}"


def _role(role: Object, _: Object | None) -> list[Cause]:
    causes = []
    for index, rule in enumerate(role.get("rules") or []):
        if not rule.get("verbs"):
            causes.append(
                Cause(
                    f"rules[{index}].verbs",
                    "FieldValueRequired",
                    "Required value: verbs must contain at least one value",
                )
            )
        if not rule.get("nonResourceURLs"):
            if not rule.get("apiGroups"):
                text = "Required value: resource rules must supply at least one api group"
                causes.append(Cause(f"rules[{index}].apiGroups", "FieldValueRequired", text))
            if not rule.get("resources"):
                text = "Required value: resource rules must supply at least one resource"
                causes.append(Cause(f"rules[{index}].resources", "FieldValueRequired", text))
    return causes


def _rules(role: Object) -> None:
    if "rules" not in role:
        role["rules"] = None


_ROLE = Strategy(validate=_role, defaults=_rules, names="path", creates_on_update=True)
_BINDING = Strategy(defaults=_defaults, validate=_binding, names="path", creates_on_update=True)

STRATEGIES = {
    f"roles.{GROUP}": _ROLE,
    f"clusterroles.{GROUP}": _ROLE,
    f"rolebindings.{GROUP}": _BINDING,
    f"clusterrolebindings.{GROUP}": _BINDING,
}
