"""/operators/<namespace>/<csv>/ and its tabs: one installed operator.

/operators/<namespace>/subscriptions/<name>/edit/ and …/remove/: a Subscription's page, its changes, and its removal
without the operator.

/operators/<namespace>/<csv>/uninstall/: a preview of what an uninstall removes and keeps, and its progress.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import uid_of
from operatorhub import olm, runs
from operatorhub.admin import groups
from operatorhub.bundle import permissions
from operatorhub.csv import LEVELS
from operatorhub.find.package_page import GrantedRights
from operatorhub.removing import removal, removal_page
from operatorhub.removing.uninstall import UninstallPlan, read_plan
from operatorhub.run import follow
from operatorhub.running import operands
from operatorhub.running import operator as subject
from operatorhub.running.workloads import ASKS, DONE
from operatorhub.upgrade import plans
from operatorhub.upgrade import subscription as subscriptions
from operatorhub.upgrade.subscription import SubscriptionForm
from operatorhub.views.deletion import Deletion, Line, ask
from resources import live_topics
from resources.page import events
from resources.place import Place
from resources.views.parts import CausesPart, causes_part

Context = dict[str, Any]

#: Where the content of former tabs is: (tab, part of it).
MOVED = {"subscription": ("updates", ""), "plans": ("updates", "#plans")}

#: How many instances and events of its overview's card “Latest”.
LATEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """`count`: '' where there is nothing to count."""

    label: str
    url: str
    current: bool
    count: int | str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindLink:
    """A kind whose instances can be shown, or all kinds; `count`: None if unknown."""

    label: str
    url: str
    current: bool
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latest:
    """What happened last: the newest instances of its kinds, and the newest events of its own objects."""

    instances: tuple[operands.Instance, ...]
    events: tuple[events.EventRow, ...]


@require_safe
def operator(request: ConsoleRequest, namespace: str, csv: str, tab: str = "") -> HttpResponse:
    """Live: its state, its Deployments and the numbers of its instances. `tab`: '' (overview) or one of `_TABS`.

    `?part=peek`: what stands beside the list of operators; `?part=menu`: its actions alone.
    """
    client, part = request.cluster, request.GET.get("part", "")
    found = subject.detail(client, namespace, csv, request.namespace)
    run = follow.package_of(found.object)
    if part == "menu":
        actions = subject.menu_actions(client, found, run)
        return render.page(request, "resources/_action_list.html", {"actions": actions})
    if part == "peek":
        return render.page(request, "operatorhub/_operator_peek.html", _peek(request, found, run))
    place = subject.new_place(found.operator, request.namespace)
    context: Context = {
        "detail": found,
        "operator": found.operator,
        "health": subject.health(found.operator),
        "causes": _causes(request, found),
        "tab": tab,
        "tabs": _tabs(found, tab),
        "topics": subject.topics(client, found, namespace),
        "place": place,
        "creations": subject.create_actions(found, place),
        "actions": subject.menu_actions(client, found, run),
        "removal": removal_page.under_way(client, namespace, csv),
        **_TABS[tab](request, found),
    }
    return render.page(request, "operatorhub/operator.html", context, part=True)


@require_safe
def moved(request: ConsoleRequest, namespace: str, csv: str, tab: str) -> HttpResponse:
    """Addresses of tabs as they were before there were five."""
    now, part = MOVED[tab]
    return HttpResponseRedirect(f"{reverse('operatorhub:operator-tab', args=[namespace, csv, now])}{part}")


def _peek(request: ConsoleRequest, found: subject.Detail, run: str) -> Context:
    client, namespace = request.cluster, found.operator.namespace
    reported = _events(request, found)
    return {
        "detail": found,
        "operator": found.operator,
        "health": subject.health(found.operator),
        "topics": reported["topics"],
        "events": reported["page"]["events"].rows[:LATEST],
        "gaps": reported["page"]["gaps"],
        "creations": subject.create_actions(found, subject.new_place(found.operator, request.namespace)),
        "actions": subject.menu_actions(client, found, run),
        "removal": removal_page.under_way(client, namespace, found.operator.csv),
    }


def _causes(request: ConsoleRequest, found: subject.Detail) -> CausesPart | None:
    """Why it isn't well, as the pages of its objects say it. A copy has nothing of its own."""
    row = found.operator
    if found.original or row.state == DONE:
        return None
    place = Place(olm.type_of(request.cluster, olm.CSVS), row.namespace, row.csv)
    return causes_part(request.cluster, place, found.object)


