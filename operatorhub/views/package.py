"""/operatorhub/<namespace>/<catalog>/<package>/: what an operator is, before it is installed."""

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import can
from console.web.request import ConsoleRequest
from operatorhub import csv, olm
from operatorhub import package as subject


@require_safe
def package(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    """`?channel=` picks the channel that is described."""
    client = request.cluster
    manifest = subject.read(client, namespace, catalog, package, request.namespace)
    channel = manifest.channel(request.GET.get("channel", ""))
    subscriptions = subject.subscriptions(client, package)
    allowed = can(client, "create", olm.type_of(client, olm.SUBSCRIPTIONS), request.namespace)
    context = {
        "manifest": manifest,
        "channel": channel,
        "about": subject.describe(channel, package) if channel else None,
        "icon_name": subject.icon_name(client, namespace, catalog, package),
        "levels": list(enumerate(csv.LEVELS, 1)),
        "modes": csv.MODES,
        "subscriptions": subscriptions,
        "refused": "" if allowed.allowed else allowed.reason or _("You may not create Subscriptions here."),
        "topics": olm.topic(client, olm.SUBSCRIPTIONS),
    }
    return render.page(request, "operatorhub/package.html", context, fragment="operatorhub/_package.html")
