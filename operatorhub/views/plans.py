"""/operators/<namespace>/installplans/: what OLM is about to make; approve or deny it, knowing what it changes."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.web import audit, render
from console.web.access import can
from console.web.errors import explain
from console.web.request import ConsoleRequest
from kube.errors import Forbidden, KubeError
from operatorhub import olm
from operatorhub.running import installed
from operatorhub.upgrade import plan_check, plan_diff
from operatorhub.upgrade import plans as subject
from resources import yamltext

PARTS = {"changes": "operatorhub/_plan_changes.html", "check": "operatorhub/_plan_check.html"}


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
        "topics": olm.topic(request.cluster, olm.PLANS, where),
    }
    status = 403 if problem else 200
    return render.page(request, "operatorhub/plans.html", context, fragment="operatorhub/_plans.html", status=status)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The steps of one operator of the plan."""

    csv: str
    steps: tuple[subject.Step, ...]


def _bundles(steps: tuple[subject.Step, ...]) -> tuple[Bundle, ...]:
    names = dict.fromkeys(step.resolving for step in steps)
    return tuple(Bundle(name, tuple(step for step in steps if step.resolving == name)) for name in names)


def _refused(request: ConsoleRequest, plan: subject.InstallPlan) -> str:
    try:
        answer = can(request.cluster, "patch", olm.type_of(request.cluster, olm.PLANS), plan.namespace, plan.name)
    except KubeError as error:
        return str(error)
    return "" if answer.allowed else answer.reason or _("You may not approve InstallPlans here.")


@require_safe
def plan(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """`?part=changes`: what the steps change; `?part=check`: the instances that the new schemas would refuse. Both may take some seconds."""
    client, part = request.cluster, request.GET.get("part", "")
    found = subject.read(client, namespace, plan)
    if part == "changes":
        return render.page(
            request,
            "operatorhub/plan_part.html",
            {"plan": found, "part": PARTS[part], "changes": plan_diff.changes(client, found)},
            fragment=PARTS[part],
        )
    if part == "check":
        context = {"plan": found, "part": PARTS[part], "check": plan_check.look(client, found)}
        return render.page(request, "operatorhub/plan_part.html", context, fragment=PARTS[part])
    subs = [
        one for one in installed.subscriptions(client, namespace) if one.name in found.subscriptions or one.plan == plan
    ]
    context = {
        "plan": found, "bundles": _bundles(subject.steps(client, found)), "subs": subs, "refused": _refused(request, found),
        "topics": " ".join(olm.topic(client, plural, namespace) for plural in (olm.PLANS, olm.CSVS)),
    }  # fmt: skip
    return render.page(request, "operatorhub/plan.html", context, fragment="operatorhub/_plan.html")


@require_safe
def step(request: ConsoleRequest, namespace: str, plan: str, number: int) -> HttpResponse:
    """One step's manifest as YAML, and how it differs from what is there."""
    client = request.cluster
    found = subject.read(client, namespace, plan)
    steps = subject.steps(client, found)
    if number >= len(steps):
        raise Http404
    one = steps[number]
    text = yamltext.dump(one.manifest) if one.manifest is not None else ""
    context = {
        "plan": found,
        "step": one,
        "text": text,
        "change": plan_diff.of_step(client, found, one),
        "shell": {"editing": True},
    }
    return render.page(request, "operatorhub/plan_step.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def approve(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """What approving means, and who did it: the audit log has it. A plan that changed since is refused."""
    found = subject.read(request.cluster, namespace, plan)
    here = HttpResponseRedirect(reverse("operatorhub:plan", args=[namespace, plan]))
    if request.method != "POST":
        return here
    ref = olm.ref(olm.PLANS, namespace, plan)
    try:
        subject.approve(request.cluster, found)
    except KubeError as error:
        audit.record(request, "approve", ref, error.reason)
        raise
    audit.record(request, "approve", ref, "ok")
    messages.success(request, _("Approved: OLM installs %(names)s.") % {"names": ", ".join(found.csvs)})
    return here


@require_http_methods(["GET", "HEAD", "POST"])
def deny(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """OLM knows no "no": a plan that nobody approves waits. This page says which ways there are, and deletes the plan if asked to."""
    client = request.cluster
    found = subject.read(client, namespace, plan)
    subs = [
        one for one in installed.subscriptions(client, namespace) if one.name in found.subscriptions or one.plan == plan
    ]
    problem = None
    if request.method == "POST":
        try:
            client.delete(olm.type_of(client, olm.PLANS), plan, namespace, uid=request.POST.get("uid", found.uid))
        except KubeError as error:
            problem = explain(error)
        audit.record(request, "delete", olm.ref(olm.PLANS, namespace, plan), problem.reason if problem else "ok")
        if problem is None:
            messages.success(
                request, _("The plan is deleted. OLM makes another one when the catalog or the Subscription changes.")
            )
            return HttpResponseRedirect(reverse("operatorhub:plans", args=[namespace]))
    answer = can(client, "delete", olm.type_of(client, olm.PLANS), namespace, plan)
    refused = "" if answer.allowed else answer.reason or _("You may not delete InstallPlans here.")
    context = {"plan": found, "subs": subs, "refused": refused, "problem": problem}
    return render.page(request, "operatorhub/plan_deny.html", context, status=problem.status if problem else 200)


@require_POST
def check(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """Begin the check of all instances, or go on with it here when no worker does."""
    found = subject.read(request.cluster, namespace, plan)
    plan_check.begin(request.cluster, found, anew="anew" in request.POST)
    return HttpResponseRedirect(f"{reverse('operatorhub:plan', args=[namespace, plan])}?part=check")
