"""A CustomResourceDefinition's page: its names, versions, what is stored, how it is converted, how many objects
there are and who brought it.

https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject
from kube.reader import read
from kube.types.extensions import (
    CustomResourceConversion,
    CustomResourceDefinition,
    CustomResourceDefinitionNames,
    CustomResourceDefinitionVersion,
)
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bit, Cell, facts, line
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
    yield facts("definition", _("Kind %(kind)s") % {"kind": found.kind}, _facts(found), wide=True)
    yield Panel("versions", "resources/kinds/_versions.html", found, wide=True)


def _facts(found: Definition) -> Iterator[tuple[str, Cell]]:
    place, owner = found.place, found.owner
    yield _("Objects"), _objects(place, found.count)
    yield _("Schema"), (Bit(text=_("All fields"), url=place.kind_url("explain")),) if place else ()
    yield _("Group"), line(found.group)
    yield _("Scope"), line(_("namespaced") if found.namespaced else _("cluster-scoped"))
    yield from ((name, line(value)) for name, value in found.names)
    yield _("Provided by"), (Bit(text=owner.words, url=owner.url),) if owner else ()
    yield _("Conversion between versions"), _converted(found.conversion)


def _objects(place: Place | None, counted: Count | None) -> Cell:
    if place is None or counted is None:
        return line(_("not served"))
    url, kinds = f"{place.list_url}?namespace=-", place.type.kinds
    if not counted.problem:
        return (Bit(text=f"{kinds}: {counted.text}", url=url),)
    if counted.forbidden:
        why = line(_("you don't have permission to list them"), "muted", help_=counted.problem)
    else:
        why = line(counted.problem, "error")
    return (Bit(text=kinds, url=url), *why)


def _converted(conversion: Conversion) -> Cell:
    if conversion.strategy != "Webhook":
        return line(_("None: only apiVersion changes; fields that a version doesn't define are dropped"))
    service = conversion.service
    words = " ".join((_("Webhook:"), conversion.webhook))
    webhook = Bit(text=words, url=service.detail_url if service else "")
    return (webhook, *line(conversion.problem, "error"))


def definition(client: ClusterClient, obj: KubeObject) -> Definition:
    """Asks for the number of objects, and for the Service of a webhook."""
    crd = read(obj, CustomResourceDefinition)
    spec, stored = crd.spec, crd.status.stored_versions
    served = _served(client, spec.group, spec.names.plural)
    brought = definition_owner(client, obj)
    versions = tuple(_version(version, stored, served) for version in spec.versions)
    storage = next((version.name for version in versions if version.storage), "")
    declared = {version.name for version in versions}
    type_ = next(iter(served.values()), None)
    qualified = f"{spec.names.plural}.{spec.group}"
    everywhere = " -A" if spec.scope == "Namespaced" else ""
    return Definition(
        group=spec.group,
        kind=spec.names.kind,
        namespaced=bool(everywhere),
        names=_names(spec.names),
        versions=versions,
        storage=storage,
        old=tuple(version for version in stored if version != storage),
        gone=tuple(version for version in stored if version not in declared),
        conversion=_conversion(client, spec.conversion, len(versions) > 1),
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


def _names(names: CustomResourceDefinitionNames) -> tuple[tuple[str, str], ...]:
    pairs = (
        (_("Plural"), names.plural),
        (_("Singular"), names.singular),
        (_("Short names"), ", ".join(names.short_names)),
        (_("Categories"), ", ".join(names.categories)),
    )
    return tuple(pair for pair in pairs if pair[1])


def _version(
    version: CustomResourceDefinitionVersion, stored: tuple[str, ...], served: Mapping[str, ResourceType]
) -> CrdVersion:
    warning = version.deprecation_warning or _("This version is deprecated.")
    columns = version.additional_printer_columns[:_COLUMNS]
    return CrdVersion(
        name=version.name,
        served=version.served,
        storage=version.storage,
        stored=version.name in stored,
        warning=warning if version.deprecated else "",
        subresources=tuple(sorted(version.subresources)),
        columns=tuple((column.name, column.json_path, column.priority != 0) for column in columns),
        type=served.get(version.name),
    )


def _conversion(client: ClusterClient, conversion: CustomResourceConversion, several: bool) -> Conversion:
    strategy = conversion.strategy or "None"
    if strategy != "Webhook":
        return Conversion(strategy)
    config = conversion.webhook.client_config
    if config.url:
        return Conversion(strategy, config.url)
    service = config.service
    words = f"{service.namespace}/{service.name}:{service.port or 443}{service.path}"
    if not service.namespace or not service.name or "/" in service.namespace + service.name:
        return Conversion(strategy, words)
    try:
        type_ = client.find("", "v1", "services")
        client.get(type_, service.name, service.namespace)
    except NotFound:
        problem = _(
            "This Service doesn't exist, so the API server can't convert objects, and objects stored in another version"
            " can't be read. Check that its operator is installed and running."
        )
        return Conversion(strategy, words, None, problem if several else "")
    except KubeError:
        return Conversion(strategy, words)
    place = Place(type_, service.namespace, service.name)
    problem = (
        ""
        if config.ca_bundle
        else _("The webhook's certificate authority (caBundle) isn't set, so the API server doesn't trust it.")
    )
    return Conversion(strategy, words, place, problem)


PANELS: dict[Kind, Maker] = {("apiextensions.k8s.io", "CustomResourceDefinition"): panels}
