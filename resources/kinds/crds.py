"""A CustomResourceDefinition's page: its names, versions, what is stored, how it is converted, how many objects
there are and who brought it.

https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, items, mapping, text
from resources.kinds import Kind, Maker, Panel
from resources.lists.counts import Count, count
from resources.place import Place
from resources.types.manager import Manager, definition_owner, manager

_COLUMNS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CrdVersion:
    """`type`: None where the cluster does not serve it.

    `warning`: the deprecation warning, '' for one that is not deprecated.
    """

    name: str
    served: bool
    storage: bool
    stored: bool
    warning: str
    subresources: tuple[str, ...]
    columns: tuple[tuple[str, str, bool], ...]
    type: ResourceType | None


@dataclass(frozen=True, slots=True)
class Conversion:
    """`webhook`: its address in words, '' where none is asked.

    `service` links the Service; `problem`: why it can't work.
    """

    strategy: str
    webhook: str = ""
    service: Place | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """`type`: the kind in the version that the cluster prefers, None where it serves none.

    `old`: stored versions that are not stored in any more.

    `owner`: where the notes on it say more than the page's summary does. `migrate`: the command that writes all objects
    once more; `forget`: the one that strikes the old versions off.
    """

    group: str
    kind: str
    namespaced: bool
    names: tuple[tuple[str, str], ...]
    versions: tuple[CrdVersion, ...]
    storage: str
    old: tuple[str, ...]
    gone: tuple[str, ...]
    conversion: Conversion
    type: ResourceType | None
    count: Count | None
    owner: Manager | None
    migrate: str
    forget: str

    @property
    def place(self) -> Place | None:
        return Place(self.type) if self.type else None


def panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    found = definition(client, obj)
    yield Panel("definition", "resources/kinds/_definition.html", found, wide=True)
    yield Panel("versions", "resources/kinds/_versions.html", found, wide=True)


def definition(client: ClusterClient, obj: KubeObject) -> Definition:
    """Asks for the number of objects, and for the Service of a webhook."""
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    names = mapping(spec.get("names"))
    group, plural = text(spec.get("group")), text(names.get("plural"))
    served = _served(client, group, plural)
    stored = _texts(status.get("storedVersions"))
    declared = items(spec.get("versions"))
    brought = definition_owner(client, obj)
    versions = tuple(_version(entry, stored, served) for entry in declared)
    storage = next((version.name for version in versions if version.storage), "")
    type_ = next(iter(served.values()), None)
    qualified = f"{plural}.{group}"
    everywhere = " -A" if text(spec.get("scope")) == "Namespaced" else ""
    return Definition(
        group=group,
        kind=text(names.get("kind")),
        namespaced=bool(everywhere),
        names=_names(names),
        versions=versions,
        storage=storage,
        old=tuple(version for version in stored if version != storage),
        gone=tuple(
            stored_version for stored_version in stored if stored_version not in {version.name for version in versions}
        ),
        conversion=_conversion(client, mapping(spec.get("conversion")), len(versions) > 1),
        type=type_,
        count=count(client, type_) if type_ else None,
        owner=brought if brought != manager(obj) else None,
        migrate=f"kubectl get {qualified}{everywhere} -o json | kubectl replace -f -",
        forget=f"kubectl patch crd {qualified} --subresource=status --type=merge"
        f""" -p '{{"status":{{"storedVersions":["{storage}"]}}}}'""",
    )


def _served(client: ClusterClient, group: str, plural: str) -> Mapping[str, ResourceType]:
    """By version, the preferred one first."""
    try:
        return {type_.version: type_ for type_ in client.types() if (type_.group, type_.plural) == (group, plural)}
    except KubeError:
        return {}


def _names(names: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    pairs = (
        (_("Plural"), text(names.get("plural"))),
        (_("Singular"), text(names.get("singular"))),
        (_("Short names"), ", ".join(_texts(names.get("shortNames")))),
        (_("Categories"), ", ".join(_texts(names.get("categories")))),
    )
    return tuple(pair for pair in pairs if pair[1])


def _version(entry: Mapping[str, Any], stored: tuple[str, ...], served: Mapping[str, ResourceType]) -> CrdVersion:
    name = text(entry.get("name"))
    warning = text(entry.get("deprecationWarning")) or _("This version is deprecated.")
    columns = items(entry.get("additionalPrinterColumns"))[:_COLUMNS]
    return CrdVersion(
        name=name,
        served=entry.get("served") is True,
        storage=entry.get("storage") is True,
        stored=name in stored,
        warning=warning if entry.get("deprecated") is True else "",
        subresources=tuple(sorted(str(subresource) for subresource in mapping(entry.get("subresources")))),
        columns=tuple(
            (text(column.get("name")), text(column.get("jsonPath")), text(column.get("priority")) not in ("", "0"))
            for column in columns
        ),
        type=served.get(name),
    )


def _conversion(client: ClusterClient, conversion: Mapping[str, Any], several: bool) -> Conversion:
    strategy = text(conversion.get("strategy")) or "None"
    if strategy != "Webhook":
        return Conversion(strategy)
    config = mapping(mapping(conversion.get("webhook")).get("clientConfig"))
    if url := text(config.get("url")):
        return Conversion(strategy, url)
    service = mapping(config.get("service"))
    namespace, name = text(service.get("namespace")), text(service.get("name"))
    words = f"{namespace}/{name}:{text(service.get('port')) or 443}{text(service.get('path'))}"
    if not namespace or not name or "/" in namespace + name:
        return Conversion(strategy, words)
    try:
        type_ = client.find("", "v1", "services")
        client.get(type_, name, namespace)
    except NotFound:
        problem = _(
            "This Service doesn't exist, so the API server can't convert objects, and objects stored in another version"
            " can't be read. Check that its operator is installed and running."
        )
        return Conversion(strategy, words, None, problem if several else "")
    except KubeError:
        return Conversion(strategy, words)
    place = Place(type_, namespace, name)
    problem = (
        ""
        if config.get("caBundle")
        else _("The webhook's certificate authority (caBundle) isn't set, so the API server doesn't trust it.")
    )
    return Conversion(strategy, words, place, problem)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text(item) for item in value) if isinstance(value, list) else ()


PANELS: dict[Kind, Maker] = {("apiextensions.k8s.io", "CustomResourceDefinition"): panels}
