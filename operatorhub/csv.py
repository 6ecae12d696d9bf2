"""Reading a ClusterServiceVersion, or the part of it that a PackageManifest's channel holds. Pure: no cluster, no Django models.

Nothing an operator's author wrote is trusted to have a shape: what can't be read is left out, never an error.
https://olm.operatorframework.io/docs/concepts/crds/clusterserviceversion/
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Object = Mapping[str, Any]

# The five levels, as authors write them in the annotation `capabilities`: https://sdk.operatorframework.io/docs/overview/operator-capabilities/
LEVELS = ("Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot")
MODES = ("AllNamespaces", "OwnNamespace", "SingleNamespace", "MultiNamespace")


@dataclass(frozen=True, slots=True)
class Api:
    """A kind that an operator provides or needs. `group` and `plural` come from the CRD's name; `version` is the one the CSV names."""

    group: str
    version: str
    plural: str
    kind: str
    title: str = ""
    description: str = ""

    @property
    def crd(self) -> str:
        return f"{self.plural}.{self.group}"


def mapping(value: Any) -> Object:
    """`value` where it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> Iterator[Object]:
    """The mappings in a list; nothing of anything else."""
    for one in value if isinstance(value, list | tuple) else ():
        if isinstance(one, Mapping):
            yield one


def text(value: Any) -> str:
    """The value as text, '' for what is not there."""
    return "" if value is None else str(value).strip()


def level(capabilities: Any) -> int:
    """1 to 5, or 0 when the annotation names none of the levels."""
    word = text(capabilities).lower()
    return next((number for number, name in enumerate(LEVELS, 1) if name.lower() == word), 0)


def split(value: Any) -> tuple[str, ...]:
    """The parts of a comma-separated annotation, each once, in their order."""
    return tuple(dict.fromkeys(part for raw in text(value).split(",") if (part := raw.strip())))


def strings(value: Any) -> tuple[str, ...]:
    """The texts in a list, each once."""
    found = (text(one) for one in (value if isinstance(value, list | tuple) else ()))
    return tuple(dict.fromkeys(one for one in found if one))


def apis(definitions: Any, which: str = "owned") -> tuple[Api, ...]:
    """Of `customresourcedefinitions`: the kinds it provides (`owned`) or needs (`required`), one version each, those people use first."""
    found: dict[str, Api] = {}
    for entry in items(mapping(definitions).get(which)):
        plural, _, group = text(entry.get("name")).partition(".")
        kind = text(entry.get("kind"))
        if plural and group and kind:
            title, words = text(entry.get("displayName")) or kind, text(entry.get("description"))
            found.setdefault(f"{plural}.{group}", Api(group, text(entry.get("version")), plural, kind, title, words))
    return tuple(found.values())


def install_modes(value: Any) -> tuple[str, ...]:
    """The supported ones, in the order of MODES."""
    supported = {text(mode.get("type")) for mode in items(value) if mode.get("supported") is True}
    return tuple(mode for mode in MODES if mode in supported)


def internal(annotations: Object) -> frozenset[str]:
    """CRD names that the author marks as not for people."""
    return frozenset(strings(_json(annotations.get("operators.operatorframework.io/internal-objects"))))


def suggested_namespace(annotations: Object) -> str:
    """The author's wish, as a name or inside a template of a Namespace."""
    if name := text(annotations.get("operatorframework.io/suggested-namespace")):
        return name
    template = mapping(_json(annotations.get("operatorframework.io/suggested-namespace-template")))
    return text(mapping(template.get("metadata")).get("name"))


def features(annotations: Object) -> tuple[str, ...]:
    """Infrastructure features in words: `features.operators.openshift.io/<name>: "true"`, and the older list."""
    prefix = "features.operators.openshift.io/"
    new = [
        name.removeprefix(prefix)
        for name, value in annotations.items()
        if name.startswith(prefix) and text(value).lower() == "true"
    ]
    old = strings(_json(annotations.get("operators.openshift.io/infrastructure-features")))
    return tuple(dict.fromkeys((*sorted(new), *(name for name in old if name.lower() not in new))))


def _json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) and value.strip() else None
    except ValueError:
        return None
