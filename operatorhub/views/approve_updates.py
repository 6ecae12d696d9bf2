"""/operators/approve/: the install plans of the operators that were selected in their list, reviewed and approved
together.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.front import Workers
from console.web.request import ConsoleRequest
from kube import limits
from kube.client import ClusterClient
from kube.errors import KubeError
from operatorhub import olm
from operatorhub.running import installed_operators
from operatorhub.upgrade import plans
from operatorhub.views.plans import approve_kubectl, refused

_workers = Workers(8, thread_name_prefix="approvals")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """An operator that was selected. `subscription`: '' where it has none; `name`: of its CSV or its Subscription."""

    namespace: str
    subscription: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPlan:
    """A plan that waits for approval, and the Subscriptions whose versions it changes."""

    plan: plans.InstallPlan
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


def _parts(value: str) -> tuple[str, str, str]:
    """Of a/b/c; '' for what is missing."""
    first, _slash, rest = value.partition("/")
    second, _slash, third = rest.partition("/")
    return first, second, third


def _selected(values: Iterable[str]) -> Iterable[Selected]:
    for value in values:
        namespace, subscription, name = _parts(value)
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
            plan = plans.read(client, namespace, name)
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
        namespace, name, content = _parts(value)
        if not (namespace and name and content):
            continue
        problem = None
        try:
            with audit.recorded(request, "approve", olm.ref(olm.PLANS, namespace, name)):
                plans.approve(request.cluster, plans.read(request.cluster, namespace, name), seen=content)
        except KubeError as error:
            problem = explain(error)
        results.append(Approval(namespace=namespace, name=name, problem=problem))
    return tuple(results)
