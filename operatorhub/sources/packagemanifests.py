"""PackageManifests: what OLM's package server tells of the packages of all CatalogSources.

They hold each channel's newest CSV without its install strategy, and the names and versions of the others: no edges, no
CRD schemas, no permissions. https://olm.operatorframework.io/docs/concepts/olm-architecture/operator-registry/
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube import across_namespaces
from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from operatorhub.csv import items, mapping, text
from operatorhub.sources.drafts import Channel, ChannelEntry, Graph

GROUP = "packages.operators.coreos.com"


def status(client: ClusterClient, namespace: str, catalog: str, name: str, picked: str = "") -> Mapping[str, Any]:
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
        package_status = mapping(obj.get("status"))
        place = (text(package_status.get("catalogSourceNamespace")), text(package_status.get("catalogSource")))
        if place == (namespace, catalog) and text(mapping(obj.get("metadata")).get("name")) == name:
            return package_status
    words = _(
        "Package “%(name)s” isn't in catalog %(catalog)s of namespace %(namespace)s. It may have been removed, or the"
        " catalog isn't ready."
    )
    raise NotFound(words % {"name": name, "catalog": catalog, "namespace": namespace})


def graph(package_status: Mapping[str, Any], package: str) -> Graph:
    """Names and versions of all channels, the default one first."""
    default = text(package_status.get("defaultChannel"))
    channels = sorted(
        (_channel(item) for item in items(package_status.get("channels"))), key=lambda channel: channel.name != default
    )
    return Graph(
        package=package,
        default=default,
        channels=tuple(channels),
        edges_known=False,
        deprecated=_deprecation(package_status),
    )


def _channel(item: Mapping[str, Any]) -> Channel:
    desc = mapping(item.get("currentCSVDesc"))
    entries = [
        ChannelEntry(name=text(entry.get("name")), version=text(entry.get("version")), deprecated=_deprecation(entry))
        for entry in items(item.get("entries"))
    ]
    current = text(item.get("currentCSV"))
    if current and all(entry.name != current for entry in entries):
        entries.insert(0, ChannelEntry(name=current, version=text(desc.get("version"))))
    return Channel(text(item.get("name")), tuple(entries), _deprecation(item))


def _deprecation(item: Mapping[str, Any]) -> str:
    return text(mapping(item.get("deprecation")).get("message"))
