"""/operators/<namespace>/subscriptions/<name>/: progress of an install, the approval that a manual one waits for, and
fixes that a button applies.

…/undo/ and /operators/undo/: what an install has created, and its removal; at any time, from the install's page or
after a create that failed halfway.
"""

from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.http import HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.web import audit, render
from console.web.access import refusal
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError
from operatorhub import olm
from operatorhub.bundle import package as packages
from operatorhub.install.created_objects import find_traces, remove, targets
from operatorhub.progress import read as subject
from operatorhub.upgrade import plans
from resources import live_topics

_ACTIONS = ("group-own", "group-all", "look-again")
_LOOK_AGAIN_ANNOTATION = "operator-console.dev/look-again"


@require_safe
def progress(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """Live by its topics; a reload shows the same."""
    client = request.cluster
    found = subject.read(client, namespace, subscription)
    sub = found.subscription
    context = {
        "progress": found,
        "heading": found.title,
        "plan": plans.plan(found.plan_object) if found.plan_object else None,
        "sub": sub,
        "icon_name": packages.icon_name(client, sub.catalog_namespace, sub.catalog, sub.package),
        "topics": _topics(client, namespace, sub),
        "refused": refusal(client, "patch", olm.type_of(client, olm.PLANS), namespace) if found.plan else "",
    }
    return render.page(request, "operatorhub/progress.html", context, part=True)


@require_POST
def mend(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """Do the one thing that the page offered, and go back to it."""
    action = request.POST.get("action", "")
    if action not in _ACTIONS:
        return HttpResponseBadRequest(_("This fix is no longer available. Reload the page."))
    verb = "patch" if action == "look-again" else "create"
    try:
        if verb == "patch":
            ref = _look_again(request.cluster, namespace, subscription)
        else:
            ref = _make_group(request.cluster, namespace, everywhere=action == "group-all")
    except KubeError as error:
        audit.record(request, verb, f"{action} of {namespace}/{subscription}", error.reason)
        raise
    audit.record(request, verb, ref, "ok")
    return HttpResponseRedirect(reverse("operatorhub:progress", args=[namespace, subscription]))


def _topics(client: ClusterClient, namespace: str, sub: olm.Subscription) -> str:
    """Everything whose change can change the page."""
    types = (
        *olm.type_names(olm.SUBSCRIPTIONS, olm.PLANS, olm.CSVS, olm.GROUPS),
        live_topics.DEPLOYMENTS,
        live_topics.PODS,
    )
    found = live_topics.topics(client, *types, namespace=namespace)
    if not sub.current_csv:
        found += f" {live_topics.topics(client, *olm.type_names(olm.SOURCES), namespace=sub.catalog_namespace)}"
    return found


def _look_again(client: ClusterClient, namespace: str, name: str) -> str:
    """A change without effect, to make OLM reconcile the Subscription.

    Returns how the audit log names it.
    """
    patch = {"metadata": {"annotations": {_LOOK_AGAIN_ANNOTATION: datetime.now(UTC).isoformat(timespec="seconds")}}}
    client.patch(olm.type_of(client, olm.SUBSCRIPTIONS), name, patch, namespace)
    return olm.ref(olm.SUBSCRIPTIONS, namespace, name)


def _make_group(client: ClusterClient, namespace: str, everywhere: bool) -> str:
    """An OperatorGroup where there is none. Returns how the audit log names it."""
    spec: dict[str, Any] = {} if everywhere else {"targetNamespaces": [namespace]}
    meta = {"name": namespace, "namespace": namespace}
    body = {"apiVersion": f"{olm.GROUP}/v1", "kind": "OperatorGroup", "metadata": meta, "spec": spec}
    client.create(olm.type_of(client, "operatorgroups"), body, namespace)
    return f"{olm.GROUP}/v1/operatorgroups {namespace}/{namespace}"


@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """GET lists what an unfinished install has made; POST removes what is ticked, each by its uid.

    An operator that runs is uninstalled instead.
    """
    if request.method != "POST":
        runs = subject.read(request.cluster, namespace, subscription).usable_csv
        if runs:
            return HttpResponseRedirect(reverse("operatorhub:uninstall", args=[namespace, runs]))
    found = find_traces(request.cluster, namespace, subscription) if request.method != "POST" else None
    context = {
        "found": found,
        "targets": found.targets if found else (),
        "kubectl": found.kubectl if found else None,
        "removed": None,
    }
    if not found:
        context |= _remove_created(request)
    return render.page(request, "operatorhub/undo.html", context)


@require_POST
def undo_created(request: ConsoleRequest) -> HttpResponse:
    """After a create that was refused halfway: the objects made before that go, newest first."""
    back = request.POST.get("back", "")
    context = {
        **_remove_created(request, newest_first=True),
        "back": back if back.startswith(reverse("operatorhub:catalog")) else "",
    }
    return render.page(request, "operatorhub/undo.html", context)


def _remove_created(request: ConsoleRequest, newest_first: bool = False) -> dict[str, tuple[Any, ...]]:
    """`again`: those that were refused, in the order in which they were sent."""
    wanted = targets(request.POST.getlist("target"))
    removed = remove(
        request.cluster, wanted[::-1] if newest_first else wanted, partial(audit.record, request, "delete")
    )
    forget_namespaces()
    left = {item.target for item in removed if item.outcome in ("refused", "held")}
    return {"removed": removed, "again": tuple(target for target in wanted if target in left)}
