"""The version that is to be installed, as it is itself: a PackageManifest describes a channel's newest one only.

Where a catalog that the console has read holds the whole bundle, its own modes, kinds and rights are told; else those of the newest one, and that is said.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kube.client import ClusterClient
from kube.errors import KubeError
from operatorhub.bundle import bundles, manifest, permissions
from operatorhub.bundle.package import Channel, Manifest
from operatorhub.bundle.permissions import Right
from operatorhub.sources.drafts import SourceError


@dataclass(frozen=True, slots=True)
class Version:
    """`channel`: with the description of this version; `exact`: it is this version's and not a newer one's. `rights` None: nobody knows them here."""

    channel: Channel
    exact: bool
    rights: tuple[Right, ...] | None
    deprecated: str

    @property
    def level(self) -> str:
        """cluster-admin, elevated or ''."""
        return permissions.level(self.rights or ())


def read(client: ClusterClient, package: Manifest, channel: Channel, name: str, picked: str) -> Version:
    """`name`: a CSV's, '' for the newest."""
    wanted = name if name in dict(channel.versions) else channel.csv
    csv = _csv(client, package, wanted, picked)
    deprecated = channel.withdrawn.get(wanted, "")
    if not csv:
        return Version(channel, wanted == channel.csv, None, deprecated)
    described = channel if wanted == channel.csv else replace(channel, desc=manifest.desc(csv))
    return Version(described, True, permissions.asked(csv), deprecated)


def _csv(client: ClusterClient, package: Manifest, name: str, picked: str) -> Mapping[str, Any]:
    """The whole ClusterServiceVersion, {} where no catalog holds it."""
    try:
        found = bundles.bundle(client, package.namespace, package.catalog, package.name, name, picked)
    except (KubeError, SourceError):
        return {}
    return {} if found is None or found.partial else found.csv
