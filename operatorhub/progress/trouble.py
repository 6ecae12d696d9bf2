"""The first broken link of an install: what happened in a plain sentence, OLM's own words, and what can be done about it.

Looked for in the order in which OLM works, with one exception: a Pod that can't run explains a ClusterServiceVersion that has given up waiting for it.
Sources: operator-lifecycle-manager, pkg/controller/{operators/catalog,registry/resolver,operators/olm,bundle}; operator-framework/api, subscription_types.go.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.objects import name_of
from operatorhub import csv, olm
from operatorhub.progress import pods, running, stages
from operatorhub.progress.facts import Facts
from operatorhub.workloads import page_of


@dataclass(frozen=True, slots=True)
class Way:
    """A way out: a link, or with `action` something that a button here does (post it to operatorhub:mend)."""

    label: str
    url: str = ""
    action: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """`stage`: the line it belongs to; `words`: for people; `raw`: as the cluster says it, '' where it says nothing."""

    key: str
    stage: str
    words: str
    raw: str = ""
    ways: tuple[Way, ...] = ()


def find(facts: Facts) -> Trouble | None:
    """None while nothing is broken."""
    if facts.phase == olm.SUCCEEDED:
        return None
    rules: tuple[Callable[[Facts], Iterator[Trouble]], ...] = (
        _place,
        _catalog,
        _resolution,
        _bundle,
        _plan,
        _requirements,
        pods_trouble,
        _deployments,
        _csv,
    )
    return next((found for rule in rules for found in rule(facts)), None)


def delete_page(plural: str, namespace: str, name: str, version: str = olm.VERSION) -> str:
    return reverse("resources:delete", args=[olm.GROUP, version, plural, namespace, name])


def _place(facts: Facts) -> Iterator[Trouble]:
    namespace, groups = facts.subscription.namespace, facts.groups
    if groups is None:
        return
    raw = csv.text(csv.mapping((facts.csv or {}).get("status")).get("message"))
    if not groups:
        words = _("The namespace “%(namespace)s” has no OperatorGroup: OLM installs nothing there. Make one.") % {
            "namespace": namespace
        }
        ways: tuple[Way, ...] = (
            Way(_("Make one that watches this namespace"), "", "group-own"),
            Way(_("Make one that watches all namespaces"), "", "group-all"),
        )
        yield Trouble("no-group", "place", words, raw, ways)
    elif len(groups) > 1:
        names = ", ".join(map(name_of, groups))
        words = _(
            "The namespace “%(namespace)s” has more than one OperatorGroup (%(names)s): OLM installs nothing there until only one is left."
        )
        ways = tuple(
            Way(
                _("Delete %(name)s") % {"name": name_of(one)},
                delete_page("operatorgroups", namespace, name_of(one), "v1"),
            )
            for one in groups
        )
        yield Trouble("groups", "place", words % {"namespace": namespace, "names": names}, raw, ways)


def _catalog(facts: Facts) -> Iterator[Trouble]:
    sub = facts.subscription
    if sub.current_csv or facts.plan or facts.csv:
        return
    told = {"name": sub.catalog, "namespace": sub.catalog_namespace}
    if facts.source_missing:
        words = (
            _(
                "There is no CatalogSource “%(name)s” in the namespace “%(namespace)s”, so OLM does not know where the package is."
            )
            % told
        )
        ways = (
            Way(_("Choose another catalog in the Subscription"), _edit(sub)),
            Way(_("Look for the package in OperatorHub"), _search(sub.package)),
        )
        yield Trouble("catalog-missing", "catalog", words, sub.problem, ways)
    elif facts.source is not None and (state := stages.connection(facts.source)) not in stages.HEALTHY:
        status = csv.mapping(facts.source.get("status"))
        words = _(
            "The CatalogSource “%(name)s” does not answer (%(state)s), so OLM can't read the package. Its Pod in “%(namespace)s” says why."
        )
        ways = (
            Way(_("Open the CatalogSource"), page_of(olm.SOURCES, sub.catalog_namespace, sub.catalog)),
            Way(_("Its Pods"), _list("core", "v1", "pods", sub.catalog_namespace, f"olm.catalogSource={sub.catalog}")),
        )
        raw = csv.text(status.get("message")) or csv.text(status.get("reason")) or state
        yield Trouble("catalog-unhealthy", "catalog", words % {**told, "state": state}, raw, ways)


def _edit(sub: olm.Subscription) -> str:
    return reverse("resources:edit", args=[olm.GROUP, olm.VERSION, olm.SUBSCRIPTIONS, sub.namespace, sub.name])


def _search(words: str) -> str:
    return f"{reverse('operatorhub:catalog')}?{urlencode({'q': words})}"


def _list(group: str, version: str, plural: str, namespace: str, labels: str = "") -> str:
    query = {"namespace": namespace, **({"labels": labels} if labels else {})}
    return f"{reverse('resources:list', args=[group, version, plural])}?{urlencode(query)}"


_EXISTS = re.compile(r"clusterserviceversion (\S+) exists and is not referenced by a subscription")
_NEEDS = re.compile(
    r"requires? (?:at least one of|an operator providing an API with group: (\S+), version: (\S+), kind: (\w+))", re.I
)
_CHANNEL = re.compile(
    r"no operators found in channel (\S+) of package (\S+)|no operators found from catalog|no operators found in package (\S+)"
)


def _resolution(facts: Facts) -> Iterator[Trouble]:
    """ResolutionFailed: one of some sentences of the resolver. A condition that is older than a plan says nothing any more."""
    found = stages.condition(facts.object, "ResolutionFailed")
    if not stages.is_true(found) or facts.plan or facts.csv:
        return
    sub, raw = facts.subscription, csv.text(found.get("message")) or csv.text(found.get("reason"))
    if orphan := _EXISTS.search(raw):
        name = orphan[1].strip(",;")
        words = _("The ClusterServiceVersion “%(name)s” lies in this namespace from an earlier install, and no Subscription follows it. OLM does not install beside it: delete it, then OLM goes on by itself.")  # fmt: skip
        ways: tuple[Way, ...] = (
            Way(_("Delete %(name)s") % {"name": name}, delete_page(olm.CSVS, sub.namespace, name)),
        )
        yield Trouble("orphan", "subscription", words % {"name": name}, raw, ways)
    elif _CHANNEL.search(raw):
        words = _(
            "The catalog does not have that package, channel or version (any more). Choose another one in the Subscription."
        )
        ways = (
            Way(_("Edit the Subscription"), _edit(sub)),
            Way(_("Look for the package in OperatorHub"), _search(sub.package)),
        )
        yield Trouble("not-in-catalog", "subscription", words, raw, ways)
    elif need := _NEEDS.search(raw):
        kind = need[3] or ""
        words = _("It needs something that no catalog offers here (%(what)s). Add a catalog that has it, or install it in another way; OLM tries again by itself.")  # fmt: skip
        ways = (Way(_("Search for %(kind)s") % {"kind": kind}, _search(kind)),) if kind else ()
        yield Trouble("dependency", "subscription", words % {"what": kind or _("see below")}, raw, ways)
    else:
        words = _("OLM finds no set of versions that fit together in this namespace. Its own words name the rules that exclude each other; an operator that is stuck beside it holds this one up too.")  # fmt: skip
        ways = (
            Way(_("Operators of this namespace"), f"{reverse('operatorhub:installed')}?namespace={sub.namespace}"),
            Way(_("Edit the Subscription"), _edit(sub)),
        )
        yield Trouble("resolution", "subscription", words, raw, ways)


def _bundle(facts: Facts) -> Iterator[Trouble]:
    found, home = stages.condition(facts.object, "BundleUnpackFailed"), facts.subscription.catalog_namespace
    if stages.is_true(found) and not facts.csv:
        raw = csv.text(found.get("message")) or csv.text(found.get("reason"))
        words = _("OLM could not unpack the operator's bundle: its image can't be pulled, or what is in it can't be read. The Job in “%(namespace)s” says more. Mend the cause, delete that Job, and undo and repeat the install.")  # fmt: skip
        ways = (
            Way(_("Jobs of the catalog's namespace"), _list("batch", "v1", "jobs", home)),
            Way(_("Its Pods"), _list("core", "v1", "pods", home)),
        )
        yield Trouble("bundle", "bundle", words % {"namespace": home}, raw, ways)


def _plan(facts: Facts) -> Iterator[Trouble]:
    plan, sub = facts.plan, facts.subscription
    if plan is None or facts.csv:
        return
    raw, phase = stages.plan_problem(plan), csv.text(csv.mapping(plan.get("status")).get("phase"))
    if not raw or phase in ("Complete", "RequiresApproval"):
        return
    open_it = Way(_("Open the InstallPlan"), page_of(olm.PLANS, sub.namespace, sub.plan))
    if "forbidden" in raw.lower():
        words = _(
            "OLM may not make one of the objects: the ServiceAccount of the OperatorGroup lacks a right. Give it that right; OLM tries again."
        )
        key = "plan-rights"
    elif "not found on the cluster" in raw:
        words = _(
            "The bundle brings an object of a kind that this cluster does not serve: it is made for another version or distribution of Kubernetes."
        )
        key = "plan-api"
    elif "existing" in raw and "schema" in raw:
        words = _(
            "Objects that exist would not be valid by the new CustomResourceDefinition, so OLM leaves it as it is. Mend those objects first."
        )
        key = "plan-schema"
    else:
        words, key = _("OLM could not carry out the InstallPlan."), "plan"
    if phase != "Failed":
        words = _("%(words)s It tries again until it gives up.") % {"words": words}
    yield Trouble(key, "plan", words, raw, (open_it,))


def _requirements(facts: Facts) -> Iterator[Trouble]:
    missing = running.requirements(facts.csv)
    if not missing or facts.phase not in ("Pending", olm.FAILED):
        return
    kinds = [one for one in missing if one.kind == "CustomResourceDefinition"]
    accounts = [one for one in missing if one.kind == "ServiceAccount"]
    page = page_of(olm.CSVS, facts.subscription.namespace, facts.csv_name)
    if kinds:
        names = ", ".join(one.name for one in kinds)
        words = _(
            "It needs kinds that this cluster does not serve: %(names)s. Install the operator that brings them."
        ) % {"names": names}
        ways = (Way(_("Search for %(kind)s") % {"kind": kinds[0].name}, _search(kinds[0].name.partition(".")[0])),)
        yield Trouble(
            "missing-crd", "csv", words, "; ".join(f"{one.kind} {one.name}: {one.message}" for one in kinds), ways
        )
    elif accounts:
        rules = [rule for one in accounts for rule in one.rules]
        words = _("A ServiceAccount of it lacks rights that it needs: %(names)s. Somebody removed its roles, or an OperatorGroup's ServiceAccount does not allow them.")  # fmt: skip
        told = words % {"names": ", ".join(one.name for one in accounts)}
        yield Trouble(
            "rights",
            "csv",
            told,
            "; ".join(rules or [one.message for one in accounts]),
            (Way(_("Open the ClusterServiceVersion"), page),),
        )
    else:
        words = _("Something that it needs is not there.")
        yield Trouble(
            "requirements",
            "csv",
            words,
            "; ".join(f"{one.kind} {one.name}: {one.message}" for one in missing),
            (Way(_("Open the ClusterServiceVersion"), page),),
        )


def pods_trouble(facts: Facts) -> Iterator[Trouble]:
    """Of the first Pod that can't run."""
    for found in pods.troubles(facts):
        ways = tuple(Way(label, url) for label, url in found.ways)
        yield Trouble(found.key, "pods", found.words, found.raw, ways)


