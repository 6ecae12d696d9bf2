"""/operators/<namespace>/<csv>/ and its tabs: one installed operator."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import can
from console.web.request import ConsoleRequest
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import uid_of
from operatorhub import olm
from operatorhub.admin import groups
from operatorhub.bundle import permissions
from operatorhub.removing import removal_page
from operatorhub.run import follow
from operatorhub.running import operands
from operatorhub.running import operator as subject
from operatorhub.running.installed import PACKAGE_SERVER
from operatorhub.upgrade import plans
from operatorhub.upgrade import subscription as subscriptions
from operatorhub.views.subscription import form_context
from resources.page import events

Context = dict[str, Any]


@require_safe
def operator(request: ConsoleRequest, namespace: str, csv: str, tab: str = "") -> HttpResponse:
    """Live: its state, its Deployments and the numbers of its instances. `tab`: '' (details), subscription, events, instances, plans."""
    client = request.cluster
    found = subject.detail(client, namespace, csv, request.namespace)
    context: Context = {
        "detail": found,
        "operator": found.operator,
        "tab": tab,
        "tabs": _tabs(found),
        "topics": " ".join(subject.topics(client, found, namespace)),
        "in_namespace": _in_namespace(found.targets),
        "place": subject.new_place(found.operator, request.namespace),
        "refused": _refused(request, namespace, csv),
        "removal": removal_page.under_way(client, namespace, csv),
        "run": follow.package_of(found.object),
        **_TABS.get(tab, _details)(request, found),
    }
    return render.page(request, "operatorhub/operator.html", context, fragment="operatorhub/_operator.html")


def _in_namespace(targets: Sequence[str] | None) -> str:
    """The query of lists of its instances, where it watches one namespace only."""
    return f"?namespace={quote(targets[0])}" if targets and len(targets) == 1 else ""


def _refused(request: ConsoleRequest, namespace: str, name: str) -> str:
    if name == PACKAGE_SERVER:
        return _("This is a part of OLM itself: without it there is no catalog.")
    try:
        answer = can(request.cluster, "delete", olm.type_of(request.cluster, olm.CSVS), namespace, name)
    except KubeError as error:
        return str(error)
    return "" if answer.allowed else answer.reason or _("You may not delete ClusterServiceVersions here.")


def _tabs(found: subject.Detail) -> tuple[tuple[str, str, str], ...]:
    """(key, label, address); the kinds' own tabs are their lists among the resources."""
    row = found.operator
    names = [("", _("Details")), ("subscription", _("Subscription")), ("instances", _("All instances")), ("events", _("Events")), ("plans", _("Install plans"))]  # fmt: skip

    def url(key: str) -> str:
        arguments = [row.namespace, row.csv, *([key] if key else [])]
        return reverse("operatorhub:operator-tab" if key else "operatorhub:operator", args=arguments)

    return tuple((key, label, url(key)) for key, label in names)


def _details(request: ConsoleRequest, found: subject.Detail) -> Context:
    rights = permissions.asked(found.object)
    return {
        "rights": rights,
        "dangers": [one for one in rights if one.danger],
        "initialization": found.facts.initialization if subject.needs_initialization(request.cluster, found) else None,
        "groups": groups.readable(request.cluster, found.original or found.operator.namespace),
    }


def _subscription(request: ConsoleRequest, found: subject.Detail) -> Context:
    if found.subscription is None:
        return {"sub_page": None}
    page = subscriptions.read(request.cluster, found.operator.namespace, found.subscription.name)
    return {"sub_page": page, **form_context(request, page)}


def _instances(request: ConsoleRequest, found: subject.Detail) -> Context:
    targets = found.targets
    where = targets[0] if len(targets) == 1 else ""
    return {"instances": operands.instances(request.cluster, found.apis, where), "where": where}


def _events(request: ConsoleRequest, found: subject.Detail) -> Context:
    """Of the CSV, its Subscription, its plans and its Deployments. `gaps`: whose can't be told, and why."""
    client, namespace = request.cluster, found.operator.namespace
    uids = {found.operator.uid} | ({found.subscription.uid} if found.subscription else set())
    gaps: list[str] = []
    try:
        uids |= {one.uid for one in plans.listed(client, namespace, found.operator.csv, found.operator.subscription)}
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


def _plans(request: ConsoleRequest, found: subject.Detail) -> Context:
    try:
        return {
            "plans": plans.listed(
                request.cluster, found.operator.namespace, found.operator.csv, found.operator.subscription
            ),
            "plans_problem": "",
        }
    except Forbidden as error:
        return {"plans": (), "plans_problem": str(error)}


_TABS: Mapping[str, Callable[[ConsoleRequest, subject.Detail], Context]] = {
    "subscription": _subscription,
    "instances": _instances,
    "events": _events,
    "plans": _plans,
}
