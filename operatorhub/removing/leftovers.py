"""What an uninstall leaves behind and can remove as well: CRDs, the OperatorGroup, the namespace, webhooks, objects
that the operator created.

Each is offered only if nothing else visibly needs it; otherwise it states the reason.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from console.web.front import Workers
from kube.client import ClusterClient
from kube.discovery import ResourceType, qualified
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.reader import read
from kube.types.extensions import ValidatingWebhookConfiguration
from kube.types.meta import ObjectMeta
from kube.types.olm import ClusterServiceVersion, ClusterServiceVersionSpec
from operatorhub import csv, olm
from operatorhub.admin import groups
from operatorhub.running import workloads
from operatorhub.running.operands import OwnedApi

if TYPE_CHECKING:
    from operatorhub.removing.uninstall import Operands

OWNER = "olm.owner"
#: Kinds that operators leave behind, and the labels that identify them.
_LEFT = ("configmaps", "secrets", "persistentvolumeclaims")
_INSTANCE = (
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/created-by",
    "app.kubernetes.io/part-of",
    OWNER,
)
_PLACES, _EACH = 10, 500
#: Namespaces that are never deleted with an operator.
_KEPT = frozenset({"default", "olm", "operators"})
_workers = Workers(6, thread_name_prefix="leftovers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """One object.

    `words`: what it is to the operator; `refused`: why it is not offered, '' when it is. `stage`: crd, rest or last
    (the namespace).
    """

    kind: str
    group: str
    version: str
    plural: str
    namespace: str
    name: str
    uid: str
    words: str
    refused: str = ""
    stage: str = "rest"

    @property
    def offered(self) -> bool:
        return not self.refused

    @property
    def key(self) -> str:
        """What the form posts."""
        return "|".join(
            (self.stage, self.kind, self.group, self.version, self.plural, self.namespace, self.name, self.uid)
        )

    @property
    def kubectl(self) -> str:
        return f"{qualified(self.plural, self.group)} {self.name}" + (f" -n {self.namespace}" if self.namespace else "")


def leftover(type_: ResourceType, obj: KubeObject, words: str, refused: str = "", stage: str = "rest") -> Leftover:
    return Leftover(
        kind=type_.kind,
        group=type_.group,
        version=type_.version,
        plural=type_.plural,
        namespace=namespace_of(obj),
        name=name_of(obj),
        uid=uid_of(obj),
        words=words,
        refused=refused,
        stage=stage,
    )


def goes(client: ClusterClient, found: KubeObject) -> tuple[tuple[str, str], ...]:
    """(kind, name) of what OLM removes with the CSV beside its Deployments: accounts, and cluster roles and webhooks
    by OLM's own labels.
    """
    strategy = read(found.get("spec"), ClusterServiceVersionSpec).install.spec
    accounts = [("ServiceAccount", name) for name in strategy.service_accounts if name != "default"]
    selector = f"{OWNER}={name_of(found)},olm.owner.namespace={namespace_of(found)}"
    plurals = (
        ("rbac.authorization.k8s.io", "clusterroles"),
        ("rbac.authorization.k8s.io", "clusterrolebindings"),
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
        ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    )

    def made_by_olm(place: tuple[str, str]) -> list[tuple[str, str]]:
        try:
            type_ = client.find(place[0], "", place[1])
            if len(selector) > 400 or len(name_of(found)) > 63:
                return []
            return [(type_.kind, name_of(row.object)) for row in client.table(type_, labels=selector).rows]
        except KubeError:
            return []

    return (*accounts, *(pair for part in _workers.map(made_by_olm, plurals) for pair in part))


def find(
    client: ClusterClient,
    found: KubeObject,
    sub: olm.Subscription | None,
    kinds: Iterable[OwnedApi],
    listed: "Iterable[Operands]",
    others: list[ClusterServiceVersion],
    gaps: list[str],
) -> tuple[Leftover, ...]:
    """In the order in which they would go."""
    namespace = namespace_of(found)
    subscriptions = map(name_of, _list(client, olm.type_of(client, olm.SUBSCRIPTIONS), namespace, gaps))
    neighbours = [
        *(other.metadata.name for other in others if other.metadata.namespace == namespace),
        *(name for name in subscriptions if not sub or name != sub.name),
    ]
    made: list[Leftover] = [*_crds(client, kinds, others, gaps)]
    made += _webhooks(client, found, gaps)
    made += _made(client, found, sub, listed, gaps)
    made += _groups(client, namespace, neighbours)
    made += _namespace(client, namespace, neighbours)
    return tuple(made)


def _list(
    client: ClusterClient, type_: ResourceType, namespace: str, gaps: list[str], labels: str = ""
) -> list[KubeObject]:
    words = {"kind": type_.plural, "namespace": namespace, "number": _EACH}
    try:
        page = client.table(type_, namespace, labels=labels, limit=_EACH)
    except KubeError as error:
        gaps.append(_("%(kind)s can't be listed: %(error)s") % {**words, "error": error})
        return []
    if page.continue_:
        gaps.append(_("Only the first %(number)d %(kind)s in %(namespace)s were checked.") % words)
    return [row.object for row in page.rows]


def _crds(
    client: ClusterClient, kinds: Iterable[OwnedApi], others: list[ClusterServiceVersion], gaps: list[str]
) -> Iterable[Leftover]:
    type_ = client.find("apiextensions.k8s.io", "", "customresourcedefinitions")
    for kind in kinds:
        try:
            obj = client.get(type_, kind.api.crd)
        except KubeError as error:
            if error.code != 404:
                gaps.append(f"{kind.api.crd}: {error}")
            continue
        users = [f"{other.metadata.namespace}/{other.metadata.name}" for other in others if _uses(other, kind.api.crd)]
        refused = _("Also required by %(names)s.") % {"names": ", ".join(users)} if users else ""
        words = _("the resource type %(kind)s; all of its instances are deleted too") % {"kind": kind.api.kind}
        yield leftover(type_, obj, words, refused, "crd")


def _uses(other: ClusterServiceVersion, crd: str) -> bool:
    definitions = other.spec.customresourcedefinitions
    return any(api.crd == crd for api in csv.apis((*definitions.owned, *definitions.required)))


def _webhooks(client: ClusterClient, found: KubeObject, gaps: list[str]) -> Iterable[Leftover]:
    """Configurations that ask a Service of the operator's namespace and that OLM did not make: when the operator is
    gone they refuse everything.
    """
    namespace = namespace_of(found)
    for plural in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
        try:
            type_ = client.find("admissionregistration.k8s.io", "", plural)
            every = client.list(type_, limit=500).items
        except KubeError as error:
            gaps.append(_("%(kind)s can't be listed: %(error)s") % {"kind": plural, "error": error})
            continue
        for obj in every:
            configuration = read(obj, ValidatingWebhookConfiguration)
            asks_here = any(webhook.client_config.service.namespace == namespace for webhook in configuration.webhooks)
            if asks_here and OWNER not in configuration.metadata.labels:
                yield leftover(
                    type_,
                    obj,
                    _(
                        "calls a Service in this namespace; without the Service, requests for the objects it guards "
                        "are rejected"
                    ),
                )


def _made(
    client: ClusterClient,
    found: KubeObject,
    sub: olm.Subscription | None,
    listed: "Iterable[Operands]",
    gaps: list[str],
) -> Iterable[Leftover]:
    """ConfigMaps, Secrets and claims that carry the operator's or an instance's name and have no owner, so that garbage
    collection keeps them.
    """
    names = {name for name in (sub.package if sub else "", name_of(found), *workloads.deployments(found)) if name}
    places = {namespace_of(found)}
    for operands in listed:
        places |= {place for place, _number in operands.by_namespace if place}
        names |= {name for _namespace, name, _finalizers in operands.rows}
    found_: list[Leftover] = []
    for place in sorted(places)[:_PLACES]:
        for plural in _LEFT:
            type_ = client.find("", "v1", plural)
            for obj in _list(client, type_, place, gaps):
                meta = read(obj.get("metadata"), ObjectMeta)
                instance_labels = [f"{key}={meta.labels[key]}" for key in _INSTANCE if meta.labels.get(key) in names]
                if instance_labels and not meta.owner_references:
                    found_.append(leftover(type_, obj, instance_labels[0]))
    return found_


def _used(neighbours: list[str]) -> str:
    if not neighbours:
        return ""
    names = ", ".join(dict.fromkeys(neighbours))
    return _("Other operators in this namespace still use it: %(names)s.") % {"names": names}


def _groups(client: ClusterClient, namespace: str, neighbours: list[str]) -> Iterable[Leftover]:
    type_ = olm.type_of(client, "operatorgroups")
    for group in groups.readable(client, namespace):
        obj = {"metadata": {"name": group.name, "namespace": namespace, "uid": group.uid}}
        refused = _used(neighbours)
        if not refused and namespace in _KEPT:
            refused = _("This OperatorGroup is in a namespace that the cluster reserves for operators.")
        yield leftover(type_, obj, _("defines which namespaces the operators here watch"), refused)


def _namespace(client: ClusterClient, namespace: str, neighbours: list[str]) -> Iterable[Leftover]:
    type_ = client.find("", "v1", "namespaces")
    try:
        obj = client.get(type_, namespace)
    except KubeError:
        return
    refused = _used(neighbours)
    if not refused and (namespace in _KEPT or namespace.startswith(("kube-", "openshift"))):
        refused = _("This is a system namespace of the cluster.")
    yield leftover(type_, obj, _("all of its contents are deleted, including those of other users"), refused, "last")
