"""What an operator's ClusterServiceVersion says about the fields of its kinds: names, order and widgets.

https://github.com/openshift/console/blob/main/frontend/packages/operator-lifecycle-manager/src/components/descriptors/reference/reference.md
Real ones are sloppy: `tectonic.ui:text`, `ui:booleanSwitch`, several in one string. What is meant is taken.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_INDEX = re.compile(r"\[[^\]]*\]")
_PREFIX = re.compile(r"^urn:alm:descriptor:(com\.tectonic\.ui:|io\.kubernetes(?=:)|)?|^(com\.)?tectonic\.ui:|^ui:")


@dataclass(frozen=True, slots=True)
class Descriptor:
    """`widgets`: booleanSwitch, password, podCount …; `options` of select:*; `order`: its place among the kind's descriptors."""

    display_name: str = ""
    description: str = ""
    order: int = 0
    widgets: frozenset[str] = frozenset()
    options: tuple[str, ...] = ()
    advanced: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Descriptors:
    """Found by the path in the object, items of lists and maps left out: ("spec", "users", "name")."""

    by_path: Mapping[tuple[str, ...], Descriptor] = field(default_factory=dict)

    def get(self, path: Iterable[str | int]) -> Descriptor | None:
        return self.by_path.get(tuple(part for part in path if isinstance(part, str)))


def parse(spec_descriptors: Any) -> Descriptors:
    """`specDescriptors` of one owned CRD; anything malformed is passed over."""
    found: dict[tuple[str, ...], Descriptor] = {}
    for order, entry in enumerate(spec_descriptors if isinstance(spec_descriptors, list) else ()):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("path"), str):
            continue
        path = ("spec", *(part for part in _INDEX.sub("", entry["path"]).split(".") if part))
        found.setdefault(path, _descriptor(entry, order))
    return Descriptors(found)


def _descriptor(entry: Mapping[str, Any], order: int) -> Descriptor:
    capabilities = [
        _PREFIX.sub("", part.strip())
        for text in entry.get("x-descriptors") or ()
        if isinstance(text, str)
        for part in text.split(",")
    ]
    return Descriptor(
        display_name=str(entry.get("displayName") or ""),
        description=str(entry.get("description") or ""),
        order=order,
        widgets=frozenset(name.partition(":")[0] for name in capabilities if name),
        options=tuple(name.partition(":")[2] for name in capabilities if name.startswith("select:")),
        advanced="advanced" in capabilities,
        hidden="hidden" in capabilities,
    )
