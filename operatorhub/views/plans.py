"""/operators/<namespace>/installplans/: what OLM is about to create; approve or deny it, knowing what it changes.

/operators/approve/: the install plans of the operators that were selected in their list, reviewed and approved
together.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.front import Workers
from console.web.request import ConsoleRequest, wants_fragment
from kube import limits
from kube.client import ClusterClient
from kube.errors import Conflict, Forbidden, KubeError
from operatorhub import olm
from operatorhub.running import installed_operators
from operatorhub.upgrade import plan_check, plan_diff
from operatorhub.upgrade import plans as subject
from resources import live_topics, yamltext

#: The patch that approves a plan, as one types it.
_APPROVED = '{"spec":{"approved":true}}'
PARTS = {"changes": "operatorhub/_plan_changes.html", "check": "operatorhub/_plan_check.html"}
_workers = Workers(8, thread_name_prefix="approvals")


@require_safe
def plans(request: ConsoleRequest, namespace: str) -> HttpResponse:
    """`-` is all namespaces."""
    where = "" if namespace == "-" else namespace
    problem = None
    found: tuple[subject.InstallPlan, ...] = ()
    try:
        found = subject.listed(request.cluster, where)
    except Forbidden as error:
        problem = explain(error)
    context = {
        "plans": found,
        "namespace": where,
        "problem": problem,
        "topics": live_topics.topics(request.cluster, *olm.type_names(olm.PLANS), namespace=where),
    }
    status = 403 if problem else 200
    return render.page(request, "operatorhub/plans.html", context, part=True, status=status)


@dataclass(frozen=True, slots=True)
class BundleSteps:
    """The steps of one operator of the plan."""

    csv: str
    steps: tuple[subject.PlanStep, ...]


def _bundles(steps: tuple[subject.PlanStep, ...]) -> tuple[BundleSteps, ...]:
    names = dict.fromkeys(step.resolving for step in steps)
    return tuple(BundleSteps(name, tuple(step for step in steps if step.resolving == name)) for name in names)


def approve_kubectl(plan: subject.InstallPlan) -> str:
    """What approves the plan without the console."""
    return f"kubectl patch installplans.{olm.GROUP} {plan.name} -n {plan.namespace} --type merge -p '{_APPROVED}'"


def refused(client: ClusterClient, plan: subject.InstallPlan) -> str:
    """Why the user can't approve this plan, '' when they can."""
    return refusal(client, "patch", olm.type_of(client, olm.PLANS), plan.namespace, plan.name)


