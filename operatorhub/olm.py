"""OLM's facts: its types, what a Subscription says, and the words for phases; and patching the spec of an object whose
status OLM updates every few seconds (CatalogSources).

No Django models; requests only for patch_spec and to see whether OLM is there.

https://olm.operatorframework.io/docs/concepts/crds/
"""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Conflict, KubeError, NotFound
from kube.objects import KubeObject
from kube.reader import read
from kube.types import olm as olm_types
from kube.types.meta import Condition, ObjectMeta
from kube.types.olm import ClusterServiceVersionStatus
from operatorhub.csv import strings
from resources.live_topics import TypeName
from resources.state.health import condition_of

GROUP = "operators.coreos.com"
PACKAGES_GROUP = "packages.operators.coreos.com"
#: Deployments.
PROGRAMS = ("olm-operator", "catalog-operator", "packageserver")
VERSION = "v1alpha1"
SUBSCRIPTIONS = "subscriptions"
CSVS = "clusterserviceversions"
PLANS = "installplans"
SOURCES = "catalogsources"
GROUPS = "operatorgroups"
COPIED = "olm.copiedFrom"
ORIGINALS = f"!{COPIED}"
TARGETS = "olm.targetNamespaces"
#: Conditions of a Subscription that say why nothing comes; OLM doesn't try again after the final ones.
FINAL_PROBLEMS = ("InstallPlanFailed", "BundleUnpackFailed")
PROBLEMS = (
    "ResolutionFailed",
    "InstallPlanFailed",
    "InstallPlanMissing",
    "BundleUnpackFailed",
    "CatalogSourcesUnhealthy",
)
#: On a Subscription: the version that a user dismissed. OLM can't reject a plan, and recreates one that is deleted
#: (operator-lifecycle-manager, pull request 1843), so the plan stays and the console stops asking.
DISMISSED = "operator-console.dev/dismissed-update"
DEPRECATIONS = ("PackageDeprecated", "ChannelDeprecated", "BundleDeprecated")
# A CSV's phases:
# https://github.com/operator-framework/api/blob/master/pkg/operators/v1alpha1/clusterserviceversion_types.go
SUCCEEDED, FAILED, REPLACING, DELETING = "Succeeded", "Failed", "Replacing", "Deleting"
#: An InstallPlan's phase, and the reason of the condition on its Subscription.
REQUIRES_APPROVAL = "RequiresApproval"
_PATCH_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One Subscription, read. `state` is OLM's: UpgradePending, UpgradeAvailable, AtLatestKnown, UpgradeFailed, or ''.

    `last_updated`, `problem_since`: when OLM last wrote the status, and a problem's condition; '' where it does not
    say. `dismissed_csv`: see DISMISSED.
    """

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
    conditions: tuple[Condition, ...]
    last_updated: str = ""
    problem_since: str = ""
    dismissed_csv: str = ""

    @property
    def installed(self) -> bool:
        return bool(self.installed_csv)

    @property
    def waits(self) -> bool:
        """True while OLM's condition says that its InstallPlan needs approval.

        For lists, which read no plans. After an approval OLM updates the condition a moment later than the plan, whose
        own rule is plan_waits().
        """
        pending = condition_of(self.conditions, "InstallPlanPending", "True")
        return pending is not None and pending.reason == REQUIRES_APPROVAL

    @property
    def dismissed(self) -> bool:
        """True if the pending update was dismissed.

        Its plan can still be approved.
        """
        waits = self.installed and self.current_csv != self.installed_csv
        return waits and self.dismissed_csv not in ("", self.installed_csv) and self.dismissed_csv == self.current_csv

    @property
    def deprecations(self) -> tuple[tuple[str, str], ...]:
        """(PackageDeprecated, ChannelDeprecated or BundleDeprecated; its author's message)."""
        return tuple(
            (condition.type, condition.message or condition.reason)
            for condition in self.conditions
            if condition.type in DEPRECATIONS and condition.status == "True"
        )

    @property
    def problem(self) -> str:
        """What OLM says is wrong at this moment; '' for nothing.

        Whether it lasts: install_state.subscription_problem.
        """
        for kind in PROBLEMS:
            if condition := condition_of(self.conditions, kind, "True"):
                return condition.message or condition.reason
        return ""


def served(client: ClusterClient) -> bool:
    """Whether this cluster has OLM: its kinds, and something that does its work.

    The kinds alone stay when OLM is removed.
    """
    return kinds_served(client) and (packages_served(client) or _has_program(client))


def kinds_served(client: ClusterClient) -> bool:
    """Whether OLM's definitions are there, with or without OLM."""
    try:
        type_of(client, SUBSCRIPTIONS)
    except NotFound:
        return False
    return True


def packages_served(client: ClusterClient) -> bool:
    """Whether a package server answers.

    OLM may run outside of the cluster (hosted control planes): then this is all to be seen.
    """
    if any(error.startswith(f"{PACKAGES_GROUP}/") for error in client.discovery_errors):
        return False
    return any(type_.group == PACKAGES_GROUP for type_ in client.types())


def deployments(client: ClusterClient, name: str) -> list[KubeObject]:
    """Those of that name, wherever they are: OLM's namespace differs from distribution to distribution.

    Raises KubeError.
    """
    return client.list(client.find("apps", "v1", "deployments"), fields=f"metadata.name={name}", whole=True).items


def _has_program(client: ClusterClient) -> bool:
    """Whether a Deployment of OLM exists.

    True as well where that can't be seen: the kinds are there, so OLM likely is.
    """
    try:
        return any(deployments(client, name) for name in PROGRAMS)
    except KubeError:
        return True


def version_of(plural: str) -> str:
    """Of OLM's kinds: OperatorGroups have one of their own."""
    return "v1" if plural == GROUPS else VERSION


def type_of(client: ClusterClient, plural: str) -> ResourceType:
    """One of OLM's types. Raises NotFound."""
    return client.find(GROUP, version_of(plural), plural)


def type_names(*plurals: str) -> tuple[TypeName, ...]:
    """Of OLM's types, whether they are served or not: for live_topics.topics()."""
    return tuple((GROUP, version_of(plural), plural) for plural in plurals)


def ref(plural: str, namespace: str, name: str) -> str:
    """How the audit log names one of OLM's objects."""
    return f"{GROUP}/{version_of(plural)}/{plural} {namespace}/{name}"


def subscription(obj: Mapping[str, Any]) -> Subscription:
    found = read(obj, olm_types.Subscription)
    meta, spec, status = found.metadata, found.spec, found.status
    return Subscription(
        name=meta.name,
        namespace=meta.namespace,
        package=spec.name,
        catalog=spec.source,
        catalog_namespace=spec.source_namespace,
        channel=spec.channel,
        approval=spec.install_plan_approval or "Automatic",
        starting_csv=spec.starting_csv,
        current_csv=status.current_csv,
        installed_csv=status.installed_csv,
        state=status.state,
        plan=status.install_plan_ref.name or status.installplan.name,
        uid=meta.uid,
        created=meta.creation_timestamp,
        conditions=status.conditions,
        last_updated=status.last_updated,
        problem_since=max(
            (
                condition.last_transition_time or status.last_updated
                for condition in status.conditions
                if condition.type in PROBLEMS and condition.status == "True"
            ),
            default="",
        ),
        dismissed_csv=meta.annotations.get(DISMISSED, ""),
    )


def plan_waits(plan: olm_types.InstallPlan) -> bool:
    """True while an InstallPlan waits for approval.

    An approved plan keeps the phase RequiresApproval until OLM has seen the approval, so the phase alone isn't enough.
    """
    return plan.status.phase == REQUIRES_APPROVAL and not plan.spec.approved


def version_in(csv_name: str) -> str:
    """The version in a ClusterServiceVersion's name (0.1.0 of memcached-operator.v0.1.0); the name where it has
    none.
    """
    found = re.search(r"(?s)[.-]v?(\d+\.\d+.*)", csv_name)
    return found[1] if found else csv_name


def csv_status(csv: Mapping[str, Any] | None) -> ClusterServiceVersionStatus:
    """What OLM says of a CSV; the defaults where there is none."""
    return read((csv or {}).get("status"), ClusterServiceVersionStatus)


def phase(csv: Mapping[str, Any]) -> str:
    """The CSV's phase, '' before OLM has set one."""
    return csv_status(csv).phase


def copied(csv: Mapping[str, Any]) -> bool:
    """True for the copies that OLM puts into every namespace an operator watches."""
    return COPIED in read(csv.get("metadata"), ObjectMeta).labels or csv_status(csv).reason == "Copied"


def copied_from(csv: Mapping[str, Any]) -> str:
    """The namespace of a copy's original, '' for an original."""
    return read(csv.get("metadata"), ObjectMeta).labels.get(COPIED, "")


def targets(csv: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The namespaces that an original CSV's operator watches: () is all, None is not known (OLM has not looked at
    it, or it is a copy).
    """
    namespaces = read(csv.get("metadata"), ObjectMeta).annotations.get(TARGETS)
    return None if namespaces is None else tuple(part for part in namespaces.strip().split(",") if part)


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
    """The namespaces that an OperatorGroup selects; (EVERYWHERE,) means all, () means that none exists."""
    found = read(group, olm_types.OperatorGroup)
    if targets := strings(found.spec.target_namespaces):
        return targets
    if found.spec.selector.is_empty:
        return (EVERYWHERE,)
    return strings(found.status.namespaces)


def spec_version(obj: KubeObject) -> str:
    """A version of the spec only. The resourceVersion changes with the status too."""
    metadata = read(obj.get("metadata"), ObjectMeta)
    return f"{metadata.uid}/{metadata.generation}"


def patch_spec(
    client: ClusterClient,
    type_: ResourceType,
    name: str,
    namespace: str,
    change: dict[str, Any],
    version: str,
    *,
    dry_run: bool,
) -> KubeObject:
    """Merge `change` into the object.

    `version`: what the user saw, as spec_version() says it; or a resourceVersion. Raises Conflict if that has changed:
    of a spec's version, changes of the status in between don't count.
    """
    if "/" not in version:
        meta = {**change.get("metadata", {}), "resourceVersion": version}
        return client.patch(type_, name, {**change, "metadata": meta}, namespace, dry_run=dry_run)
    for _again in range(_PATCH_TRIES):
        found = client.get(type_, name, namespace)
        if spec_version(found) != version:
            break
        meta = {**change.get("metadata", {}), "resourceVersion": found["metadata"]["resourceVersion"]}
        with contextlib.suppress(Conflict):
            return client.patch(type_, name, {**change, "metadata": meta}, namespace, dry_run=dry_run)
    raise Conflict(_("“%(name)s” changed since this page was loaded.") % {"name": name})