def _deployments(facts: Facts) -> Iterator[Trouble]:
    for name, one in facts.deployments:
        failure = stages.condition(one, "ReplicaFailure")
        if stages.is_true(failure):
            words = _(
                "The Deployment “%(name)s” may not make its Pods: a quota, Pod security or a missing ServiceAccount is in the way."
            )
            way = Way(
                _("Open the Deployment"), page_of("deployments", facts.subscription.namespace, name, "apps", "v1")
            )
            yield Trouble("replicas", "deployments", words % {"name": name}, csv.text(failure.get("message")), (way,))


def _csv(facts: Facts) -> Iterator[Trouble]:
    if facts.phase != olm.FAILED:
        return
    status = csv.mapping((facts.csv or {}).get("status"))
    reason, raw = csv.text(status.get("reason")), csv.text(status.get("message"))
    namespace = facts.subscription.namespace
    words = {
        "UnsupportedOperatorGroup": _("The namespace's OperatorGroup asks for an install mode that this operator does not support."),
        "NoTargetNamespaces": _("The namespace's OperatorGroup selects no namespace that exists."),
        "InterOperatorGroupOwnerConflict": _("Another operator provides the same kinds for the same namespaces. Only one of them may: uninstall the other, or let this one watch other namespaces."),
        "InstallCheckFailed": _("Its Deployments did not become ready in the time that OLM gives them."),
        "ComponentFailed": _("OLM could not make its Deployments, accounts or roles."),
        "ComponentUnhealthy": _("Its Deployments are not healthy."),
        "CannotModifyStaticOperatorGroupProvidedAPIs": _("The OperatorGroup is fixed to certain kinds, and this operator's are not among them."),
    }.get(reason, _("OLM has given this version up."))  # fmt: skip
    ways = [Way(_("Open the ClusterServiceVersion"), page_of(olm.CSVS, namespace, facts.csv_name))]
    if facts.groups and reason in ("UnsupportedOperatorGroup", "NoTargetNamespaces"):
        edit = reverse("resources:edit", args=[olm.GROUP, "v1", "operatorgroups", namespace, name_of(facts.groups[0])])
        ways.insert(0, Way(_("Edit the OperatorGroup"), edit))
    yield Trouble("csv-failed", "csv", words, f"{reason}: {raw}", tuple(ways))
