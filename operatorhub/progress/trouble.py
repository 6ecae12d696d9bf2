"""The first problem of an install: what happened in a plain sentence, OLM's own words, and what can be done about it.

The rules run in the order in which OLM works: resolution (resolution_problems.py), then the plan, what the version
needs, its Pods and Deployments, OLM's verdict. One exception: a Pod that can't run explains a ClusterServiceVersion
that has given up waiting for it.

Sources: operator-lifecycle-manager, pkg/controller/operators/{catalog,olm}.
"""

from collections.abc import Callable, Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.objects import name_of
from operatorhub import csv, install_state, olm
from operatorhub.progress import pods, resolution_problems, stages
from operatorhub.progress.facts import InstallFacts
from operatorhub.progress.problem import Trouble, Way
from operatorhub.progress.resolution_problems import search_page
from operatorhub.running.workloads import page_of

__all__ = ["Trouble", "Way", "find"]


def find(facts: InstallFacts) -> Trouble | None:
    """What has failed, or else what is in the way so far; None while nothing is."""
    if facts.phase == olm.SUCCEEDED:
        return None
    troubles = [trouble for rule in _RULES for trouble in rule(facts)]
    return next((trouble for trouble in troubles if trouble.settled), troubles[0] if troubles else None)


def _plan(facts: InstallFacts) -> Iterator[Trouble]:
    """Before `_requirements`: the version is the plan's first step, so it lacks what later steps failed to create."""
    made, sub = facts.plan, facts.subscription
    if made is None:
        return
    raw, phase = stages.plan_problem(made), csv.text(csv.mapping(made.get("status")).get("phase"))
    if not raw or phase in ("Complete", "RequiresApproval"):
        return
    open_it = Way(_("Open the InstallPlan"), reverse("operatorhub:plan", args=[sub.namespace, sub.plan]))
    if "forbidden" in raw.lower():
        words = _(
            "OLM doesn't have permission to create one of the objects: the ServiceAccount of the OperatorGroup lacks a"
            " permission. Grant it; OLM retries."
        )
        key = "plan-rights"
    elif "not found on the cluster" in raw:
        words = _(
            "The bundle contains an object of a resource type that this cluster doesn't serve. The "
            "bundle was made for another version or distribution of Kubernetes."
        )
        key = "plan-api"
    elif "existing" in raw and "schema" in raw:
        words = _(
            "Existing objects would be invalid with the new CustomResourceDefinition, so OLM keeps the "
            "old version. Fix those objects first."
        )
        key = "plan-schema"
    else:
        words, key = _("OLM couldn't apply the InstallPlan."), "plan"
    if phase != "Failed":
        words = _("%(words)s OLM is retrying.") % {"words": words}
    ways: tuple[Way, ...] = (open_it,)
    if key == "plan-rights" and facts.groups:
        page = reverse("operatorhub:group", args=[sub.namespace, name_of(facts.groups[0])])
        ways = (open_it, Way(_("Edit the OperatorGroup"), page))
    yield Trouble(key=key, stage="plan", words=words, raw=raw, ways=ways, settled=phase == "Failed")


def _requirements(facts: InstallFacts) -> Iterator[Trouble]:
    missing = facts.missing
    if not missing:
        return
    kinds = [requirement for requirement in missing if requirement.kind == "CustomResourceDefinition"]
    accounts = [requirement for requirement in missing if requirement.kind == "ServiceAccount"]
    page = page_of(olm.CSVS, facts.subscription.namespace, facts.csv_name)
    if kinds:
        names = ", ".join(kind.name for kind in kinds)
        words = _(
            "The operator requires resource types that this cluster doesn't serve: %(names)s. Install "
            "the operator that provides them."
        ) % {"names": names}
        ways = (Way(_("Search for %(kind)s") % {"kind": kinds[0].name}, search_page(kinds[0].name.partition(".")[0])),)
        yield Trouble(
            key="missing-crd",
            stage="csv",
            words=words,
            raw="; ".join(f"{kind.kind} {kind.name}: {kind.message}" for kind in kinds),
            ways=ways,
        )
    elif accounts:
        rules = [rule for account in accounts for rule in account.rules]
        words = _(
            "A ServiceAccount of the operator lacks required permissions: %(names)s. Its roles were "
            "removed, or the ServiceAccount of an OperatorGroup doesn't allow them."
        )
        message = words % {"names": ", ".join(account.name for account in accounts)}
        yield Trouble(
            key="rights",
            stage="csv",
            words=message,
            raw="; ".join(rules or [account.message for account in accounts]),
            ways=(Way(_("Open the ClusterServiceVersion"), page),),
        )
    else:
        words = _("A requirement is missing.")
        yield Trouble(
            key="requirements",
            stage="csv",
            words=words,
            raw="; ".join(f"{requirement.kind} {requirement.name}: {requirement.message}" for requirement in missing),
            ways=(Way(_("Open the ClusterServiceVersion"), page),),
        )


