"""Roles and bindings: names may be any path segment, a binding's role never changes."""

from __future__ import annotations

from typing import Any

from structural.causes import FieldCause
from structural.words import invalid, not_supported, required

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


def _binding(binding: Object, old: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    reference: Any = binding.get("roleRef") or {}
    if old is not None and reference != old.get("roleRef"):
        causes.append(
            FieldCause("roleRef", "FieldValueInvalid", f"Invalid value: {_text(reference)}: cannot change roleRef")
        )
    if old is None:
        causes += _reference_causes(reference, bool(binding["metadata"].get("namespace")))
    for index, subject in enumerate(binding.get("subjects") or []):
        causes += _subject_causes(subject, f"subjects[{index}]")
    return causes


def _reference_causes(reference: Object, namespaced: bool) -> list[FieldCause]:
    causes = []
    kinds = ["Role", "ClusterRole"] if namespaced else ["ClusterRole"]
    group, kind = reference.get("apiGroup") or "", reference.get("kind") or ""
    if group != GROUP:
        causes.append(not_supported("roleRef.apiGroup", group, [GROUP]))
    if kind not in kinds:
        causes.append(not_supported("roleRef.kind", kind, list(kinds)))
    if not reference.get("name"):
        causes.append(required("roleRef.name"))
    return causes


def _subject_causes(subject: Object, path: str) -> list[FieldCause]:
    causes = [] if subject.get("name") else [required(f"{path}.name")]
    kind, group = subject.get("kind") or "", subject.get("apiGroup") or ""
    if kind == "ServiceAccount":
        if group:
            causes.append(not_supported(f"{path}.apiGroup", group, [""]))
    elif kind not in ("User", "Group"):
        causes.append(not_supported(f"{path}.kind", kind, ["ServiceAccount", "User", "Group"]))
    elif group != GROUP:
        causes.append(not_supported(f"{path}.apiGroup", group, [GROUP]))
    return causes


def _text(reference: Object) -> str:
    order = (("apiGroup", "APIGroup"), ("kind", "Kind"), ("name", "Name"))
    return "{" + ",".join(f'"{shown}":"{reference.get(key, "")}"' for key, shown in order) + "}"


def _role(role: Object, _: Object | None) -> list[FieldCause]:
    causes = []
    for index, rule in enumerate(role.get("rules") or []):
        if not rule.get("verbs"):
            causes.append(
                FieldCause(
                    f"rules[{index}].verbs",
                    "FieldValueRequired",
                    "Required value: verbs must contain at least one value",
                )
            )
        if rule.get("nonResourceURLs") and role["metadata"].get("namespace"):
            text = "namespaced rules cannot apply to non-resource URLs"
            causes.append(invalid(f"rules[{index}].nonResourceURLs", rule["nonResourceURLs"], text))
        elif not rule.get("nonResourceURLs"):
            if not rule.get("apiGroups"):
                text = "Required value: resource rules must supply at least one api group"
                causes.append(FieldCause(f"rules[{index}].apiGroups", "FieldValueRequired", text))
            if not rule.get("resources"):
                text = "Required value: resource rules must supply at least one resource"
                causes.append(FieldCause(f"rules[{index}].resources", "FieldValueRequired", text))
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
