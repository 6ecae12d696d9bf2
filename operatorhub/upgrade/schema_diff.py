"""Two CustomResourceDefinitions of one name compared, in words: versions, fields, and above all limits that became
tighter. Pure.

What can make an object that is there invalid, or lose it, is marked: "danger" OLM or the API server refuse the change
(a version that objects are stored in goes); "tight" objects may be refused; "info" everything else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.objects import mapping
from kube.reader import read
from kube.types.extensions import CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps

#: Of one CRD; more are counted.
REMARKS = 300
_DEPTH = 40
Node = Mapping[str, Any]

#: Limits: name, whether a larger number is tighter.
_NUMBERS = (
    ("minimum", True),
    ("maximum", False),
    ("minLength", True),
    ("maxLength", False),
    ("minItems", True),
    ("maxItems", False),
    ("minProperties", True),
    ("maxProperties", False),
)
_LISTS = {"x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"}


@dataclass(frozen=True, slots=True)
class Remark:
    """`level`: danger, tight or info. `where`: version and path, '' for the CRD as a whole."""

    level: str
    where: str
    words: str


@dataclass(frozen=True, slots=True)
class SchemaDiff:
    """`remarks`: the grave ones first; `more`: how many are left out; `rules`: CEL rules that are new, which the
    server alone can check.
    """

    remarks: tuple[Remark, ...]
    more: int = 0
    rules: int = 0

    @property
    def grave(self) -> bool:
        return any(remark.level == "danger" for remark in self.remarks)

    @property
    def tight(self) -> bool:
        return any(remark.level != "info" for remark in self.remarks)


def versions(crd: CustomResourceDefinition) -> dict[str, CustomResourceDefinitionVersion]:
    """spec.versions by name."""
    return {version.name: version for version in crd.spec.versions}


def dropped(old: CustomResourceDefinition, new: CustomResourceDefinition) -> tuple[str, ...]:
    """Versions in which objects may be stored (status.storedVersions) and that the new CRD does not have: OLM refuses
    the plan.
    """
    there = versions(new)
    return tuple(version for version in dict.fromkeys(old.status.stored_versions) if version not in there)


def compare(old: CustomResourceDefinition, new: CustomResourceDefinition) -> SchemaDiff:
    """From the CRD in the cluster to the one of the plan."""
    found = [*_whole(old, new)]
    before, after = versions(old), versions(new)
    rules = 0
    for name in after:
        if name in before:
            walk = _Walk(name)
            walk.node(before[name].schema.open_api_v3_schema, after[name].schema.open_api_v3_schema, "", 0)
            found += walk.found
            rules += walk.rules
    rank = {"danger": 0, "tight": 1, "info": 2}
    found.sort(key=lambda remark: rank[remark.level])
    return SchemaDiff(tuple(found[:REMARKS]), max(0, len(found) - REMARKS), rules)


def _whole(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[Remark]:
    before, after = versions(old), versions(new)
    for name in dropped(old, new):
        yield Remark(
            "danger",
            name,
            _(
                "The version %(name)s is removed, but objects may be stored in it (status.storedVersions). OLM refuses"
                " the plan until they are migrated."
            )
            % {"name": name},
        )
    for name in before:
        if name not in after:
            yield Remark(
                "tight",
                name,
                _("The version %(name)s is removed. Clients that request it get an error.") % {"name": name},
            )
        elif before[name].served and not after[name].served:
            yield Remark("tight", name, _("The version %(name)s is no longer served.") % {"name": name})
    for name, version in after.items():
        if name not in before:
            yield Remark("info", name, _("The version %(name)s is new.") % {"name": name})
        if version.storage and name in before and not before[name].storage:
            yield Remark("info", name, _("Objects are now stored in the version %(name)s.") % {"name": name})
        elif version.storage and name not in before:
            yield Remark("info", name, _("Objects are now stored in the new version %(name)s.") % {"name": name})
    if old.spec.scope != new.spec.scope:
        yield Remark(
            "danger",
            "",
            _("The scope changed from %(old)s to %(new)s, which the API server doesn't allow.")
            % {"old": old.spec.scope, "new": new.spec.scope},
        )
    old_strategy = old.spec.conversion.strategy or "None"
    new_strategy = new.spec.conversion.strategy or "None"
    if old_strategy != new_strategy:
        yield Remark(
            "info",
            "",
            _("Conversion changed from %(old)s to %(new)s.") % {"old": old_strategy, "new": new_strategy},
        )


class _Walk:
    """Through one version's two schemas at once."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.found: list[Remark] = []
        self.rules = 0

    def add(self, level: str, path: str, words: str) -> None:
        self.found.append(Remark(level, f"{self.version} {path}".strip(), words))

    def node(self, old: Node, new: Node, path: str, depth: int) -> None:
        if old == new or depth > _DEPTH:
            return
        before, after = read(old, JSONSchemaProps), read(new, JSONSchemaProps)
        self._type(before, after, path)
        self._limits(old, new, path)
        self._rules(before, after, path)
        self._properties(before, after, path, depth)
        self._inner(before.items, after.items, f"{path}[]", depth)
        self._inner(before.additional_properties, after.additional_properties, f"{path}.*", depth)

    def _inner(self, old: Any, new: Any, path: str, depth: int) -> None:
        """`old`, `new`: also true, or nothing."""
        if mapping(old) and mapping(new):
            self.node(old, new, path, depth + 1)

    def _type(self, old: JSONSchemaProps, new: JSONSchemaProps, path: str) -> None:
        before, after = (_type_word(item) for item in (old, new))
        if before != after:
            level = "info" if not after or (before == "integer" and after in ("number", "int-or-string")) else "tight"
            self.add(
                level,
                path,
                _("The type changed from %(old)s to %(new)s.")
                % {
                    "old": before or _("anything"),
                    "new": after or _("anything"),
                },
            )

    def _limits(self, old: Node, new: Node, path: str) -> None:
        for name, larger in _NUMBERS:
            before, after = old.get(name), new.get(name)
            if before == after or isinstance(before, bool) or not isinstance(after, int | float):
                if before is not None and after is None:
                    self.add(
                        "info",
                        path,
                        _("The constraint %(name)s: %(old)s no longer applies.") % {"name": name, "old": before},
                    )
                continue
            tighter = not isinstance(before, int | float) or ((after > before) if larger else (after < before))
            words = _limit(name, before, after)
            self.add("tight" if tighter else "info", path, words)
        self._values(old, new, path)
        for name in ("pattern", "format", "multipleOf"):
            if new.get(name) != old.get(name):
                if new.get(name) is None:
                    self.add(
                        "info",
                        path,
                        _("The constraint %(name)s: %(old)s no longer applies.") % {"name": name, "old": old.get(name)},
                    )
                else:
                    self.add("tight", path, _limit(name, old.get(name), new.get(name)))
        for name in ("uniqueItems", *_LISTS):
            if new.get(name) != old.get(name) and new.get(name):
                self.add("tight", path, _limit(name, old.get(name), new.get(name)))
        if old.get("nullable") is True and new.get("nullable") is not True:
            self.add("tight", path, _("Null is no longer allowed."))
        if old.get("default") != new.get("default"):
            self.add(
                "info",
                path,
                _("The default changed from %(old)s to %(new)s.")
                % {
                    "new": _brief(new.get("default")),
                    "old": _brief(old.get("default")),
                },
            )

    def _values(self, old: Node, new: Node, path: str) -> None:
        before, after = old.get("enum"), new.get("enum")
        if before == after:
            return
        if not isinstance(after, list):
            self.add("info", path, _("Any value is now allowed."))
        elif not isinstance(before, list):
            self.add("tight", path, _("Only these values are now allowed: %(names)s.") % {"names": _names(after)})
        else:
            if gone := [item for item in before if item not in after]:
                self.add("tight", path, _("These values are no longer allowed: %(names)s.") % {"names": _names(gone)})
            if more := [item for item in after if item not in before]:
                self.add("info", path, _("These values are allowed too: %(names)s.") % {"names": _names(more)})

    def _rules(self, old: JSONSchemaProps, new: JSONSchemaProps, path: str) -> None:
        known = {validation.rule.strip() for validation in old.x_kubernetes_validations}
        for validation in new.x_kubernetes_validations:
            rule = validation.rule.strip()
            if rule not in known:
                self.rules += 1
                self.add("tight", path, _("New rule: %(rule)s") % {"rule": validation.message or rule[:200]})

    def _properties(self, old: JSONSchemaProps, new: JSONSchemaProps, path: str, depth: int) -> None:
        before, after = old.properties, new.properties
        required = set(new.required) - set(old.required)
        for name, child in after.items():
            place = f"{path}.{name}" if path else name
            if name not in before:
                level = "tight" if name in required and "default" not in mapping(child) else "info"
                self.add(level, place, _("New required field.") if name in required else _("New field."))
            else:
                if name in required:
                    self.add("tight", place, _("The field is now required."))
                self.node(mapping(before[name]), mapping(child), place, depth + 1)
        open_ = new.x_kubernetes_preserve_unknown_fields or bool(new.additional_properties)
        for name in before:
            if name not in after:
                place = f"{path}.{name}" if path else name
                self.add(
                    "info" if open_ else "tight",
                    place,
                    _("The field was removed. Its value is dropped when the object is next saved."),
                )


def _limit(name: str, before: Any, after: Any) -> str:
    if before is None or before == "":
        return _("%(name)s is now %(new)s. There was no such limit before.") % {"name": name, "new": after}
    return _("%(name)s changed from %(old)s to %(new)s.") % {"name": name, "new": after, "old": before}


def _type_word(node: JSONSchemaProps) -> str:
    return "int-or-string" if node.x_kubernetes_int_or_string else ", ".join(node.types)


def _names(values: list[Any]) -> str:
    shown = ", ".join(map(str, values[:12]))
    return f"{shown} …" if len(values) > 12 else shown


def _brief(value: Any) -> str:
    text = "–" if value is None else str(value)
    return f"{text[:80]}…" if len(text) > 80 else text
