"""Reading a ClusterServiceVersion, or the part of it that a PackageManifest's channel holds; and the order of versions.

Pure: no cluster, no Django models.

Nothing an operator's author wrote is trusted to have a shape: what can't be read is left out, never an error.
https://olm.operatorframework.io/docs/concepts/crds/clusterserviceversion/

Versions are semantic versions, compared as https://semver.org/ says.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from kube.objects import items
from kube.reader import read
from kube.types import meta
from kube.types.olm import CRDDescription, CSVDescription, InstallMode
from resources.types import kind_versions
from resources.types.kind_versions import DefinedVersion
from untrusted import json_bounds

Object = Mapping[str, Any]

# The five levels, as authors write them in the annotation `capabilities`:
# https://sdk.operatorframework.io/docs/overview/operator-capabilities/
LEVELS = ("Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot")
# https://docs.redhat.com/en/documentation/openshift_container_platform/4.17/html/operators/developing-operators#osdk-generating-csvs
FEATURES: dict[str, str | Promise] = {
    "disconnected": _("Disconnected"),
    "proxy-aware": _("Proxy-aware"),
    "fips": _("Designed for FIPS"),
    "tls-profiles": _("Configurable TLS ciphers"),
    "cnf": _("Cloud-Native Network Function"),
    "cni": _("Container Network Interface"),
    "csi": _("Container Storage Interface"),
    "sno": _("Single-node clusters"),
    "token-auth-aws": _("Short-lived tokens: AWS"),
    "token-auth-azure": _("Short-lived tokens: Azure"),
    "token-auth-gcp": _("Short-lived tokens: Google Cloud"),
}
_ALIASES = {
    "fips-compliant": "fips",
    "fipsmode": "fips",
    "fips-mode": "fips",
    "designed-for-fips": "fips",
    "proxy": "proxy-aware",
    "single-node": "sno",
    "single-node-clusters": "sno",
    "tls": "tls-profiles",
    "tokenauth": "token-auth-aws",
    "tokenauthgcp": "token-auth-gcp",
}
_DAY = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
LEVEL_WORDS: tuple[str | Promise, ...] = (
    _("The operator installs and configures its instances."),
    _("It also upgrades them to newer versions."),
    _("It also backs them up, restores them and recovers from failures."),
    _("It also provides metrics, alerts and logs."),
    _("It also scales, tunes and heals automatically."),
)
MODES = ("AllNamespaces", "OwnNamespace", "SingleNamespace", "MultiNamespace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """A kind that an operator provides or needs.

    `group` and `plural` come from the CRD's name; `version` is the one to use, and `deprecated`
    where even that one is.
    """

    group: str
    version: str
    plural: str
    kind: str
    title: str = ""
    description: str = ""
    deprecated: bool = False

    @property
    def crd(self) -> str:
        return f"{self.plural}.{self.group}"


def level(annotations: Mapping[str, str]) -> int:
    """1 to 5, or 0 when the annotation names none of the levels."""
    word = annotations.get("capabilities", "").strip().lower()
    return next((number for number, name in enumerate(LEVELS, 1) if name.lower() == word), 0)


def split(value: str) -> tuple[str, ...]:
    """The parts of a comma-separated annotation, each once, in their order."""
    return tuple(dict.fromkeys(part for raw in value.split(",") if (part := raw.strip())))


def strings(value: Any) -> tuple[str, ...]:
    """The texts in a list, each once."""
    found = (str(item).strip() for item in (value if isinstance(value, list | tuple) else ()) if item is not None)
    return tuple(dict.fromkeys(string for string in found if string))


def provided(desc: CSVDescription, annotations: Mapping[str, str], crds: Iterable[Object] = ()) -> tuple[Api, ...]:
    """The kinds for people, in the order in which they are useful: the one that the author wants made at the start,
    those with an example, of these the one that the operator is named after (Grafana of Grafana Operator), then by how
    many of their fields the author describes. Those marked as internal are left out.
    """
    owned = desc.customresourcedefinitions.owned
    described: dict[str, int] = {}
    for version in owned:
        number = len(version.spec_descriptors) + len(version.status_descriptors)
        described[version.name] = max(number, described.get(version.name, 0))
    first = _group_kind(initialization(annotations))
    exampled = {_group_kind(example) for example in objects(annotations)}
    hidden = internal(annotations)
    name = desc.display_name.replace(" ", "").lower()

    def rank(api: Api) -> tuple[bool, bool, bool, int]:
        kind = (api.group, api.kind)
        return kind != first, kind not in exampled, api.kind.lower() not in name, -described.get(api.crd, 0)

    return tuple(sorted((api for api in apis(owned, crds) if api.crd not in hidden), key=rank))


def _group_kind(obj: Object | None) -> tuple[str, str]:
    found = read(obj, meta.Object)
    return found.group, found.kind


def apis(described: Iterable[CRDDescription], crds: Iterable[Object] = ()) -> tuple[Api, ...]:
    """The kinds that a CSV owns or requires, each once.

    Of several versions of a kind the one to use is taken (`kind_versions.preferred`), with its own words. `crds`: the
    CustomResourceDefinitions, if known; without them Kubernetes' version order decides.
    """
    defined = {read(crd, meta.Object).metadata.name: kind_versions.defined(crd) for crd in crds}
    found: dict[str, list[Api]] = {}
    for version in described:
        plural, _dot, group = version.name.partition(".")
        if plural and group and version.kind:
            found.setdefault(version.name, []).append(
                Api(
                    group=group,
                    version=version.version,
                    plural=plural,
                    kind=version.kind,
                    title=version.display_name or version.kind,
                    description=version.description,
                )
            )
    return tuple(_preferred(versions, defined.get(name, ())) for name, versions in found.items())


def _preferred(named: list[Api], defined: tuple[DefinedVersion, ...]) -> Api:
    """One Api of the versions that a CSV names; a version that it does not name has the words of the others."""
    by_version = {api.version: api for api in reversed(named)}
    known = {version.name: version for version in defined if version.served}
    unknown = [DefinedVersion(name=version) for version in by_version]
    version = kind_versions.preferred(known.values() or unknown)
    newest = kind_versions.preferred(unknown)
    of_version = by_version.get(version, by_version[newest])
    return replace(
        of_version,
        version=version,
        description=of_version.description or next((api.description for api in named if api.description), ""),
        deprecated=version in known and known[version].deprecated,
    )


def install_modes(modes: Iterable[InstallMode]) -> tuple[str, ...]:
    """The supported ones, in the order of MODES."""
    supported = {mode.type for mode in modes if mode.supported}
    return tuple(mode for mode in MODES if mode in supported)


def internal(annotations: Mapping[str, str]) -> frozenset[str]:
    """CRD names that the author marks as not for people."""
    return frozenset(strings(_json(annotations.get("operators.operatorframework.io/internal-objects"))))


def suggested_namespace(annotations: Mapping[str, str]) -> str:
    """The namespace that the author suggests, as a name or in a Namespace template."""
    if name := annotations.get("operatorframework.io/suggested-namespace", "").strip():
        return name
    template = _json(annotations.get("operatorframework.io/suggested-namespace-template"))
    return read(template, meta.Object).metadata.name


def initialization(annotations: Mapping[str, str]) -> Object | None:
    """The object that the author wants made at the start (operatorframework.io/initialization-resource); None where
    there is none.
    """
    found = _json(annotations.get("operatorframework.io/initialization-resource"))
    return found if isinstance(found, Mapping) and found.get("kind") and found.get("apiVersion") else None


def features(annotations: Mapping[str, str]) -> tuple[str, ...]:
    """Infrastructure features as keys of FEATURES, unknown ones as they are:
    `features.operators.openshift.io/<name>: "true"`, and the older list.

    A "false" of the newer annotations takes away what the older list says.
    """
    prefix = "features.operators.openshift.io/"
    flags = {
        _feature(name.removeprefix(prefix)): value.strip().strip("“”\"'").lower()
        for name, value in annotations.items()
        if name.startswith(prefix)
    }
    old = (_feature(name) for name in _list(annotations.get("operators.openshift.io/infrastructure-features", "")))
    found = {name for name, value in flags.items() if value == "true"} | {
        name for name in old if flags.get(name) != "false"
    }
    known = tuple(FEATURES)
    return tuple(
        sorted(found, key=lambda feature: (known.index(feature) if feature in FEATURES else len(known), feature))
    )


def subscriptions(annotations: Mapping[str, str]) -> tuple[str, ...]:
    """The vendor's subscriptions that the operator asks for; empty where it asks for none."""
    found = _list(annotations.get("operators.openshift.io/valid-subscription", ""))
    return tuple(name for name in found if name.lower() != "none")


