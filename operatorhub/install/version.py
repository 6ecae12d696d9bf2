"""The version that is to be installed, as it is itself: a PackageManifest describes a channel's newest one only.

Where a catalog that the console has read holds the whole bundle, its own modes, kinds and permissions are shown;
otherwise those of the newest one, marked as such.
"""

from dataclasses import dataclass, replace

from kube.client import ClusterClient
from kube.errors import KubeError
from operatorhub.bundle import bundles, contents, permissions
from operatorhub.bundle.bundles import Bundle
from operatorhub.bundle.contents import Need
from operatorhub.bundle.package import Channel, Manifest
from operatorhub.bundle.permissions import Right
from operatorhub.sources.drafts import SourceError


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallVersion:
    """`channel`: with the description of this version; `exact`: it is this version's and not a newer one's.

    `rights` None: unknown.

    `needs`: packages and kinds that it depends on, and kinds of the objects that it brings; from the channel's
    description alone where no catalog holds the bundle.
    """

    channel: Channel
    exact: bool
    rights: tuple[Right, ...] | None
    deprecated: str
    needs: tuple[Need, ...] = ()

    @property
    def level(self) -> str:
        """cluster-admin, elevated or ''."""
        return permissions.level(self.rights or ())


def read(client: ClusterClient, package: Manifest, channel: Channel, name: str, picked: str) -> InstallVersion:
    """`name`: a CSV's, '' for the newest."""
    wanted = name if name in dict(channel.versions) else channel.csv
    bundle = _bundle(client, package, wanted, picked)
    deprecated = channel.withdrawn.get(wanted, "")
    needs = contents.needs(bundle.csv or {"spec": channel.desc}, bundle.properties) if bundle else ()
    if bundle is None or bundle.partial or not bundle.csv:
        needs = needs or contents.needs({"spec": channel.desc})
        return InstallVersion(
            channel=channel, exact=wanted == channel.csv, rights=None, deprecated=deprecated, needs=needs
        )
    needs += contents.created(bundle.others, bundle.crds)
    described = channel if wanted == channel.csv else replace(channel, desc=bundles.csv_description(bundle.csv))
    return InstallVersion(
        channel=described, exact=True, rights=permissions.asked(bundle.csv), deprecated=deprecated, needs=needs
    )


def _bundle(client: ClusterClient, package: Manifest, name: str, picked: str) -> Bundle | None:
    """None where no catalog holds it."""
    try:
        return bundles.bundle(
            client=client,
            namespace=package.namespace,
            catalog=package.catalog,
            package=package.name,
            name=name,
            picked=picked,
        )
    except (KubeError, SourceError):
        return None
