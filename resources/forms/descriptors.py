"""What an operator's ClusterServiceVersion says about the fields of its kinds: names, widgets and order.

https://github.com/openshift/console/blob/main/frontend/packages/operator-lifecycle-manager/src/components/descriptors/reference/reference.md
Real ones are sloppy: `tectonic.ui:text`, `ui:booleanSwitch`, several in one string, paths that begin with `spec.`. What
is meant is taken.

The order: required fields first, then those that the operator describes, in its order, then those that others depend
on, then the rest as in the schema; a field follows the one it depends on. Required, set and described fields are shown;
the operator's "advanced" fields and unset optional ones are under "More fields".
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from resources.forms.paths import Path
from resources.forms.schema import Node

Names = tuple[str, ...]

# Several urns joined by commas; the commas of a label selector don't separate urns.
_JOINT = re.compile(r",\s*(?=urn:|ui:|(?:com\.)?tectonic\.ui:|text$|hidden$|advanced$)")
_INDEX = re.compile(r"\[[^\[\]]*\]")
_PREFIX = re.compile(r"^urn:alm:descriptor:(com\.tectonic\.ui:)?|^(com\.)?tectonic\.ui:|^ui:")

#: Fewer optional fields than this are not worth a fold, at the top of the form and in its sections.
WORTH_A_FOLD, WORTH_A_FOLD_INSIDE = 4, 2
#: So many fields are shown of an object in which nothing is required, set or described.
SHOWN_ANYWAY = 8


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
    for order, entry in enumerate(spec_descriptors if isinstance(spec_descriptors, list | tuple) else ()):
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


def ordered_names(node: Node, found: Iterable[str], path: Path, descriptors: Descriptors) -> list[str]:
    """The properties of the object at `path` as they are shown."""
    required = frozenset(node.get("required") or ())
    if not descriptors.by_path:
        return sorted(found, key=lambda name: name not in required)
    above = names(path)

    def rank(name: str) -> tuple[int, int]:
        order = descriptors.orders.get((*above, name))
        if order is not None:
            return (0 if name in required else 2, order)
        return (1 if name in required else 3 if (*above, name) in descriptors.controls else 4, 0)

    return _behind(sorted(found, key=rank), above, descriptors)


def _behind(found: list[str], above: tuple[str, ...], descriptors: Descriptors) -> list[str]:
    """Each that depends on one of its neighbours moves behind it, in the order they have among themselves."""
    behind: dict[str, list[str]] = {}
    for name in found:
        descriptor = descriptors.by_path.get((*above, name))
        control = next((path[-1] for path, _ in (descriptor.depends if descriptor else ()) if path[:-1] == above), "")
        if control in found and control != name:
            behind.setdefault(control, []).append(name)
    if not behind:
        return found
    moved = {name for followers in behind.values() for name in followers}
    made: list[str] = []

    def put(name: str) -> None:
        if name not in made:
            made.append(name)
            for follower in behind.get(name, ()):
                put(follower)

    for name in found:
        if name not in moved:
            put(name)
    return made + [name for name in found if name not in made]


def folded_names(
    node: Node,
    found: Iterable[str],
    value: Mapping[str, Any],
    path: Path,
    descriptors: Descriptors,
    wanted: Iterable[Path],
) -> frozenset[str]:
    """The properties that belong under "More fields"; `wanted` are paths that must be seen."""
    required, above = frozenset(node.get("required") or ()), names(path)
    seen = {place[len(path)] for place in wanted if len(place) > len(path) and place[: len(path)] == path}
    advanced: set[str] = set()
    optional: list[str] = []
    shown = 0
    for name in found:
        place = (*above, name)
        descriptor = descriptors.by_path.get(place)
        if name in required or name in value or name in seen:
            shown += 1
        elif descriptor and descriptor.advanced:
            advanced.add(name)
        elif place in descriptors.orders or place in descriptors.controls:
            shown += 1
        else:
            optional.append(name)
    if not shown:
        return frozenset((*advanced, *optional[SHOWN_ANYWAY:])) if optional else frozenset()
    worth = WORTH_A_FOLD if len(path) <= 1 else WORTH_A_FOLD_INSIDE
    if len(optional) + len(advanced) >= worth:
        advanced.update(optional)
    return frozenset(advanced)
