"""/operators/<namespace>/<csv>/ and its tabs: one installed operator."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import uid_of
from operatorhub import olm
from operatorhub.admin import groups
from operatorhub.bundle import permissions
from operatorhub.csv import LEVELS
from operatorhub.judge.package_page import GrantedRights
from operatorhub.removing import removal_page
from operatorhub.run import follow
from operatorhub.running import operands
from operatorhub.running import operator as subject
from operatorhub.running.workloads import ASKS, DONE
from operatorhub.upgrade import plans
from operatorhub.upgrade import subscription as subscriptions
from operatorhub.views.subscription import form_context
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
        "topics": " ".join(subject.topics(client, found, namespace)),
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
    return {**context, **form_context(request, page)}


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
    topic = olm.topic(client, "events", namespace, "", "v1")
    page = {"events": events.about(client, namespace, uids, found.operator.uid), "events_topic": topic, "gaps": gaps}
    return {"page": page, "topics": f"{' '.join(subject.topics(client, found, namespace))} {topic}"}


_TABS: Mapping[str, Callable[[ConsoleRequest, subject.Detail], Context]] = {
    "": _overview,
    "instances": _instances,
    "permissions": _permissions,
    "updates": _updates,
    "events": _events,
}
