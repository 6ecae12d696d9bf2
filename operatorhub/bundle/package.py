"""One package in full: channels, versions, and what a version says of itself.

From its PackageManifest at this moment, or from the catalog that the console read itself. A PackageManifest describes
the newest version of each channel only.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from console.web import markdown
from kube.client import ClusterClient
from kube.errors import Forbidden
from operatorhub import csv, olm
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles
from operatorhub.models import Package
from operatorhub.sources import packagemanifests


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
    desc: Mapping[str, Any]
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


def manifest(status: Mapping[str, Any], namespace: str, catalog: str, name: str) -> Manifest:
    """From a PackageManifest's status."""
    default = csv.text(status.get("defaultChannel"))
    channels = sorted(
        (_channel(item, default) for item in csv.items(status.get("channels"))), key=lambda channel: not channel.default
    )
    return Manifest(
        namespace=namespace,
        catalog=catalog,
        name=name,
        catalog_title=csv.text(status.get("catalogSourceDisplayName")) or catalog,
        publisher=csv.text(status.get("catalogSourcePublisher")),
        deprecated=csv.text(csv.mapping(status.get("deprecation")).get("message")),
        channels=tuple(channels),
    )


def _channel(entry: Mapping[str, Any], default: str) -> Channel:
    desc = csv.mapping(entry.get("currentCSVDesc"))
    name, current, version = (
        csv.text(entry.get("name")),
        csv.text(entry.get("currentCSV")),
        csv.text(desc.get("version")),
    )
    versions = [(csv.text(item.get("name")), csv.text(item.get("version"))) for item in csv.items(entry.get("entries"))]
    if current and current not in dict(versions):
        versions.insert(0, (current, version))
    deprecated = csv.text(csv.mapping(entry.get("deprecation")).get("message"))
    withdrawn = {
        csv.text(item.get("name")): csv.text(csv.mapping(item.get("deprecation")).get("message"))
        for item in csv.items(entry.get("entries"))
        if item.get("deprecation")
    }
    return Channel(
        name=name,
        csv=current,
        version=version,
        versions=tuple(versions),
        default=name == default,
        deprecated=deprecated,
        desc=desc,
        withdrawn=withdrawn,
    )


def describe(channel: Channel, name: str) -> Description:
    """What the channel's newest version says of itself."""
    return described(channel.desc, channel.version, name)


def describe_bundle(bundle: bundles.Bundle, version: str, name: str, *, images: bool = False) -> Description:
    """What any version says of itself, by its ClusterServiceVersion and its CustomResourceDefinitions."""
    return described(bundles.csv_description(bundle.csv), version, name, images=images, crds=bundle.crds)


def described(
    desc: Mapping[str, Any],
    version: str,
    name: str,
    *,
    images: bool = False,
    crds: Iterable[Mapping[str, Any]] = (),
) -> Description:
    """Everything that people read of a version.

    Its Markdown is made safe HTML here; `images`: with those that it shows from elsewhere.
    """
    notes = csv.mapping(desc.get("annotations"))
    source = csv.text(desc.get("description"))
    return Description(
        title=csv.text(desc.get("displayName")) or name,
        version=version,
        provider=csv.text(csv.mapping(desc.get("provider")).get("name")),
        level=csv.level(notes.get("capabilities")),
        summary=csv.text(notes.get("description")),
        html=markdown.render(source, images=images),
        apis=csv.provided(desc, notes, crds),
        required=csv.apis(desc.get("customresourcedefinitions"), "required"),
        modes=csv.install_modes(desc.get("installModes")),
        links=_links(desc.get("links"), "url"),
        maintainers=_links(desc.get("maintainers"), "email"),
        repository=_web(csv.text(notes.get("repository"))),
        created=csv.text(notes.get("createdAt")),
        image=csv.text(notes.get("containerImage")),
        support=csv.text(notes.get("support")),
        maturity=csv.text(desc.get("maturity")),
        min_kube=csv.text(desc.get("minKubeVersion")),
        features=tuple(str(csv.FEATURES.get(feature, feature)) for feature in csv.features(notes)),
        categories=csv.split(notes.get("categories")),
        keywords=csv.strings(desc.get("keywords")),
        suggested_namespace=csv.suggested_namespace(notes),
        subscriptions=csv.subscriptions(notes),
        has_images=markdown.has_images(source),
    )


def _links(value: Any, which: str) -> tuple[PackageLink, ...]:
    found = []
    for item in csv.items(value):
        address = csv.text(item.get(which))
        url = (
            _web(address)
            if which == "url"
            else (f"mailto:{address}" if "@" in address and not set(address) & set(" ?&<>\"'") else "")
        )
        name = csv.text(item.get("name")) or address
        if name:
            found.append(PackageLink(name, url))
    return tuple(found)


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
