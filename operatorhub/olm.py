"""OLM's facts: its types, what a Subscription says, and the words for phases. No Django models, no requests of its own but finding types.

https://olm.operatorframework.io/docs/concepts/crds/
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound
from kube.objects import name_of, namespace_of
from operatorhub.csv import items, mapping, strings, text
from resources import followable

GROUP = "operators.coreos.com"
VERSION = "v1alpha1"
SUBSCRIPTIONS = "subscriptions"
CSVS = "clusterserviceversions"
PLANS = "installplans"
SOURCES = "catalogsources"
GROUPS = "operatorgroups"
COPIED = "olm.copiedFrom"
ORIGINALS = f"!{COPIED}"
TARGETS = "olm.targetNamespaces"
DEPRECATIONS = ("PackageDeprecated", "ChannelDeprecated", "BundleDeprecated")
# A CSV's phases: https://github.com/operator-framework/api/blob/master/pkg/operators/v1alpha1/clusterserviceversion_types.go
SUCCEEDED, FAILED, REPLACING, DELETING = "Succeeded", "Failed", "Replacing", "Deleting"


@dataclass(frozen=True, slots=True)
class Subscription:
    """One Subscription, read. `state` is OLM's: UpgradePending, UpgradeAvailable, AtLatestKnown, UpgradeFailed, or ''."""

    name: str
    namespace: str
    package: str
    catalog: str
    catalog_namespace: str
    channel: str
    approval: str
    starting_csv: str
    current_csv: str
    installed_csv: str
    state: str
    plan: str
    uid: str
    created: str
    conditions: tuple[tuple[str, str, str, str], ...]  # type, status, reason, message

    @property
    def installed(self) -> bool:
        return bool(self.installed_csv)

    @property
    def waits(self) -> bool:
        """True while somebody has to approve its InstallPlan."""
        return any(
            type_ == "InstallPlanPending" and status == "True" and reason == "RequiresApproval"
            for type_, status, reason, _message in self.conditions
        )

    @property
    def deprecations(self) -> tuple[tuple[str, str], ...]:
        """(PackageDeprecated, ChannelDeprecated or BundleDeprecated; its author's message)."""
        return tuple(
            (type_, message or reason)
            for type_, status, reason, message in self.conditions
            if type_ in DEPRECATIONS and status == "True"
        )

    @property
    def problem(self) -> str:
        """Why nothing comes, in OLM's own words; '' when nothing is wrong."""
        for kind in (
            "ResolutionFailed",
            "InstallPlanFailed",
            "InstallPlanMissing",
            "BundleUnpackFailed",
            "CatalogSourcesUnhealthy",
        ):
            for type_, status, reason, message in self.conditions:
                if type_ == kind and status == "True":
                    return message or reason
        return ""


def served(client: ClusterClient) -> bool:
    """Whether this cluster has OLM."""
    try:
        type_of(client, SUBSCRIPTIONS)
    except NotFound:
        return False
    return True


def version_of(plural: str) -> str:
    """Of OLM's kinds: OperatorGroups have one of their own."""
    return "v1" if plural == GROUPS else VERSION


def type_of(client: ClusterClient, plural: str) -> ResourceType:
    """One of OLM's types. Raises NotFound."""
    return client.find(GROUP, version_of(plural), plural)


def topic(client: ClusterClient, plural: str, namespace: str = "", group: str = GROUP, version: str = "") -> str:
    """What a live region of our pages follows: one topic, or several with blanks between them."""
    return followable.topics(client, group, version or version_of(plural), plural, namespace)


def ref(plural: str, namespace: str, name: str) -> str:
    """How the audit log names one of OLM's objects."""
    return f"{GROUP}/{version_of(plural)}/{plural} {namespace}/{name}"


def subscription(obj: Mapping[str, Any]) -> Subscription:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    plan = text(mapping(status.get("installPlanRef")).get("name")) or text(
        mapping(status.get("installplan")).get("name")
    )
    return Subscription(
        name_of(dict(obj)),
        namespace_of(dict(obj)),
        text(spec.get("name")),
        text(spec.get("source")),
        text(spec.get("sourceNamespace")),
        text(spec.get("channel")),
        text(spec.get("installPlanApproval")) or "Automatic",
        text(spec.get("startingCSV")),
        text(status.get("currentCSV")),
        text(status.get("installedCSV")),
        text(status.get("state")),
        plan,
        text(mapping(obj.get("metadata")).get("uid")),
        text(mapping(obj.get("metadata")).get("creationTimestamp")),
        tuple(
            (text(one.get("type")), text(one.get("status")), text(one.get("reason")), text(one.get("message")))
            for one in items(status.get("conditions"))
        ),
    )


def phase(csv: Mapping[str, Any]) -> str:
    """The CSV's phase, '' before OLM has looked at it."""
    return text(mapping(csv.get("status")).get("phase"))


def copied(csv: Mapping[str, Any]) -> bool:
    """True for the copies that OLM puts into every namespace an operator watches."""
    meta = mapping(csv.get("metadata"))
    return COPIED in mapping(meta.get("labels")) or text(mapping(csv.get("status")).get("reason")) == "Copied"


def copied_from(csv: Mapping[str, Any]) -> str:
    """The namespace of a copy's original, '' for an original."""
    return text(mapping(mapping(csv.get("metadata")).get("labels")).get(COPIED))


def targets(csv: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The namespaces that an original CSV's operator watches: () is all, None is not known (OLM has not looked at it, or it is a copy)."""
    noted = mapping(mapping(csv.get("metadata")).get("annotations")).get(TARGETS)
    return None if noted is None else tuple(one for one in text(noted).split(",") if one)


def group_modes(group: Mapping[str, Any], namespace: str) -> str:
    """The install mode that an OperatorGroup asks of the operators in its `namespace`."""
    targets = group_targets(group)
    if targets == (EVERYWHERE,):
        return "AllNamespaces"
    if len(targets) > 1:
        return "MultiNamespace"
    return "OwnNamespace" if targets == (namespace,) else "SingleNamespace"


#: What a group without targets and selector means, as OLM writes it into `status.namespaces`.
EVERYWHERE = ""


def group_targets(group: Mapping[str, Any]) -> tuple[str, ...]:
    """The namespaces that an OperatorGroup means; (EVERYWHERE,) is all, () is none that exists."""
    spec = mapping(group.get("spec"))
    if targets := strings(spec.get("targetNamespaces")):
        return targets
    selector = mapping(spec.get("selector"))
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        return (EVERYWHERE,)
    return tuple(one for one in strings(mapping(group.get("status")).get("namespaces")) if one)