def _url(found: subject.Detail, tab: str = "", query: Mapping[str, str] | None = None) -> str:
    arguments = [found.operator.namespace, found.operator.csv, *([tab] if tab else [])]
    path = reverse("operatorhub:operator-tab" if tab else "operatorhub:operator", args=arguments)
    return f"{path}?{urlencode(query, quote_via=quote)}" if query else path


def _tabs(found: subject.Detail, current: str) -> tuple[Tab, ...]:
    labels = {
        "": _("Overview"),
        "instances": _("Instances"),
        "permissions": _("Permissions"),
        "updates": _("Updates"),
        "events": _("Events"),
    }
    update = found.operator.update
    counts: dict[str, int | str] = {
        "instances": found.instances or "",
        "updates": 1 if update and update.state == ASKS else "",
    }
    return tuple(
        Tab(label=label, url=_url(found, tab), current=tab == current, count=counts.get(tab, ""))
        for tab, label in labels.items()
    )


def _overview(request: ConsoleRequest, found: subject.Detail) -> Context:
    rights = permissions.asked(found.object)
    reported = _events(request, found)
    return {
        "latest": Latest(
            instances=operands.newest(request.cluster, found.apis, found.only_namespace, LATEST),
            events=tuple(reported["page"]["events"].rows[:LATEST]),
        ),
        "topics": reported["topics"],
        "rights": rights,
        "dangers": [right for right in rights if right.danger],
        "initialization": found.facts.initialization if subject.needs_initialization(request.cluster, found) else None,
        "level": LEVELS[found.facts.level - 1] if found.facts.level else "",
        "groups": groups.readable(request.cluster, found.original or found.operator.namespace),
        "instances_url": _url(found, "instances"),
        "updates_url": _url(found, "updates"),
        "permissions_url": _url(found, "permissions"),
    }


def _instances(request: ConsoleRequest, found: subject.Detail) -> Context:
    """`?kind=` (the name of its definition) and `?q=` (a part of the name) narrow the list."""
    crd, name = request.GET.get("kind", ""), request.GET.get("q", "").strip()[:200]
    chosen = next((api for api in found.apis if api.type and api.api.crd == crd), None)
    shown = (chosen,) if chosen else found.apis
    named = {"q": name} if name else {}
    kinds = [KindLink(label=_("All"), url=_url(found, "instances", named), current=not chosen, count=found.instances)]
    for api in found.apis:
        if api.type:
            url = _url(found, "instances", {"kind": api.api.crd, **named})
            kinds.append(KindLink(label=api.api.title, url=url, current=api == chosen, count=api.count))
    return {
        "instances": operands.instances(request.cluster, shown, found.only_namespace, name),
        "kinds": kinds if len(kinds) > 2 else (),
        "chosen": chosen,
        "q": name,
        "instances_url": _url(found, "instances"),
    }


def _permissions(request: ConsoleRequest, found: subject.Detail) -> Context:
    return {"granted": GrantedRights(permissions.asked(found.object))}


def _updates(request: ConsoleRequest, found: subject.Detail) -> Context:
    context: Context = {"sub_page": None, "plans": (), "plans_problem": ""}
    row = found.operator
    try:
        context["plans"] = plans.listed(request.cluster, row.namespace, row.csv, row.subscription)
    except Forbidden as error:
        context["plans_problem"] = str(error)
    if found.subscription is None:
        return context
    page = subscriptions.read(request.cluster, row.namespace, found.subscription.name)
    return {**context, **form_context(request, SubscriptionForm(page))}


def _events(request: ConsoleRequest, found: subject.Detail) -> Context:
    """Of the CSV, its Subscription, its plans and its Deployments. `gaps`: whose can't be read, and why."""
    client, namespace = request.cluster, found.operator.namespace
    uids = {found.operator.uid} | ({found.subscription.uid} if found.subscription else set())
    gaps: list[str] = []
    try:
        uids |= {plan.uid for plan in plans.listed(client, namespace, found.operator.csv, found.operator.subscription)}
    except Forbidden as error:
        gaps.append(str(error))
    for part in found.deployments:
        try:
            uids.add(uid_of(client.get(client.find("apps", "v1", "deployments"), part.name, namespace)))
        except NotFound:
            continue
        except KubeError as error:
            gaps.append(str(error))
    topic = live_topics.topics(client, live_topics.EVENTS, namespace=namespace)
    page = {"events": events.about(client, namespace, uids, found.operator.uid), "events_topic": topic, "gaps": gaps}
    return {"page": page, "topics": f"{subject.topics(client, found, namespace)} {topic}"}


