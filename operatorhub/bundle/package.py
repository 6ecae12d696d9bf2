"""One package in full: channels, versions, what a version says of itself, and its lifecycle.

From its PackageManifest at this moment, or from the catalog that the console read itself. A PackageManifest describes
the newest version of each channel only, and no lifecycle: OLM's package server drops it. OKD asks the catalog's own
gRPC service for it, which the console can't reach from outside of the cluster.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from threading import Lock
from typing import Any

from cachetools import TTLCache, cached
from django.utils import timezone

from console.web import markdown
from kube.client import ClusterClient
from kube.discovery import known_type
from kube.errors import Forbidden, KubeError
from kube.reader import read as read_as
from kube.types.cluster import ClusterVersion
from kube.types.olm import AppLink, CSVDescription, Maintainer, PackageChannel, PackageManifestStatus
from operatorhub import csv, olm
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles
from operatorhub.models import Package
from operatorhub.sources import packagemanifests
from operatorhub.sources.drafts import SupportPhase, VersionLifecycle

OPENSHIFT = "openshift"
_CLUSTER_VERSION = ("config.openshift.io", "v1", "clusterversions")
#: As people write the platforms that lifecycles name.
_PLATFORMS = {OPENSHIFT: "OpenShift", "kubernetes": "Kubernetes"}
_MINOR = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?", re.ASCII)
_VERSION_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """`versions`: (CSV name, version), newest first; `withdrawn`: deprecated ones among them, CSV name → what the
    author says of it.
    """

    name: str
    csv: str
    version: str
    versions: tuple[tuple[str, str], ...]
    default: bool
    deprecated: str
    desc: CSVDescription
    withdrawn: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A PackageManifest, read. `channels`: the default one first."""

    namespace: str
    catalog: str
    name: str
    catalog_title: str
    publisher: str
    deprecated: str
    channels: tuple[Channel, ...]

    def channel(self, name: str) -> Channel | None:
        """The channel of that name, or the default one; None for a package without any."""
        return next(
            (channel for channel in self.channels if channel.name == name), self.channels[0] if self.channels else None
        )


@dataclass(frozen=True, slots=True)
class PackageLink:
    name: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What the chosen channel's newest version says of itself."""

    title: str
    version: str
    provider: str
    level: int
    summary: str
    html: str
    apis: tuple[csv.Api, ...]
    required: tuple[csv.Api, ...]
    modes: tuple[str, ...]
    links: tuple[PackageLink, ...]
    maintainers: tuple[PackageLink, ...]
    repository: str
    created: str
    image: str
    support: str
    maturity: str
    min_kube: str
    features: tuple[str, ...]
    categories: tuple[str, ...]
    keywords: tuple[str, ...]
    suggested_namespace: str
    subscriptions: tuple[str, ...]
    has_images: bool

    @property
    def level_name(self) -> str:
        return csv.LEVELS[self.level - 1] if self.level else ""


def read(client: ClusterClient, namespace: str, catalog: str, name: str, picked: str = "") -> Manifest:
    """Raises NotFound (the package, by its place) and other KubeErrors.

    `picked`: the namespace to search for users who can't read the catalog's.
    """
    if namespace in (catalogs.OWN, catalogs.CLUSTER):
        status = bundles.status(client, namespace, catalog, name)
    else:
        status = packagemanifests.status(client, namespace, catalog, name, picked)
    return manifest(status, namespace, catalog, name)


def manifest(status: PackageManifestStatus, namespace: str, catalog: str, name: str) -> Manifest:
    """From a PackageManifest's status."""
    channels = [_channel(channel, status.default_channel) for channel in status.channels]
    channels.sort(key=lambda channel: not channel.default)
    return Manifest(
        namespace=namespace,
        catalog=catalog,
        name=name,
        catalog_title=status.catalog_source_display_name or catalog,
        publisher=status.catalog_source_publisher,
        deprecated=status.deprecation.message,
        channels=tuple(channels),
    )


def _channel(channel: PackageChannel, default: str) -> Channel:
    current, desc = channel.current_csv, channel.current_csv_desc
    versions = [(entry.name, entry.version) for entry in channel.entries]
    if current and current not in dict(versions):
        versions.insert(0, (current, desc.version))
    return Channel(
        name=channel.name,
        csv=current,
        version=desc.version,
        versions=tuple(versions),
        default=channel.name == default,
        deprecated=channel.deprecation.message,
        desc=desc,
        withdrawn={entry.name: entry.deprecation.message for entry in channel.entries if entry.deprecation},
    )


def describe(channel: Channel, name: str) -> Description:
    """What the channel's newest version says of itself."""
    return described(channel.desc, channel.version, name)


def describe_bundle(bundle: bundles.Bundle, version: str, name: str, *, images: bool = False) -> Description:
    """What any version says of itself, by its ClusterServiceVersion and its CustomResourceDefinitions."""
    return described(bundles.csv_description(bundle.csv), version, name, images=images, crds=bundle.crds)


