"""PackageManifests: what OLM's package server tells of the packages of all CatalogSources.

They hold each channel's newest CSV without its install strategy, and the names and versions of the others: no edges, no
CRD schemas, no permissions. https://olm.operatorframework.io/docs/concepts/olm-architecture/operator-registry/
"""

from django.utils.translation import gettext as _

from kube import across_namespaces
from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.reader import read
from kube.types.olm import PackageChannel, PackageManifest, PackageManifestStatus
from operatorhub.sources.drafts import Channel, ChannelEntry, Graph

GROUP = "packages.operators.coreos.com"


def status(client: ClusterClient, namespace: str, catalog: str, name: str, picked: str = "") -> PackageManifestStatus:
    """The status of the PackageManifest of that place.

    `picked`: the namespace to search for users who can't read the catalog's; otherwise their own namespaces, where
    global catalogs are visible too. Raises NotFound.
    """
    type_ = client.find(GROUP, "v1", "packagemanifests")
    try:
        found = client.list(type_, namespace, fields=f"metadata.name={name}").items
    except Forbidden:
        found, where = [], [picked] if picked else across_namespaces.namespaces_of(client)
        for number, own in enumerate(where):
            try:
                found += client.list(type_, own, fields=f"metadata.name={name}").items
            except Forbidden:
                if number == len(where) - 1 and not found:
                    raise
        if not where:
            raise
    for obj in found:
        manifest = read(obj, PackageManifest)
        place = (manifest.status.catalog_source_namespace, manifest.status.catalog_source)
        if place == (namespace, catalog) and manifest.metadata.name == name:
            return manifest.status
    words = _(
        "Package “%(name)s” isn't in catalog %(catalog)s of namespace %(namespace)s. It may have been removed, or the"
        " catalog isn't ready."
    )
    raise NotFound(words % {"name": name, "catalog": catalog, "namespace": namespace})


def graph(package_status: PackageManifestStatus, package: str) -> Graph:
    """Names and versions of all channels, the default one first."""
    default = package_status.default_channel
    channels = sorted(map(_channel, package_status.channels), key=lambda channel: channel.name != default)
    return Graph(
        package=package,
        default=default,
        channels=tuple(channels),
        edges_known=False,
        deprecated=package_status.deprecation.message,
    )


def _channel(channel: PackageChannel) -> Channel:
    entries = [
        ChannelEntry(
            name=entry.name,
            version=entry.version,
            deprecated=entry.deprecation.message if entry.deprecation else "",
        )
        for entry in channel.entries
    ]
    current = channel.current_csv
    if current and all(entry.name != current for entry in entries):
        entries.insert(0, ChannelEntry(name=current, version=channel.current_csv_desc.version))
    return Channel(channel.name, tuple(entries), channel.deprecation.message)