def created(annotations: Mapping[str, str]) -> str:
    """The day of `createdAt` as YYYY-MM-DD; '' if it isn't a date."""
    found = _DAY.match(annotations.get("createdAt", "").strip())
    return found[0] if found else ""


def objects(annotations: Mapping[str, str]) -> tuple[Object, ...]:
    """The objects of the annotation `alm-examples`, a JSON list."""
    found = _json(annotations.get("alm-examples"))
    return tuple(items(found if isinstance(found, list) else [found]))


def _feature(name: str) -> str:
    plain = "-".join(name.lower().replace("_", " ").split())
    return _ALIASES.get(plain, plain)


def _list(value: str) -> tuple[str, ...]:
    """A JSON list of texts; authors also write `[fips]`, or one text alone."""
    found = _json(value)
    if found is None:
        return tuple(part for raw in value.strip().strip("[]").split(",") if (part := raw.strip("\"' ")))
    return strings(found if isinstance(found, list) else [found])


def _json(value: str | None) -> Any:
    try:
        return json_bounds.loads(value) if value and value.strip() else None
    except ValueError:
        return None


_VERSION = re.compile(
    r"v?(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?"
)
VersionKey = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def is_version(version: str) -> bool:
    return _VERSION.fullmatch(version) is not None


@lru_cache(maxsize=16384)
def version_key(version: str) -> VersionKey:
    """Sort key of a version; invalid ones come first."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (-1, 0, 0, False, ())
    major, minor, patch, pre = found.groups()
    # A pre-release comes before its release; numbers before words.
    parts = tuple(
        (not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in (pre or "").split(".") if part
    )
    return (int(major), int(minor), int(patch), not pre, parts)