@require_safe
def plan(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """`?part=changes`: what the steps change; `?part=check`: the instances that the new schemas would refuse.

    Both may take some seconds: scripts load them after the page; without scripts they are links to the page with one.
    """
    client, part = request.cluster, request.GET.get("part", "")
    found = subject.read(client, namespace, plan)
    context: dict[str, Any] = {"plan": found}
    if part == "changes":
        context["changes"] = plan_diff.changes(client, found)
    if part == "check":
        context["check"] = plan_check.current_check(client, found)
    if part in PARTS and wants_fragment(request):
        return render.page(request, PARTS[part], context)
    subs, updates = _subscriptions(client, found)
    context |= {
        "updates": updates,
        "dismissed": updates if all(sub.dismissed for sub in updates) else [],
        "bundles": _bundles(subject.steps(client, found)),
        "subs": subs,
        "refused": refused(client, found),
        "approve_kubectl": approve_kubectl(found),
        "topics": live_topics.topics(client, *olm.type_names(olm.PLANS, olm.CSVS), namespace=namespace),
    }
    return render.page(request, "operatorhub/plan.html", context, part=True)


@require_safe
def step(request: ConsoleRequest, namespace: str, plan: str, number: int) -> HttpResponse:
    """One step's manifest as YAML, and how it differs from what is there."""
    client = request.cluster
    found = subject.read(client, namespace, plan)
    steps = subject.steps(client, found)
    if number >= len(steps):
        raise Http404
    plan_step = steps[number]
    text = yamltext.dump(plan_step.manifest) if plan_step.manifest is not None else ""
    context = {
        "plan": found,
        "step": plan_step,
        "text": text,
        "change": plan_diff.of_step(client, found, plan_step),
        "shell": {"editing": True},
    }
    return render.page(request, "operatorhub/plan_step.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def approve(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """Approves what the page showed (`seen`), and notes it in the audit log.

    `subscription`: whose progress page to go back to.
    """
    found = subject.read(request.cluster, namespace, plan)
    subscription = request.POST.get("subscription", "")
    page, name = ("operatorhub:progress", subscription) if subscription else ("operatorhub:plan", plan)
    here = HttpResponseRedirect(reverse(page, args=[namespace, name]))
    if request.method != "POST":
        return here
    with audit.recorded(request, "approve", olm.ref(olm.PLANS, namespace, plan)):
        subject.approve(request.cluster, found, seen=request.POST.get("seen", ""))
    messages.success(request, _("Plan approved. OLM installs %(names)s.") % {"names": ", ".join(found.csvs)})
    return here


def _subscriptions(
    client: ClusterClient, plan: subject.InstallPlan
) -> tuple[list[olm.Subscription], list[olm.Subscription]]:
    """(those of the plan, of these the ones that it updates)."""
    subs = [
        sub
        for sub in installed_operators.subscriptions(client, plan.namespace)
        if sub.name in plan.subscriptions or sub.plan == plan.name
    ]
    return subs, [sub for sub in subs if sub.installed and sub.current_csv != sub.installed_csv]


@require_http_methods(["GET", "HEAD", "POST"])
def deny(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """OLM can't reject a plan. POST dismisses the updates of one: what runs stays, and the console asks no more.

    GET says what that means, and which other ways there are. `subscription`: whose progress page to go back to.
    """
    client = request.cluster
    found = subject.read(client, namespace, plan)
    subs, updates = _subscriptions(client, found)
    if request.method == "POST":
        if request.POST.get("seen", found.content) != found.content or not updates:
            raise Conflict(_("The install plan “%(name)s” has changed. Review it again.") % {"name": plan})
        for sub in updates:
            _dismiss(request, sub)
        stays = ", ".join(f"{sub.name} {olm.version_in(sub.installed_csv)}" for sub in updates)
        messages.success(request, _("Update dismissed. %(stays)s stays installed.") % {"stays": stays})
        name = request.POST.get("subscription", "")
        page, last = ("operatorhub:progress", name) if name else ("operatorhub:plan", plan)
        return HttpResponseRedirect(reverse(page, args=[namespace, last]))
    context = {
        "plan": found,
        "updates": [_update(sub) for sub in updates],
        "installs": [sub for sub in subs if not sub.installed],
        "refused": refusal(client, "patch", olm.type_of(client, olm.SUBSCRIPTIONS), namespace),
    }
    return render.page(request, "operatorhub/plan_deny.html", context)


def _dismiss(request: ConsoleRequest, sub: olm.Subscription) -> None:
    with audit.recorded(request, "patch", olm.ref(olm.SUBSCRIPTIONS, sub.namespace, sub.name)):
        subject.dismiss(request.cluster, sub)


def _update(sub: olm.Subscription) -> dict[str, Any]:
    command = f"kubectl annotate subscriptions.{olm.GROUP} {sub.name} -n {sub.namespace} --overwrite"
    return {
        "sub": sub,
        "old": olm.version_in(sub.installed_csv),
        "new": olm.version_in(sub.current_csv),
        "kubectl": f"{command} {olm.DISMISSED}={sub.current_csv}",
    }


@require_POST
def check(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """Start the check of all instances, or continue it here if there is no worker."""
    found = subject.read(request.cluster, namespace, plan)
    plan_check.begin(request.cluster, found, restart="anew" in request.POST)
    return HttpResponseRedirect(f"{reverse('operatorhub:plan', args=[namespace, plan])}?part=check#plan-check")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """An operator that was selected. `subscription`: '' where it has none; `name`: of its CSV or its Subscription."""

    namespace: str
    subscription: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPlan:
    """A plan that waits for approval, and the Subscriptions whose versions it changes."""

    plan: subject.InstallPlan
    subscriptions: tuple[olm.Subscription, ...]
    refused: str

    @property
    def value(self) -> str:
        return f"{self.plan.namespace}/{self.plan.name}/{self.plan.content}"

    @property
    def steps(self) -> tuple[tuple[str, str, str], ...]:
        """(package, installed version or '', next version) of each Subscription."""
        return tuple(
            (sub.package, sub.installed_csv and olm.version_in(sub.installed_csv), olm.version_in(sub.current_csv))
            for sub in self.subscriptions
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What came of approving a plan. `problem`: None where it is approved."""

    namespace: str
    name: str
    problem: Problem | None


@require_POST
def approve_updates(request: ConsoleRequest) -> HttpResponse:
    """`chosen` (namespace/Subscription/name, many) are reviewed; `~confirm` approves each `plan` as it was shown."""
    back = HttpResponseRedirect(reverse("operatorhub:installed"))
    chosen, shown = (tuple(dict.fromkeys(request.POST.getlist(name))) for name in ("chosen", "plan"))
    most = limits.BULK_OBJECTS.value
    if max(len(chosen), len(shown)) > most:
        words = _("More than %(most)d objects are selected. Filter the list, or use kubectl with a selector.")
        messages.warning(request, words % {"most": most})
        return back
    results: tuple[Approval, ...] = ()
    if "~confirm" in request.POST:
        results = _approve_all(request, shown)
        if results and not any(result.problem for result in results):
            words = ngettext("Approved %(number)d install plan.", "Approved %(number)d install plans.", len(results))
            messages.success(request, words % {"number": len(results)})
            return back
    selected = tuple(_selected(chosen))
    if not selected and not results:
        messages.warning(request, _("Nothing selected. Select operators in the list first."))
        return back
    waiting, problems = _waiting(request.cluster, selected)
    covered = {(sub.namespace, sub.name) for plan in waiting for sub in plan.subscriptions}
    ready = [plan for plan in waiting if not plan.refused]
    context = {
        "waiting": waiting,
        "ready": ready,
        "kubectl": "\n".join(approve_kubectl(waiting_plan.plan) for waiting_plan in ready),
        "idle": [item for item in selected if (item.namespace, item.subscription) not in covered],
        "problems": problems,
        "results": results,
        "selected": chosen,
    }
    return render.page(request, "operatorhub/approve_updates.html", context)


def _split_value(value: str) -> tuple[str, str, str]:
    """The three parts of a/b/c; '' for what is missing."""
    first, _slash, rest = value.partition("/")
    second, _slash, third = rest.partition("/")
    return first, second, third


def _selected(values: Iterable[str]) -> Iterable[Selected]:
    for value in values:
        namespace, subscription, name = _split_value(value)
        if namespace and name:
            yield Selected(namespace=namespace, subscription=subscription, name=name)


def _waiting(client: ClusterClient, selected: tuple[Selected, ...]) -> tuple[tuple[WaitingPlan, ...], tuple[str, ...]]:
    """The plans that the selected operators wait for, each once, and what could not be read."""
    wanted = {(item.namespace, item.subscription) for item in selected}
    found = _workers.map(
        lambda namespace: installed_operators.subscriptions(client, namespace),
        dict.fromkeys(item.namespace for item in selected),
    )
    subs = [sub for group in found for sub in group]
    names = dict.fromkeys(
        (sub.namespace, sub.plan) for sub in subs if (sub.namespace, sub.name) in wanted and sub.waits and sub.plan
    )
    problems: list[str] = []

    def read(place: tuple[str, str]) -> WaitingPlan | None:
        namespace, name = place
        try:
            plan = subject.read(client, namespace, name)
        except KubeError as error:
            problems.append(f"{namespace}/{name}: {error}")
            return None
        if not plan.waits:
            return None
        changed = (sub for sub in subs if sub.namespace == namespace and sub.current_csv in plan.csvs)
        return WaitingPlan(plan=plan, subscriptions=tuple(changed), refused=refused(client, plan))

    return tuple(filter(None, _workers.map(read, names))), tuple(problems)


def _approve_all(request: ConsoleRequest, values: Iterable[str]) -> tuple[Approval, ...]:
    """One by one, each with its own audit record."""
    results = []
    for value in values:
        namespace, name, content = _split_value(value)
        if not (namespace and name and content):
            continue
        problem = None
        try:
            with audit.recorded(request, "approve", olm.ref(olm.PLANS, namespace, name)):
                subject.approve(request.cluster, subject.read(request.cluster, namespace, name), seen=content)
        except KubeError as error:
            problem = explain(error)
        results.append(Approval(namespace=namespace, name=name, problem=problem))
    return tuple(results)
