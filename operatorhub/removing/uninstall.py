"""Uninstalling an operator: all that goes and all that stays, before anything goes.

OLM removes what it made for a ClusterServiceVersion (Deployments, ServiceAccounts, roles) when that is deleted. It
leaves the CustomResourceDefinitions and their objects, so that no data is lost; the OperatorGroup and the namespace,
which others may use; and the objects that the operator created. All of that is listed here, and whatever can be removed
as well can be selected. operatorhub/removing/removal.py carries it out.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, NotFound
from kube.kubectl import Command, Commands
from kube.objects import KubeObject, mapping, name_of, namespace_of, uid_of
from kube.reader import read
from kube.types.meta import ObjectMeta
from kube.types.olm import ClusterServiceVersion, ClusterServiceVersionSpec, CustomResourceDefinitions
from operatorhub import csv, olm
from operatorhub.removing import leftovers
from operatorhub.removing.leftovers import Leftover
from operatorhub.running import installed_operators, operands
from operatorhub.running.operands import OwnedApi
from operatorhub.running.workloads import deployments

NO_OPERANDS = "console.openshift.io/disable-operand-delete"
MESSAGE = "operator.openshift.io/uninstall-message"
#: Instances named on the page, of each kind; all of them go when they are ticked, up to limits.UNINSTALL_OBJECTS.
SHOWN = 20
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Operands:
    """The objects of one kind.

    `rows`: (namespace, name, finalizers) of some; `problem`: why they can't be listed, which hinders nothing.
    """

    owned: OwnedApi
    rows: tuple[tuple[str, str, tuple[str, ...]], ...]
    number: int
    by_namespace: tuple[tuple[str, int], ...]
    problem: str = ""
    # (namespace, name, uid) of all of them.
    every: tuple[tuple[str, str, str], ...] = ()
    # In namespaces that the operator does not watch: they are not its own, and go with their kind only.
    elsewhere: int = 0

    @property
    def finalizers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(finalizer for _namespace, _name, found in self.rows for finalizer in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class UninstallPlan:
    """`csv_uid` and `subscription_uid` make sure that exactly these objects are deleted, '' where there is none."""

    namespace: str
    csv: str
    title: str
    csv_uid: str
    subscription: str
    subscription_uid: str
    deployments: tuple[str, ...]
    goes: tuple[tuple[str, str], ...]
    operands: tuple[Operands, ...]
    leftovers: tuple[Leftover, ...]
    others: tuple[tuple[str, tuple[str, ...]], ...]
    message: str
    no_operands: bool
    gaps: tuple[str, ...]
    refused: str = ""

    @property
    def instances(self) -> int:
        """Objects of its kinds, as far as they could be counted."""
        return sum(operand.number for operand in self.operands)

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """(kind, why its objects can't be listed)."""
        return tuple((operand.owned.api.title, operand.problem) for operand in self.operands if operand.problem)

    @property
    def kubectl(self) -> Commands:
        """Every command that the ticks can mean: names of CRDs whose instances go, keys of leftovers.

        Nothing is ticked when the page comes.
        """
        found = []
        for operand in self.operands:
            crd = operand.owned.api.crd
            # A kind takes its instances along: removal.document().
            ticks = {left.key for left in self.leftovers if left.stage == "crd" and left.name == crd and left.offered}
            ticks |= set() if self.no_operands else {crd}
            found += [
                Command(f"kubectl delete {crd} --all{f' -n {place}' if place else ''}", (frozenset(ticks),))
                for place, _number in operand.by_namespace
            ]
        if self.subscription_uid:
            sub = f"subscriptions.{olm.GROUP} {self.subscription} -n {self.namespace}"
            found.append(Command(f"kubectl delete {sub} --ignore-not-found"))
        if self.csv_uid:
            version = f"clusterserviceversions.{olm.GROUP} {self.csv} -n {self.namespace}"
            found.append(Command(f"kubectl delete {version} --ignore-not-found"))
        found += [
            Command(f"kubectl delete {left.kubectl} --ignore-not-found", (frozenset({left.key}),))
            for left in self.leftovers
            if left.offered
        ]
        return Commands(tuple(found))


def read_plan(client: ClusterClient, namespace: str, name: str) -> UninstallPlan:
    """Raises NotFound if there is no such CSV and no Subscription waits for it."""
    sub = next(
        (
            subscription
            for subscription in installed_operators.subscriptions(client, namespace)
            if name in (subscription.current_csv, subscription.installed_csv)
        ),
        None,
    )
    try:
        found = client.get(olm.type_of(client, olm.CSVS), name, namespace)
    except NotFound:
        if sub is None:
            raise
        return UninstallPlan(
            namespace=namespace,
            csv=name,
            title=sub.package,
            csv_uid="",
            subscription=sub.name,
            subscription_uid=sub.uid,
            deployments=(),
            goes=(),
            operands=(),
            leftovers=(),
            others=(),
            message="",
            no_operands=False,
            gaps=(),
        )
    version = read(found, ClusterServiceVersion)
    annotations = version.metadata.annotations
    kinds = operands.owned(client, csv.apis(version.spec.customresourcedefinitions.owned), namespace)
    gaps: list[str] = []
    others = _others(client, namespace, name, gaps)
    shared = {kind.api.crd: tuple(_owners(others, kind.api.crd)) for kind in kinds}
    targets = olm.targets(found) or ()
    listed = tuple(_operands(client, kind, targets) for kind in kinds if kind.type and not shared[kind.api.crd])
    left = leftovers.find(client=client, found=found, sub=sub, kinds=kinds, listed=listed, others=others, gaps=gaps)
    return UninstallPlan(
        namespace=namespace,
        csv=name,
        title=version.spec.display_name or name,
        csv_uid=version.metadata.uid,
        subscription=sub.name if sub else "",
        subscription_uid=sub.uid if sub else "",
        deployments=deployments(found),
        goes=leftovers.goes(client, found),
        operands=listed,
        leftovers=left,
        others=tuple((crd, names) for crd, names in shared.items() if names),
        message=annotations.get(MESSAGE, "").strip(),
        no_operands=annotations.get(NO_OPERANDS, "").strip().lower() == "true",
        gaps=tuple(gaps),
        refused=_never(found),
    )


def _never(found: KubeObject) -> str:
    """Why this CSV is not to be deleted at all, '' when it may be."""
    if olm.copied(found):
        return _(
            "This is a copy; the operator runs in %(namespace)s. Uninstall it there, and its copies are removed too."
        ) % {"namespace": olm.copied_from(found)}
    if name_of(found) == installed_operators.PACKAGE_SERVER:
        return _("This is part of OLM. Without it, catalogs don't work.")
    return ""


def _others(client: ClusterClient, namespace: str, name: str, gaps: list[str]) -> list[ClusterServiceVersion]:
    """All other CSVs without copies: of the cluster, or of the namespace if the user can't list more."""
    type_ = olm.type_of(client, olm.CSVS)
    for place in ("", namespace):
        try:
            found: list[ClusterServiceVersion] = []
            token = ""
            while True:
                page = client.list(type_, place, labels=olm.ORIGINALS, limit=100, continue_=token, whole=True)
                # Of each only what is asked of it here: they are large.
                found += [
                    _short(item) for item in page.items if (namespace_of(item), name_of(item)) != (namespace, name)
                ]
                token = page.continue_
                if not token:
                    return found
        except KubeError as error:
            if place == "":
                gaps.append(
                    _(
                        "Operators in other namespaces can't be listed, so it is unknown whether they share these "
                        "resource types: %(error)s"
                    )
                    % {"error": error}
                )
    return []


def _short(obj: KubeObject) -> ClusterServiceVersion:
    definitions = read(mapping(obj.get("spec")).get("customresourcedefinitions"), CustomResourceDefinitions)
    return ClusterServiceVersion(
        metadata=ObjectMeta(name=name_of(obj), namespace=namespace_of(obj)),
        spec=ClusterServiceVersionSpec(customresourcedefinitions=definitions),
    )


def _owners(others: Iterable[ClusterServiceVersion], crd: str) -> Iterable[str]:
    for other in others:
        if any(api.crd == crd for api in csv.apis(other.spec.customresourcedefinitions.owned)):
            yield f"{other.metadata.namespace}/{other.metadata.name}"


def _operands(client: ClusterClient, api: OwnedApi, targets: tuple[str, ...]) -> Operands:
    """What is there of a kind in the namespaces that the operator watches (`targets`, () is all): counted by
    namespace, some named.
    """
    try:
        seen = there(client, api.type, targets) if api.type else []
    except KubeError as error:
        return Operands(owned=api, rows=(), number=0, by_namespace=(), problem=str(error))
    watched = {*targets, ""} if targets else None
    found = [obj for obj in seen if watched is None or namespace_of(obj) in watched]
    places: dict[str, int] = {}
    for obj in found:
        places[namespace_of(obj)] = places.get(namespace_of(obj), 0) + 1
    shown = [read(obj.get("metadata"), ObjectMeta) for obj in found[:SHOWN]]
    rows = tuple((meta.namespace, meta.name, meta.finalizers) for meta in shown)
    names = tuple((namespace_of(obj), name_of(obj), uid_of(obj)) for obj in found)
    return Operands(
        owned=api,
        rows=rows,
        number=len(found),
        by_namespace=tuple(sorted(places.items())),
        problem="",
        every=names,
        elsewhere=len(seen) - len(found),
    )


def there(client: ClusterClient, type_: ResourceType, targets: tuple[str, ...]) -> list[KubeObject]:
    """In the whole cluster; for users who can't list that, in the namespaces that the operator watches, unless it
    watches all.
    """
    try:
        return every(client, type_)
    except Forbidden:
        if not targets or not type_.namespaced:
            raise
    return [obj for place in targets for obj in every(client, type_, place)]


def every(client: ClusterClient, type_: ResourceType, namespace: str = "") -> list[KubeObject]:
    """The metadata of all objects of a kind, limits.UNINSTALL_OBJECTS at most."""
    found: list[KubeObject] = []
    token = ""
    while True:
        page = client.table(type_, namespace, limit=_PAGE, continue_=token, whole=True)
        found += [row.object for row in page.rows]
        token = page.continue_
        if not token or len(found) >= limits.UNINSTALL_OBJECTS.value:
            return found[: limits.UNINSTALL_OBJECTS.value]
