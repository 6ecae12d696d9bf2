"""/operators/<namespace>/subscriptions/<name>/edit/ and …/remove/: a Subscription's page, its changes, and its
removal without the operator.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError, NotFound
from operatorhub import olm
from operatorhub.upgrade import subscription as subject


def form_context(
    request: ConsoleRequest, page: subject.SubscriptionPage, wanted: subject.Edit | None = None
) -> dict[str, Any]:
    """What the form needs, on the Subscription's own page and on the operator's tab."""
    sub = page.sub
    type_ = olm.type_of(request.cluster, olm.SUBSCRIPTIONS)
    refused = refusal(request.cluster, "patch", type_, sub.namespace, sub.name)
    texts = wanted.texts if wanted else page.config
    config = [(key, texts[key], (wanted.errors if wanted else {}).get(f"config.{key}", "")) for key in subject.CONFIG]
    return {
        "sub_page": page,
        "sub": sub,
        "edit": wanted,
        "edit_refused": refused,
        "config": config,
        "configured": any(text for _key, text, _error in config),
        "edit_url": reverse("operatorhub:subscription", args=[sub.namespace, sub.name]),
        "topics_own": " ".join(
            olm.topic(request.cluster, plural, sub.namespace) for plural in (olm.SUBSCRIPTIONS, olm.PLANS)
        ),
    }


@require_http_methods(["GET", "HEAD", "POST"])
def subscription(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """A POST with `try` sends it as a dry run and shows what it would do; with `save` it is saved."""
    page = subject.read(request.cluster, namespace, subscription)
    if request.method == "POST":
        return _post(request, page)
    context = form_context(request, page)
    return render.page(request, "operatorhub/subscription.html", context, fragment="operatorhub/_subscription.html")


def _post(request: ConsoleRequest, page: subject.SubscriptionPage) -> HttpResponse:
    sub = page.sub
    wanted = subject.edit(page, request.POST.dict())
    version = request.POST.get("version", "") or page.version
    problem = _send(request, page, wanted, version) if wanted.patch else None
    if wanted.patch and problem is None and "save" in request.POST:
        messages.success(request, _("Subscription “%(name)s” changed.") % {"name": sub.name})
        if sub.installed_csv:
            page_of_operator = reverse("operatorhub:operator-tab", args=[sub.namespace, sub.installed_csv, "updates"])
            return HttpResponseRedirect(page_of_operator)
        return HttpResponseRedirect(request.get_full_path())
    context = {
        **form_context(request, page, wanted),
        "problem": problem,
        "tried": bool(wanted.patch) and problem is None,
        "seen": version,
        "patch_kubectl": wanted.kubectl(sub.namespace, sub.name) if wanted.patch else "",
        "warnings": subject.warnings(page, wanted),
        "unchanged": not wanted.patch and not wanted.errors,
    }
    status = problem.status if problem else 422 if wanted.errors else 200
    return render.page(request, "operatorhub/subscription.html", context, status=status)


def _send(
    request: ConsoleRequest, page: subject.SubscriptionPage, wanted: subject.Edit, version: str
) -> Problem | None:
    """Saved, or tried as a dry run."""
    save, ref = "save" in request.POST, olm.ref(olm.SUBSCRIPTIONS, page.sub.namespace, page.sub.name)
    try:
        with audit.recorded(request, "patch", ref, dry_run=not save):
            subject.save(request.cluster, page, wanted, version, dry_run=not save)
    except KubeError as error:
        return explain(error)
    return None


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """The Subscription alone: the operator stays and is updated no more."""
    client = request.cluster
    type_ = olm.type_of(client, olm.SUBSCRIPTIONS)
    sub = olm.subscription(client.get(type_, subscription, namespace))
    problem = _remove(request, sub) if request.method == "POST" else None
    if request.method == "POST" and problem is None:
        words = _("Subscription “%(name)s” deleted. The operator keeps running without updates.")
        messages.success(request, words % {"name": sub.name})
        if sub.installed_csv:
            return HttpResponseRedirect(reverse("operatorhub:operator", args=[namespace, sub.installed_csv]))
        return HttpResponseRedirect(reverse("operatorhub:installed"))
    refused = refusal(client, "delete", type_, namespace, subscription)
    context = {"sub": sub, "problem": problem, "refused": refused}
    status = problem.status if problem else 200
    return render.page(request, "operatorhub/subscription_remove.html", context, status=status)


def _remove(request: ConsoleRequest, sub: olm.Subscription) -> Problem | None:
    client, uid = request.cluster, request.POST.get("uid", "")
    try:
        with audit.recorded(request, "delete", olm.ref(olm.SUBSCRIPTIONS, sub.namespace, sub.name)):
            client.delete(olm.type_of(client, olm.SUBSCRIPTIONS), sub.name, sub.namespace, uid=uid)
    except NotFound:
        return None
    except KubeError as error:
        return explain(error)
    return None