def _containers(facts: InstallFacts) -> Iterator[Trouble]:
    """Of the first Pod that can't run."""
    for found in pods.troubles(facts.pods, facts.events):
        ways = tuple(Way(label, url) for label, url in found.ways)
        failed = found.settled or install_state.version_failure(facts.csv) is not None
        yield Trouble(key=found.key, stage="pods", words=found.words, raw=found.raw, ways=ways, settled=failed)


def _deployments(facts: InstallFacts) -> Iterator[Trouble]:
    for name, item in facts.deployments:
        failure = stages.condition(item, "ReplicaFailure")
        if stages.is_true(failure):
            cause = pods.cause_of(item, "Deployment", "apps/v1") if item else None
            words = _("%(name)s can't create its Pods") % {"name": name}
            way = Way(
                _("Open the Deployment"), page_of("deployments", facts.subscription.namespace, name, "apps", "v1")
            )
            yield Trouble(
                key="replicas",
                stage="deployments",
                words=cause.sentence if cause else words,
                raw=csv.text(failure.get("message")),
                ways=(way,),
                settled=install_state.lasts(csv.text(failure.get("lastTransitionTime"))),
            )


def _version(facts: InstallFacts) -> Iterator[Trouble]:
    failure = install_state.version_failure(facts.csv)
    if failure is None:
        return
    reason, raw = failure.reason, failure.message
    namespace = facts.subscription.namespace
    words = {
        "UnsupportedOperatorGroup": _(
            "The namespace's OperatorGroup requires an install mode that this operator doesn't support."
        ),
        "NoTargetNamespaces": _("The namespace's OperatorGroup selects no existing namespace."),
        "InterOperatorGroupOwnerConflict": _(
            "Another operator provides the same resource types for the same namespaces; only one "
            "operator can. Uninstall the other operator, or let this operator watch other namespaces."
        ),
        "InstallCheckFailed": _("The operator's Deployments didn't become ready before OLM's timeout."),
        "InstallComponentFailed": _("OLM couldn't create the operator's Deployments, ServiceAccounts or roles."),
        "ComponentUnhealthy": _("The operator's Deployments aren't healthy."),
        "CannotModifyStaticOperatorGroupProvidedAPIs": _(
            "The OperatorGroup allows only certain resource types, and this operator's resource types "
            "aren't among them."
        ),
    }.get(reason, _("OLM gave up installing this version."))
    ways = [Way(_("Open the ClusterServiceVersion"), page_of(olm.CSVS, namespace, facts.csv_name))]
    if facts.groups and reason in ("UnsupportedOperatorGroup", "NoTargetNamespaces"):
        edit = reverse("operatorhub:group", args=[namespace, name_of(facts.groups[0])])
        ways.insert(0, Way(_("Edit the OperatorGroup"), edit))
    yield Trouble(key="csv-failed", stage="csv", words=words, raw=f"{reason}: {raw}", ways=tuple(ways))


#: In the order in which OLM works.
_RULES: tuple[Callable[[InstallFacts], Iterator[Trouble]], ...] = (
    resolution_problems.place,
    resolution_problems.catalog,
    resolution_problems.resolution,
    resolution_problems.bundle,
    _plan,
    _requirements,
    _containers,
    _deployments,
    _version,
    resolution_problems.silence,
)
