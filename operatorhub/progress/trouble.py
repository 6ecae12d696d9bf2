"""The first problem of an install: what happened in a plain sentence, OLM's own words, and what can be done about it.

The rules run in the order in which OLM works: until it has chosen the versions (OperatorGroup, catalog, resolution,
bundle), then the plan, what the version needs, its Pods and Deployments, OLM's verdict. One exception: a Pod that can't
run explains a ClusterServiceVersion that has given up waiting for it.

Sources: operator-lifecycle-manager, pkg/controller/{operators/{catalog,olm},registry/resolver,bundle};
operator-framework/api, subscription_types.go.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.objects import name_of
from kube.reader import read
from kube.types.meta import Condition
from kube.types.olm import CatalogSource, InstallPlan
from kube.types.workloads import Workload
from operatorhub import install_state, olm
from operatorhub.progress import pods, stages
from operatorhub.progress.facts import InstallFacts
from operatorhub.progress.stages import Trouble, Way
from operatorhub.running.workloads import page_of
from resources.state.health import condition_of

__all__ = ["Trouble", "Way", "find"]

#: Seconds that OLM may take without a word.
PATIENCE = 90
#: By then a client that creates the objects of an install in another order has created them all.
_ORDER_SECONDS = 5.0

#: Sentences of the resolver.
_SILENT = re.compile(r"error using catalogsource ([^/\s]+)/([^:\s]+): ")
_EXISTS = re.compile(r"clusterserviceversion (\S+) exists and is not referenced by a subscription")
_NEEDS = re.compile(
    r"requires? (?:at least one of|an operator providing an API with group: (\S+), version: (\S+), kind: (\w+)"
    r"|an operator with package: (\S+) and with version in range: ([^,]+))",
    re.I,
)
_CHANNEL = re.compile(
    r"no operators found in channel (\S+) of package (\S+)|no operators found from catalog|no operators found in"
    r" package (\S+)"
)


def find(facts: InstallFacts) -> Trouble | None:
    """What has failed, or else what is in the way so far; None while nothing is."""
    if facts.phase == olm.SUCCEEDED:
        return None
    troubles = [trouble for rule in _RULES for trouble in rule(facts)]
    return next((trouble for trouble in troubles if trouble.settled), troubles[0] if troubles else None)


def delete_page(plural: str, namespace: str, name: str) -> str:
    return reverse("resources:delete", args=[olm.GROUP, olm.VERSION, plural, namespace, name])


def _place(facts: InstallFacts) -> Iterator[Trouble]:
    namespace, groups = facts.subscription.namespace, facts.groups
    if groups is None or not install_state.lasts(facts.subscription.created, _ORDER_SECONDS):
        return
    raw = facts.csv_status.message
    if not groups:
        words = _(
            "The namespace “%(namespace)s” has no OperatorGroup, so OLM installs nothing there. Create "
            "an OperatorGroup."
        ) % {"namespace": namespace}
        ways: tuple[Way, ...] = (
            Way(_("Create an OperatorGroup for this namespace"), "", "group-own"),
            Way(_("Create an OperatorGroup for all namespaces"), "", "group-all"),
        )
        yield Trouble(key="no-group", stage="place", words=words, raw=raw, ways=ways)
    elif len(groups) > 1:
        names = ", ".join(map(name_of, groups))
        words = _(
            "The namespace “%(namespace)s” has more than one OperatorGroup (%(names)s): OLM installs nothing there"
            " until only one is left."
        )
        ways = tuple(
            Way(
                _("Delete %(name)s") % {"name": name_of(group)},
                reverse("operatorhub:group-delete", args=[namespace, name_of(group)]),
            )
            for group in groups
        )
        yield Trouble(
            key="groups", stage="place", words=words % {"namespace": namespace, "names": names}, raw=raw, ways=ways
        )


def _catalog(facts: InstallFacts) -> Iterator[Trouble]:
    sub = facts.subscription
    if sub.current_csv or facts.plan or facts.csv or not install_state.lasts(sub.created, _ORDER_SECONDS):
        return
    values = {"name": sub.catalog, "namespace": sub.catalog_namespace}
    if facts.source_missing:
        words = _(
            "The CatalogSource “%(name)s” doesn't exist in the namespace “%(namespace)s”, so OLM can't find the"
            " package."
        )
        ways = (
            Way(_("Choose another catalog in the Subscription"), _edit(sub)),
            Way(_("Find the package in OperatorHub"), search_page(sub.package)),
        )
        yield Trouble(key="catalog-missing", stage="catalog", words=words % values, raw=sub.problem, ways=ways)
    elif facts.source is not None:
        status = read(facts.source, CatalogSource).status
        if state := install_state.catalog_silent(status):
            raw = status.message or status.reason or state
            yield _silent(facts, sub.catalog_namespace, sub.catalog, sub.problem or raw)


def _silent(facts: InstallFacts, namespace: str, name: str, raw: str) -> Trouble:
    """A catalog that does not answer, whether it is the package's own or another one: OLM chooses nothing while one
    is silent.
    """
    values = {"name": name, "namespace": namespace}
    if (namespace, name) == (facts.subscription.catalog_namespace, facts.subscription.catalog):
        words = _(
            "The CatalogSource “%(name)s” isn't responding, so OLM can't read the package. Check its Pod in"
            " “%(namespace)s”."
        )
    else:
        words = _(
            "Another CatalogSource, “%(name)s” in “%(namespace)s”, isn't responding. OLM reads all catalogs of a"
            " namespace together and resolves nothing while one is unavailable. Repair or delete it."
        )
    found = next(pods.troubles(facts.catalog_pods), None)
    if found:
        words, raw = f"{words % values} {found.words}", f"{raw} – {found.raw}"
    else:
        words = words % values
    ways = (
        Way(_("Open the CatalogSource"), reverse("operatorhub:source", args=[namespace, name])),
        Way(_("View Pods"), _list("core", "v1", "pods", namespace, f"olm.catalogSource={name}")),
    )
    return Trouble(key="catalog-unhealthy", stage="catalog", words=words, raw=raw, ways=ways)


def _edit(sub: olm.Subscription) -> str:
    return reverse("resources:edit", args=[olm.GROUP, olm.VERSION, olm.SUBSCRIPTIONS, sub.namespace, sub.name])


def search_page(words: str) -> str:
    return f"{reverse('operatorhub:catalog')}?{urlencode({'q': words})}"


def _list(group: str, version: str, plural: str, namespace: str, labels: str = "") -> str:
    query = {"namespace": namespace, **({"labels": labels} if labels else {})}
    return f"{reverse('resources:list', args=[group, version, plural])}?{urlencode(query)}"


def _resolution(facts: InstallFacts) -> Iterator[Trouble]:
    """ResolutionFailed: one of some sentences of the resolver.

    A condition that is older than a plan says nothing any more.
    """
    sub = facts.subscription
    found = condition_of(sub.conditions, "ResolutionFailed", "True")
    if found is None or facts.plan or facts.csv or not _lasts(sub, found):
        return
    raw = found.message or found.reason
    if silent := _SILENT.search(raw):
        yield _silent(facts, silent[1], silent[2], raw)
    elif orphan := _EXISTS.search(raw):
        name = orphan[1].strip(",;")
        words = _(
            "The ClusterServiceVersion “%(name)s” remains in this namespace from an earlier install, and no"
            " Subscription follows it. OLM doesn't install next to it. Delete it; OLM then continues."
        )
        ways: tuple[Way, ...] = (
            Way(_("Delete %(name)s") % {"name": name}, delete_page(olm.CSVS, sub.namespace, name)),
        )
        yield Trouble(key="orphan", stage="subscription", words=words % {"name": name}, raw=raw, ways=ways)
    elif _CHANNEL.search(raw):
        words = _(
            "The catalog doesn't have that package, channel or version, or no longer has it. Select "
            "another package, channel or version in the Subscription."
        )
        ways = (
            Way(_("Edit the Subscription"), _edit(sub)),
            Way(_("Find the package in OperatorHub"), search_page(sub.package)),
        )
        yield Trouble(key="not-in-catalog", stage="subscription", words=words, raw=raw, ways=ways)
    elif need := _NEEDS.search(raw):
        kind = need[3] or need[4] or ""
        what = f"{need[4]} {need[5]}".strip() if need[4] else kind
        words = _(
            "The operator has a requirement that no catalog here provides (%(what)s). Add a catalog "
            "that provides it, or install it another way. OLM retries."
        )
        ways = (Way(_("Search for %(kind)s") % {"kind": kind}, search_page(kind)),) if kind else ()
        yield Trouble(
            key="dependency", stage="subscription", words=words % {"what": what or _("see below")}, raw=raw, ways=ways
        )
    else:
        words = _(
            "OLM finds no compatible set of versions for this namespace. The message names the "
            "conflicting rules. A stuck operator in the same namespace also blocks this one."
        )
        ways = (
            Way(_("Operators of this namespace"), f"{reverse('operatorhub:installed')}?namespace={sub.namespace}"),
            Way(_("Edit the Subscription"), _edit(sub)),
        )
        yield Trouble(key="resolution", stage="subscription", words=words, raw=raw, ways=ways)


def _lasts(sub: olm.Subscription, condition: Condition) -> bool:
    """Real OLM writes no time into the condition; the status has one."""
    return install_state.lasts(condition.last_transition_time or sub.last_updated)


def _bundle(facts: InstallFacts) -> Iterator[Trouble]:
    sub = facts.subscription
    found, home = condition_of(sub.conditions, "BundleUnpackFailed", "True"), sub.catalog_namespace
    if found and not facts.csv:
        raw = found.message or found.reason
        words = _(
            "OLM couldn't unpack the operator's bundle: its image can't be pulled, or its contents can't be read. The"
            " Job in “%(namespace)s” has details. Fix the cause, delete that Job, then undo and repeat the install."
        )
        ways = (
            Way(_("View Jobs in the catalog's namespace"), _list("batch", "v1", "jobs", home)),
            Way(_("View Pods"), _list("core", "v1", "pods", home)),
        )
        yield Trouble(key="bundle", stage="bundle", words=words % {"namespace": home}, raw=raw, ways=ways)


def _silence(facts: InstallFacts) -> Iterator[Trouble]:
    """OLM reports no status at all: its Pods are unhealthy, or it has missed an event.

    Changing the Subscription makes it reconcile.
    """
    sub = facts.subscription
    if not sub.created or facts.plan or facts.csv or sub.current_csv:
        return
    waited = stages.took(sub.created, datetime.now(UTC).isoformat())
    if waited is not None and waited > PATIENCE:
        words = _(
            "OLM hasn't selected a version for %(seconds)d s and reports no reason. Check the health of "
            "OLM, or start the resolution again."
        )
        ways = (Way(_("Resolve again"), "", "look-again"), Way(_("Check OLM"), reverse("operatorhub:olm")))
        yield Trouble(
            key="silence",
            stage="subscription",
            words=words % {"seconds": int(waited)},
            raw="",
            ways=ways,
            settled=False,
        )


def _plan(facts: InstallFacts) -> Iterator[Trouble]:
    """Before `_requirements`: the version is the plan's first step, so it lacks what later steps failed to create."""
    made, sub = facts.plan, facts.subscription
    if made is None:
        return
    status = read(made, InstallPlan).status
    raw, phase = stages.plan_problem(status), status.phase
    if not raw or phase in ("Complete", olm.REQUIRES_APPROVAL):
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
        failure = condition_of(read(item, Workload).status.conditions, "ReplicaFailure", "True")
        if failure:
            cause = pods.cause_of(item, "Deployment", "apps/v1") if item else None
            words = _("%(name)s can't create its Pods") % {"name": name}
            way = Way(
                _("Open the Deployment"), page_of("deployments", facts.subscription.namespace, name, "apps", "v1")
            )
            yield Trouble(
                key="replicas",
                stage="deployments",
                words=cause.sentence if cause else words,
                raw=failure.message,
                ways=(way,),
                settled=install_state.lasts(failure.last_transition_time),
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
    _place,
    _catalog,
    _resolution,
    _bundle,
    _plan,
    _requirements,
    _containers,
    _deployments,
    _version,
    _silence,
)
