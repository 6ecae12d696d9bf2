"""…/install/: the form, with the exact objects before they are made. Every choice is in the address; POST makes them."""

from functools import partial

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import can
from console.web.errors import explain
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from kube.errors import NotFound
from operatorhub import install as subject
from operatorhub import olm
from operatorhub import package as packages


@require_http_methods(["GET", "HEAD", "POST"])
def install(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    """GET shows what would be made of the choices so far; POST makes it and goes on to its progress."""
    manifest = packages.read(request.cluster, namespace, catalog, package, request.namespace)
    data = request.POST if request.method == "POST" else request.GET
    channel = manifest.channel(data.get("channel", ""))
    if channel is None:
        raise NotFound(_("The package “%(name)s” has no channel, so there is nothing to install.") % {"name": package})
    about = packages.describe(channel, package)
    situation = subject.look(request.cluster)
    draft = _draft(request, manifest, channel, about, situation)
    made = None
    if request.method == "POST" and not draft.errors:
        made = subject.create(request.cluster, draft, partial(audit.record, request, "create"))
        forget_namespaces()
        if made.error is None:
            return HttpResponseRedirect(reverse("operatorhub:progress", args=[draft.namespace, package]))
    context = {
        "manifest": manifest, "channel": channel, "about": about, "draft": draft, "situation": situation, "made": made,
        "problem": explain(made.error) if made and made.error else None,
        "icon_name": packages.icon_name(request.cluster, namespace, catalog, package),
        "modes": subject.modes(about), "suggested": _suggested(request, about, situation, draft.mode, package),
        "refused": _refusal(request, draft), "typed_new": data.get("namespace") == subject.NEW,
        "bad": bool(draft.errors),
    }  # fmt: skip
    status = 422 if request.method == "POST" else 200
    return render.page(
        request, "operatorhub/install.html", context, fragment="operatorhub/_install.html", status=status
    )


def _draft(
    request: ConsoleRequest,
    manifest: packages.Manifest,
    channel: packages.Channel,
    about: packages.Description,
    situation: subject.Situation,
) -> subject.Draft:
    """The choices of the request; what is not chosen yet is what suits best."""
    data = request.POST if request.method == "POST" else request.GET
    offered = subject.modes(about)
    mode = data.get("mode", "") or (offered[0] if offered else "")
    chosen = data.get("namespace", "").strip() if "mode" in data else ""
    if chosen == subject.NEW:
        chosen = data.get("new_namespace", "").strip()
    elif not chosen:
        chosen = _suggested(request, about, situation, mode, manifest.name)
    # A version of another channel goes when the channel is changed.
    version = data.get("version", "")
    if request.method != "POST" and version not in dict(channel.versions):
        version = ""
    return subject.draft(
        manifest, channel, about, situation,
        version=version, mode=mode, namespace=chosen, approval=data.get("approval", "Automatic"),
    )  # fmt: skip


def _suggested(
    request: ConsoleRequest, about: packages.Description, situation: subject.Situation, mode: str, package: str
) -> str:
    return subject.suggestion(about, situation, mode, request.COOKIES.get("console_namespace", "").strip("-"), package)


def _refusal(request: ConsoleRequest, draft: subject.Draft) -> str:
    """Why this user may not make the objects, '' when nothing is in the way."""
    client = request.cluster
    if draft.creates_namespace:
        answer = can(client, "create", client.find("", "v1", "namespaces"))
        if not answer.allowed:
            return answer.reason or _("You may not create namespaces: choose an existing one.")
    for plural in ("operatorgroups", olm.SUBSCRIPTIONS):
        kinds = {one["kind"] for one in draft.objects}
        type_ = olm.type_of(client, plural)
        if type_.kind in kinds and not (answer := can(client, "create", type_, draft.namespace)).allowed:
            return answer.reason or _("You may not create %(plural)s in %(namespace)s.") % {
                "plural": plural,
                "namespace": draft.namespace,
            }
    return ""
