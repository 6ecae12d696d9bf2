"""/operators/<namespace>/<csv>/export/: what belongs to an operator is chosen, shown as files, and downloaded as a
kustomize folder.
"""

from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import audit, render
from console.web.request import ConsoleRequest
from operatorhub.exports import folder, gather
from operatorhub.install.choices import LABEL as NAMESPACE_NAME


@dataclass(frozen=True, slots=True)
class Row:
    """An item with its box."""

    item: gather.Item
    taken: bool


@require_safe
def export(request: ConsoleRequest, namespace: str, csv: str) -> HttpResponse:
    """GET alone: every choice is in the address, and nothing is changed.

    `zip` answers with the folder. Each Secret that is shown goes into the audit.
    """
    offer = gather.read_offer(request.cluster, namespace, csv)
    shown = "shown" in request.GET
    chosen = set(request.GET.getlist("take")) if shown else {item.key for item in offer.items if item.ticked}
    taken = [item for item in offer.items if item.key in chosen]
    found, unread = gather.objects(request.cluster, taken)
    into = request.GET.get("into", "").strip()
    into = into if NAMESPACE_NAME.fullmatch(into) else namespace
    pinned = csv if request.GET.get("pin") or not shown else ""
    files = folder.files(found, namespace, into=into, pinned=pinned)
    name = f"{offer.package}-{into}"
    for item, _secret in found:
        if item.secret:
            audit.record(request, "export", f"core/v1/secrets {item.namespace}/{item.name}", "ok")
    if "zip" in request.GET:
        return _zip(name, files)
    parts = ("operator", "instances")
    context = {
        "offer": offer,
        "rows": {part: [Row(item, item.key in chosen) for item in offer.items if item.part == part] for part in parts},
        "files": files,
        "into": into,
        "pinned": pinned,
        "unread": (*offer.unread, *unread),
        "name": name,
        "secrets": [item for item in taken if item.secret],
        "subscribed": any(item.kind == "Subscription" for item in offer.items),
        "kubectl": f"kubectl apply -k {name}/operator && kubectl apply -k {name}/instances",
    }
    return render.page(request, "operatorhub/export.html", context, part=True)


def _zip(name: str, files: tuple[folder.File, ...]) -> HttpResponse:
    return render.as_file(HttpResponse(folder.zipped(name, files), content_type="application/zip"), f"{name}.zip")
