"""/operators/<namespace>/<csv>/uninstall/: a preview of what an uninstall removes and keeps, and its progress."""

from dataclasses import replace
from uuid import uuid4

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.web import render
from console.web.access import refusal
from console.web.request import ConsoleRequest
from operatorhub import olm, runs
from operatorhub.removing import removal, removal_page
from operatorhub.removing import uninstall as subject


@require_http_methods(["GET", "HEAD", "POST"])
def uninstall(request: ConsoleRequest, namespace: str, csv: str) -> HttpResponse:
    """POST begins to delete what the page showed: objects of the same name that were made since are not touched."""
    client = request.cluster
    plan = subject.read_plan(client, namespace, csv)
    refused = _refused(request, plan)
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


def _refused(request: ConsoleRequest, plan: subject.UninstallPlan) -> str:
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
def progress(request: ConsoleRequest, key: str) -> HttpResponse:
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
    context = {"page": page, "topics": removal_page.topics(client, page)}
    return render.page(request, "operatorhub/removal.html", context, part=True)
