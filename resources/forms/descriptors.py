"""What an operator's ClusterServiceVersion says about the fields of its kinds: names, order and widgets.

https://github.com/openshift/console/blob/main/frontend/packages/operator-lifecycle-manager/src/components/descriptors/reference/reference.md
Real ones are sloppy: `tectonic.ui:text`, `ui:booleanSwitch`, several in one string, paths that begin with `spec.`. What
is meant is taken.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Names = tuple[str, ...]

# Several urns joined by commas; the commas of a label selector don't separate urns.
_JOINT = re.compile(r",\s*(?=urn:|ui:|(?:com\.)?tectonic\.ui:|text$|hidden$|advanced$)")
_INDEX = re.compile(r"\[[^\[\]]*\]")
_PREFIX = re.compile(r"^urn:alm:descriptor:(com\.tectonic\.ui:)?|^(com\.)?tectonic\.ui:|^ui:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """`widgets`: booleanSwitch, password, podCount …; `options` of select:*; `order`: its place among the kind's
    descriptors; `group`: of fieldGroup:* and arrayFieldGroup:*; `depends`: on the values of which other fields, of one
    path any, of several paths all; `kubernetes`: what stands behind `io.kubernetes:` ("Secret?app=x"); `selector`:
    behind `selector:` ("core:v1:Pod").
    """

    display_name: str = ""
    description: str = ""
    order: int = 0
    widgets: frozenset[str] = frozenset()
    options: tuple[str, ...] = ()
    advanced: bool = False
    hidden: bool = False
    group: str = ""
    depends: tuple[tuple[Names, str], ...] = ()
    kubernetes: str = ""
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Descriptors:
    """Found by the path in the object, items of lists and maps left out: ("spec", "users", "name")."""

    by_path: Mapping[Names, Descriptor] = field(default_factory=dict)
    #: The first descriptor at or below each path.
    orders: Mapping[Names, int] = field(default_factory=dict)
    #: The paths that others depend on.
    controls: frozenset[Names] = frozenset()

    def get(self, path: Iterable[str | int]) -> Descriptor | None:
        return self.by_path.get(names(path))


def names(path: Iterable[str | int]) -> Names:
    return tuple(part for part in path if isinstance(part, str))


def parse(spec_descriptors: Any) -> Descriptors:
    """`specDescriptors` of one owned CRD; anything malformed is passed over."""
    found: dict[Names, Descriptor] = {}
    orders: dict[Names, int] = {}
    for order, entry in enumerate(spec_descriptors if isinstance(spec_descriptors, list) else ()):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("path"), str):
            continue
        path = _path(entry["path"])
        found.setdefault(path, _descriptor(entry, order))
        for end in range(1, len(path) + 1):
            orders.setdefault(path[:end], order)
    controls = frozenset(path for descriptor in found.values() for path, _ in descriptor.depends)
    return Descriptors(found, orders, controls)


def _path(text: str) -> Names:
    """`users[0].name`, as it stands in a descriptor: from `spec` on, whether it says so or not."""
    parts = [part for part in _INDEX.sub("", text).strip().split(".") if part]
    return ("spec", *parts[1:]) if parts[:1] == ["spec"] and len(parts) > 1 else ("spec", *parts)


def _descriptor(entry: Mapping[str, Any], order: int) -> Descriptor:
    names = capabilities(entry.get("x-descriptors"))
    return Descriptor(
        display_name=str(entry.get("displayName") or ""),
        description=str(entry.get("description") or ""),
        order=order,
        widgets=frozenset(name.partition(":")[0] for name in names if name),
        options=tuple(dict.fromkeys(_after(names, "select:"))),
        advanced="advanced" in names,
        hidden="hidden" in names,
        group=next((name for prefix in ("fieldGroup:", "arrayFieldGroup:") for name in _after(names, prefix)), ""),
        depends=tuple(_dependencies(names)),
        kubernetes=next(iter(_after(names, "io.kubernetes:")), ""),
        selector=next(iter(_after(names, "selector:")), ""),
    )


def capabilities(value: Any) -> tuple[str, ...]:
    """What `x-descriptors` say, without their prefixes: `password`, `select:a`, `io.kubernetes:Secret`."""
    return tuple(
        _PREFIX.sub("", part.strip())
        for text in _sequence(value)
        if isinstance(text, str)
        for part in _JOINT.split(text)
    )


def _sequence(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else ()


def _after(names: Iterable[str], prefix: str) -> Iterable[str]:
    return (name.removeprefix(prefix) for name in names if name.startswith(prefix))


def _dependencies(names: Iterable[str]) -> Iterable[tuple[Names, str]]:
    for rest in _after(names, "fieldDependency:"):
        path, colon, value = rest.partition(":")
        if colon and path:
            yield _path(path), value
