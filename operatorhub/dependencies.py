"""Whether what an operator needs is there: in the cluster, or in which catalog."""

from collections.abc import Iterable
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import NotFound
from operatorhub import bundles, olm
from operatorhub.contents import Need
from operatorhub.models import Package


@dataclass(frozen=True, slots=True)
class Answer:
    """`there`: the cluster has it. `offers`: packages that bring it."""

    need: Need
    there: bool
    offers: tuple[bundles.Offer, ...]


def answers(
    client: ClusterClient, needs: Iterable[Need], subscriptions: Iterable[olm.Subscription]
) -> tuple[Answer, ...]:
    """Each need with what is known of it. `subscriptions`: of all packages, those that the user may see."""
    wanted = tuple(needs)
    if not wanted:
        return ()
    installed = {one.package for one in subscriptions if one.installed}
    rows = list(Package.objects.filter(cluster=client.name, hidden="").order_by("title"))
    visible = {place: bundles.visible(client, place) for place in {row.namespace for row in rows}}
    seen = [row for row in rows if visible[row.namespace]]
    return tuple(_answer(client, one, installed, seen) for one in wanted)


def _answer(client: ClusterClient, need: Need, installed: set[str], rows: list[Package]) -> Answer:
    if need.kind == "package":
        found = [row for row in rows if row.name == need.package]
        return Answer(need, need.package in installed, tuple(map(_offer, found)))
    if need.kind == "api":
        found = [row for row in rows if need.api_kind in row.kinds and any(_of(crd, need.group) for crd in row.crds)]
        return Answer(need, _served(client, need), tuple(map(_offer, found)))
    return Answer(need, False, ())


def _of(crd: str, group: str) -> bool:
    return crd.partition(".")[2] == group


def _served(client: ClusterClient, need: Need) -> bool:
    try:
        client.find_kind(need.group, need.api_kind, need.version)
    except NotFound:
        return False
    return True


def _offer(row: Package) -> bundles.Offer:
    return bundles.Offer(row.namespace, row.catalog, row.name, row.catalog_title, row.title, row.version, row.provider)