def described(
    desc: CSVDescription,
    version: str,
    name: str,
    *,
    images: bool = False,
    crds: Iterable[Mapping[str, Any]] = (),
) -> Description:
    """Everything that people read of a version.

    Its Markdown is made safe HTML here; `images`: with those that it shows from elsewhere.
    """
    notes = {key: value.strip() for key, value in desc.annotations.items()}
    return Description(
        title=desc.display_name or name,
        version=version,
        provider=desc.provider.name,
        level=csv.level(notes),
        summary=notes.get("description", ""),
        html=markdown.render(desc.description, images=images),
        apis=csv.provided(desc, notes, crds),
        required=csv.apis(desc.customresourcedefinitions.required),
        modes=csv.install_modes(desc.install_modes),
        links=_links(desc.links),
        maintainers=_maintainers(desc.maintainers),
        repository=_web(notes.get("repository", "")),
        created=notes.get("createdAt", ""),
        image=notes.get("containerImage", ""),
        support=notes.get("support", ""),
        maturity=desc.maturity,
        min_kube=desc.min_kube_version,
        features=tuple(str(csv.FEATURES.get(feature, feature)) for feature in csv.features(notes)),
        categories=csv.split(notes.get("categories", "")),
        keywords=csv.strings(desc.keywords),
        suggested_namespace=csv.suggested_namespace(notes),
        subscriptions=csv.subscriptions(notes),
        has_images=markdown.has_images(desc.description),
    )


def _links(links: Iterable[AppLink]) -> tuple[PackageLink, ...]:
    return tuple(PackageLink(link.name or link.url, _web(link.url)) for link in links if link.name or link.url)


def _maintainers(maintainers: Iterable[Maintainer]) -> tuple[PackageLink, ...]:
    return tuple(
        PackageLink(maintainer.name or maintainer.email, _mail(maintainer.email))
        for maintainer in maintainers
        if maintainer.name or maintainer.email
    )


def _mail(address: str) -> str:
    return f"mailto:{address}" if "@" in address and not set(address) & set(" ?&<>\"'") else ""


def _web(address: str) -> str:
    """The address where it is one of the web; others are not made links."""
    if address.startswith(("https://", "http://")):
        return address
    return f"https://{address}" if address.startswith(("github.com/", "gitlab.com/", "www.")) else ""


def icon_name(client: ClusterClient, namespace: str, catalog: str, name: str) -> str:
    """The last part of the icon's address, '' when the index knows of none."""
    row = Package.objects.filter(cluster=client.name, namespace=namespace, catalog=catalog, name=name).first()
    return "" if row is None or row.icon == "-" else row.icon or f"p-{row.pk}"


def subscriptions(client: ClusterClient, name: str) -> tuple[olm.Subscription, ...]:
    """All Subscriptions of this package that the user can see, of any catalog."""
    try:
        found = client.list(olm.type_of(client, olm.SUBSCRIPTIONS)).items
    except Forbidden:
        return ()
    return tuple(subscription for subscription in map(olm.subscription, found) if subscription.package == name)


# Lifecycle


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """What the catalog states of one version.

    `compatible`: with this cluster; None where nothing is stated of its platform. `platforms`: in words. `phases`: by
    their ends; `phase`: today's, None where support has ended or hasn't begun.
    """

    compatible: bool | None
    platforms: str
    cluster: str
    phases: tuple[SupportPhase, ...]
    phase: SupportPhase | None


def lifecycle(
    stated: Iterable[VersionLifecycle], version: str, cluster: Mapping[str, str], today: date
) -> Lifecycle | None:
    """Of the entry with the version's major and minor number; None without one. `cluster`: versions of its
    platforms.
    """
    wanted = minor(version)
    found = next((entry for entry in stated if wanted and minor(entry.version) == wanted), None)
    if found is None or not (found.phases or found.platforms):
        return None
    own = next((name for name in found.platforms if minor(cluster.get(name, ""))), "")
    here = minor(cluster.get(own, ""))
    phases = tuple(sorted(found.phases, key=lambda phase: phase.end))
    return Lifecycle(
        compatible=here in map(minor, found.platforms[own]) if own else None,
        platforms="; ".join(
            f"{_PLATFORMS.get(name, name)} {', '.join(versions) or '–'}" for name, versions in found.platforms.items()
        ),
        cluster=f"{_PLATFORMS.get(own, own)} {cluster[own]}" if own else "",
        phases=phases,
        phase=next((phase for phase in phases if _is_current(phase, today)), None),
    )


def lifecycles(
    client: ClusterClient, wanted: Iterable[tuple[str, str, str, str]]
) -> dict[tuple[str, str, str, str], Lifecycle]:
    """By namespace, catalog, package and version; of those whose catalog the console has read and states one."""
    found = {}
    for namespace, catalog, name, version in set(wanted):
        stated = bundles.stored_lifecycle(client, namespace, catalog, name)
        if known := lifecycle_here(client, stated, version):
            found[(namespace, catalog, name, version)] = known
    return found


def lifecycle_here(client: ClusterClient, stated: Iterable[VersionLifecycle], version: str) -> Lifecycle | None:
    """On this cluster, today."""
    return lifecycle(stated, version, platform_versions(client), timezone.now().date()) if stated else None


def minor(version: str) -> tuple[int, int] | None:
    """The major and minor number of "v1.2.3", "1.2" or "1"; None for what has none."""
    found = _MINOR.search(version)
    return (int(found[1]), int(found[2] or 0)) if found else None


def _is_current(phase: SupportPhase, today: date) -> bool:
    try:
        return date.fromisoformat(phase.start) <= today <= date.fromisoformat(phase.end)
    except ValueError:
        return False


def _version_key(client: ClusterClient) -> tuple[str, str]:
    return client.host, client.who


@cached(TTLCache(256, _VERSION_SECONDS), key=_version_key, lock=Lock())
def platform_versions(client: ClusterClient) -> dict[str, str]:
    """Of Kubernetes, and of OpenShift on a cluster that is one; without those that can't be read."""
    found = {}
    try:
        found["kubernetes"] = str(client.version().get("gitVersion") or "")
        if type_ := known_type(client.types(), *_CLUSTER_VERSION):
            found[OPENSHIFT] = read_as(client.get(type_, "version"), ClusterVersion).status.desired.version
    except KubeError:
        pass
    return found
