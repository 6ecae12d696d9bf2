"""The names that a CustomResourceDefinition gets: those that no other one of its group has (apiextensions
pkg/controller/status).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from structural.causes import FieldCause

from .objects import Object, dig, now

#: Name → the reason of the condition when another CRD has it. Resources and kinds are separate name spaces.
_RESOURCES = {"plural": "PluralConflict", "singular": "SingularConflict"}
_KINDS = {"kind": "KindConflict", "listKind": "ListKindConflict"}


def condition_of(crd: Object, kind: str) -> Object:
    """The condition of this type; empty when there is none."""
    found: list[Object] = dig(crd, "status", "conditions") or []
    return next((item for item in found if item.get("type") == kind), {})


def set_condition(status: Object, kind: str, holds: bool, reason: str, message: str) -> None:
    """Puts a condition into a status; its transition time moves only with its status."""
    value = "True" if holds else "False"
    wanted = {"type": kind, "status": value, "lastTransitionTime": now(), "reason": reason, "message": message}
    conditions = status["conditions"] = list(status.get("conditions") or [])
    for index, item in enumerate(conditions):
        if item.get("type") == kind:
            if item.get("status") == value:
                wanted["lastTransitionTime"] = item.get("lastTransitionTime")
            conditions[index] = wanted
            return
    conditions.append(wanted)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The names that a CustomResourceDefinition has in its group."""

    name: str
    group: str
    resources: frozenset[str]
    kinds: frozenset[str]


def accepted_names(crd: Object) -> Accepted:
    """The accepted names in its status."""
    names = dig(crd, "status", "acceptedNames") or {}
    resources = {names.get(key) or "" for key in _RESOURCES} | set(names.get("shortNames") or [])
    kinds = {names.get(key) or "" for key in _KINDS}
    group = str(dig(crd, "spec", "group") or "")
    return Accepted(crd["metadata"].get("name", ""), group, frozenset(resources - {""}), frozenset(kinds - {""}))


def settle(crd: Object, others: Iterable[Accepted]) -> Object:
    """The status with the names accepted that are free, and the two conditions that tell so."""
    wanted: Object = dig(crd, "spec", "names") or {}
    status: Object = dict(crd.get("status") or {})
    accepted: Object = dict(status.get("acceptedNames") or {})
    resources, kinds = _taken(crd, others)
    conflict = _accept_short_names(wanted, accepted, resources, _accept(wanted, accepted, resources, _RESOURCES))
    conflict = _accept(wanted, accepted, kinds, _KINDS) or conflict
    accepted["categories"] = wanted.get("categories")
    status["acceptedNames"] = {"plural": "", "kind": ""} | {name: value for name, value in accepted.items() if value}
    if conflict:
        set_condition(status, "NamesAccepted", False, *conflict)
    else:
        set_condition(status, "NamesAccepted", True, "NoConflicts", "no conflicts found")
    if condition_of(crd, "Established").get("status") != "True":
        reason = ("NotAccepted", "not all names are accepted")
        if not conflict:
            reason = ("InitialNamesAccepted", "the initial names have been accepted")
        set_condition(status, "Established", not conflict, *reason)
    return status


def _taken(crd: Object, others: Iterable[Accepted]) -> tuple[set[str], set[str]]:
    mine = accepted_names(crd)
    resources, kinds = set(mine.resources), set(mine.kinds)
    for other in others:
        if other.group == mine.group:
            resources |= other.resources
            kinds |= other.kinds
    return resources, kinds


def _accept(wanted: Object, accepted: Object, taken: set[str], reasons: dict[str, str]) -> tuple[str, str] | None:
    """Reason and message of the last conflict."""
    conflict = None
    for name, reason in reasons.items():
        value = wanted.get(name) or ""
        if value != accepted.get(name) and value in taken:
            conflict = (reason, f'"{value}" is already in use')
        else:
            accepted[name] = value
    return conflict


def _accept_short_names(
    wanted: Object, accepted: Object, taken: set[str], conflict: tuple[str, str] | None
) -> tuple[str, str] | None:
    mine = accepted.get("shortNames") or []
    clashes = [name for name in wanted.get("shortNames") or [] if name not in mine and name in taken]
    if not clashes:
        accepted["shortNames"] = wanted.get("shortNames")
        return conflict
    messages = [f'"{name}" is already in use' for name in clashes]
    return "ShortNamesConflict", messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"


def immutable_causes(crd: Object, old: Object) -> list[FieldCause]:
    """Names that stay: of the resource always, scope and kind once the CRD is established."""
    paths: list[tuple[str, ...]] = [("group",), ("names", "plural")]
    if condition_of(old, "Established").get("status") == "True":
        paths = [("scope",), ("names", "kind"), *paths]
    causes = []
    for path in paths:
        value = dig(crd, "spec", *path)
        if value != dig(old, "spec", *path):
            text = f'Invalid value: "{value}": field is immutable'
            causes.append(FieldCause("spec." + ".".join(path), "FieldValueInvalid", text))
    return causes
