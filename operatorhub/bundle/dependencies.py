"""Whether what an operator needs is there: in the cluster, or in which catalog."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from operatorhub import olm
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles, storage
from operatorhub.bundle.contents import Need
from operatorhub.bundle.graph import in_range
from operatorhub.models import Package
from operatorhub.sources.drafts import SourceError

_NOT_RESOLVED = frozenset({catalogs.OWN, catalogs.CLUSTER})


@dataclass(frozen=True, slots=True)
class Resolution:
    """`there`: the cluster has it.

    `offers`: packages that bring it; `automatic`: OLM installs one of them along with the operator.
    """

    need: Need
    there: bool
    offers: tuple[bundles.PackageOffer, ...]
    automatic: bool


def answers(
    client: ClusterClient, needs: Iterable[Need], subscriptions: Iterable[olm.Subscription], namespace: str
) -> tuple[Resolution, ...]:
    """Each need with what is known of it.

    `subscriptions`: of all packages, those that the user may see; `namespace`: of the operator's catalog.

    OLM resolves what a Subscription's operator needs from its own catalogs; OLM v1 and a bundle that is run take care
    of nothing.
    """
    wanted = tuple(needs)
    if not wanted:
        return ()
    installed = {subscription.package for subscription in subscriptions if subscription.installed}
    rows = list(Package.objects.filter(cluster=client.name, hidden="").order_by("title"))
    visible = {place: bundles.visible(client, place) for place in {row.namespace for row in rows}}
    automatic = namespace not in _NOT_RESOLVED
    seen = [row for row in rows if visible[row.namespace] and not (automatic and row.namespace in _NOT_RESOLVED)]
    return tuple(_answer(client, need, installed, seen, automatic=automatic) for need in wanted)


def _answer(
    client: ClusterClient, need: Need, installed: set[str], rows: list[Package], *, automatic: bool
) -> Resolution:
    if need.kind == "package":
        found = [row for row in rows if row.name == need.package and _has_version(client, row, need.range)]
        return Resolution(need, need.package in installed, tuple(map(_offer, found)), automatic)
    if need.api_kind:
        found = [row for row in rows if need.api_kind in row.kinds and any(_of(crd, need.group) for crd in row.crds)]
        return Resolution(need, _served(client, need), tuple(map(_offer, found)), automatic and need.kind == "api")
    return Resolution(need, False, (), automatic)


def _has_version(client: ClusterClient, row: Package, wanted: str) -> bool:
    """Whether the catalog holds a version of that range; a channel can name versions whose bundles are not there."""
    if not wanted or in_range(row.version, wanted):
        return True
    described = storage.describing(client.name, row.namespace, row.catalog)
    if described:
        rows = (storage.bundles(catalog).filter(package=row.name) for catalog in described)
        found = [version for bundle_rows in rows for version in bundle_rows.values_list("version", flat=True)]
    else:
        found = [version for channel in _channels(client, row) for version in channel]
    return any(in_range(version, wanted) for version in found)


def _channels(client: ClusterClient, row: Package) -> Iterator[tuple[str, ...]]:
    try:
        graph = bundles.graph(client, row.namespace, row.catalog, row.name)
    except (KubeError, SourceError):
        return
    for channel in graph.channels:
        yield tuple(entry.version for entry in channel.entries)


def _of(crd: str, group: str) -> bool:
    return crd.partition(".")[2] == group


def _served(client: ClusterClient, need: Need) -> bool:
    try:
        client.find_kind(need.group, need.api_kind, need.version)
    except NotFound:
        return False
    return True


def _offer(row: Package) -> bundles.PackageOffer:
    return bundles.PackageOffer(
        namespace=row.namespace,
        catalog=row.catalog,
        package=row.name,
        catalog_title=row.catalog_title,
        title=row.title,
        version=row.version,
        provider=row.provider,
    )