_TABS: Mapping[str, Callable[[ConsoleRequest, subject.Detail], Context]] = {
    "": _overview,
    "instances": _instances,
    "permissions": _permissions,
    "updates": _updates,
    "events": _events,
}


def form_context(request: ConsoleRequest, form: SubscriptionForm) -> dict[str, Any]:
    """What the form needs, on the Subscription's own page and on the operator's tab."""
    sub = form.page.sub
    type_ = olm.type_of(request.cluster, olm.SUBSCRIPTIONS)
    return {
        "sub_page": form.page,
        "sub": sub,
        "form": form,
        "edit_refused": refusal(request.cluster, "patch", type_, sub.namespace, sub.name),
        "edit_url": reverse("operatorhub:subscription", args=[sub.namespace, sub.name]),
        "topics_own": live_topics.topics(
            request.cluster, *olm.type_names(olm.SUBSCRIPTIONS, olm.PLANS), namespace=sub.namespace
        ),
    }


@require_http_methods(["GET", "HEAD", "POST"])
def subscription(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """A POST with `try` sends it as a dry run and shows what it would do; with `save` it is saved."""
    page = subscriptions.read(request.cluster, namespace, subscription)
    if request.method == "POST":
        return _post_subscription(request, SubscriptionForm(page, request.POST.dict()))
    context = form_context(request, SubscriptionForm(page))
    return render.page(request, "operatorhub/subscription.html", context, part=True)


def _post_subscription(request: ConsoleRequest, form: SubscriptionForm) -> HttpResponse:
    sub = form.page.sub
    problem = _save_subscription(request, form) if form.patch else None
    if form.patch and problem is None and "save" in request.POST:
        messages.success(request, _("Subscription “%(name)s” changed.") % {"name": sub.name})
        if sub.installed_csv:
            page_of_operator = reverse("operatorhub:operator-tab", args=[sub.namespace, sub.installed_csv, "updates"])
            return HttpResponseRedirect(page_of_operator)
        return HttpResponseRedirect(request.get_full_path())
    context = {
        **form_context(request, form),
        "problem": problem,
        "tried": bool(form.patch) and problem is None,
        "warnings": subscriptions.warnings(form),
        "unchanged": not form.patch and not form.errors,
    }
    status = problem.status if problem else 422 if form.errors else 200
    return render.page(request, "operatorhub/subscription.html", context, part=True, status=status)


def _save_subscription(request: ConsoleRequest, form: SubscriptionForm) -> Problem | None:
    """Saved, or tried as a dry run."""
    sub = form.page.sub
    save, ref = "save" in request.POST, olm.ref(olm.SUBSCRIPTIONS, sub.namespace, sub.name)
    try:
        with audit.recorded(request, "patch", ref, dry_run=not save):
            subscriptions.save(request.cluster, form, dry_run=not save)
    except KubeError as error:
        return explain(error)
    return None


@require_http_methods(["GET", "HEAD", "POST"])
def remove_subscription(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """The Subscription alone: the operator stays and is updated no more."""
    client = request.cluster
    type_ = olm.type_of(client, olm.SUBSCRIPTIONS)
    sub = olm.subscription(client.get(type_, subscription, namespace))
    problem = _delete_subscription(request, sub) if request.method == "POST" else None
    if request.method == "POST" and problem is None:
        words = _("Subscription “%(name)s” deleted. The operator keeps running without updates.")
        messages.success(request, words % {"name": sub.name})
        if sub.installed_csv:
            return HttpResponseRedirect(reverse("operatorhub:operator", args=[namespace, sub.installed_csv]))
        return HttpResponseRedirect(reverse("operatorhub:installed"))
    refused = refusal(client, "delete", type_, namespace, subscription)
    back = reverse("operatorhub:subscription", args=[namespace, subscription])
    return ask(
        request,
        Deletion(
            title=_("Remove Subscription %(name)s?") % {"name": subscription},
            trail=(Line(_("Installed operators"), reverse("operatorhub:installed")), Line(subscription, back)),
            submit=_("Remove Subscription"),
            back=back,
            effects=tuple(_removal_effects(sub)),
            way="subscription",
            uid=sub.uid,
            kubectl=f"kubectl delete {olm.SUBSCRIPTIONS}.{olm.GROUP} {subscription} -n {namespace}",
            refused=refused,
            problem=problem,
        ),
    )


def _removal_effects(sub: olm.Subscription) -> Iterable[Line]:
    if not sub.installed_csv:
        yield Line(_("The Subscription hasn't installed an operator yet, and won't install one."))
        return
    words = _(
        "The operator %(csv)s stays installed and keeps running. It isn't updated until a Subscription adopts it again."
    )
    yield Line(words % {"csv": sub.installed_csv})
    uninstall = reverse("operatorhub:uninstall", args=[sub.namespace, sub.installed_csv])
    yield Line(_("To remove the operator as well, uninstall it."), uninstall)


def _delete_subscription(request: ConsoleRequest, sub: olm.Subscription) -> Problem | None:
    client, uid = request.cluster, request.POST.get("uid", "")
    try:
        with audit.recorded(request, "delete", olm.ref(olm.SUBSCRIPTIONS, sub.namespace, sub.name)):
            client.delete(olm.type_of(client, olm.SUBSCRIPTIONS), sub.name, sub.namespace, uid=uid)
    except NotFound:
        return None
    except KubeError as error:
        return explain(error)
    return None


@require_http_methods(["GET", "HEAD", "POST"])
def uninstall(request: ConsoleRequest, namespace: str, csv: str) -> HttpResponse:
    """POST begins to delete what the page showed: objects of the same name that were made since are not touched."""
    client = request.cluster
    plan = read_plan(client, namespace, csv)
    refused = _uninstall_refusal(request, plan)
    if request.method == "POST" and not refused:
        post = request.POST
        seen = replace(plan, csv_uid=post.get("csv_uid", ""), subscription_uid=post.get("subscription_uid", ""))
        kinds = () if plan.no_operands else post.getlist("instances")
        document = removal.document(client, seen, kinds, post.getlist("leftover"))
        run = runs.create(
            key=uuid4().hex, kind=removal.KIND, client=client, namespace=namespace, name=csv, document=document
        )
        runs.go_on(client, run, removal.advance, removal.SECONDS)
        return HttpResponseRedirect(reverse("operatorhub:removal", args=[run.key]))
    context = {"plan": plan, "refused": refused, "removal": removal_page.under_way(client, namespace, csv)}
    return render.page(request, "operatorhub/uninstall.html", context, status=403 if request.method == "POST" else 200)


def _uninstall_refusal(request: ConsoleRequest, plan: UninstallPlan) -> str:
    if plan.refused:
        return plan.refused
    for plural, name, uid in (
        (olm.SUBSCRIPTIONS, plan.subscription, plan.subscription_uid),
        (olm.CSVS, plan.csv, plan.csv_uid),
    ):
        if not uid:
            continue
        if why := refusal(request.cluster, "delete", olm.type_of(request.cluster, plural), plan.namespace, name):
            return why
    return ""


@require_http_methods(["GET", "HEAD", "POST"])
def uninstall_progress(request: ConsoleRequest, key: str) -> HttpResponse:
    """Live.

    POST: `again` looks and tries once more, `anyway` removes the operator although instances stay, `stop` leaves the
    rest alone.
    """
    client = request.cluster
    page = removal_page.read(client, key)
    if request.method == "POST":
        run = page.run
        if "stop" in request.POST:
            removal.stop(run)
        elif "anyway" in request.POST:
            removal.go_anyway(run)
        elif run.state != "running":
            removal.again(run)
        runs.go_on(client, run, removal.advance, removal.SECONDS)
        if run.state != "running":
            runs.save(run)
        return HttpResponseRedirect(request.path)
    if page.run.state == "stuck":
        removal.follow(client, page.run)
        page = removal_page.read(client, key)
    context = {"page": page, "topics": removal_page.topics(client, page)}
    return render.page(request, "operatorhub/removal.html", context, part=True)
