"""…/<package>/apis/<crd>/: the schema of a kind, before its operator is installed."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.errors import NotFound
from operatorhub import csv
from operatorhub.bundle import package as packages
from operatorhub.judge import schema_page as subject
from resources.types import schematree as schemas


@require_safe
def schema(request: ConsoleRequest, namespace: str, catalog: str, package: str, crd: str) -> HttpResponse:
    """`?channel=` and `?version=` pick the operator's version, `?api=` the API's, `?at=` the part of it, `?q=`
    searches all of it.
    """
    client = request.cluster
    manifest = packages.read(client, namespace, catalog, package, request.namespace)
    channel = manifest.channel(request.GET.get("channel", ""))
    if channel is None:
        raise NotFound(
            _("The package “%(name)s” has no channel, so it provides no resource types.") % {"name": package}
        )
    asked = request.GET.get("version", "")
    name = asked if asked in dict(channel.versions) else channel.csv
    known = subject.find(client, (namespace, catalog, package), name, crd)
    parameters = [
        (key, value) for key, value in (("channel", request.GET.get("channel", "")), ("version", asked)) if value
    ]
    context: dict[str, Any] = {"manifest": manifest, "crd": crd, "name": name, "known": known, "parameters": parameters}
    context["back"] = f"?{urlencode(parameters)}" if parameters else ""
    if known.crd is not None:
        context |= _tree(request, known, parameters)
    # Opening a field loads its part only; so does a search.
    part = "_schema_fields.html" if request.headers.get("HX-Target", "").startswith("in-") else "_schema.html"
    return render.page(request, "operatorhub/schema.html", context, fragment=f"resources/{part}")


def _tree(request: ConsoleRequest, known: subject.FoundSchema, parameters: list[tuple[str, str]]) -> dict[str, Any]:
    crd = csv.mapping(known.crd)
    every, version = subject.pick(crd, request.GET.get("api", ""))
    names = csv.mapping(csv.mapping(crd.get("spec")).get("names"))
    kind, group = csv.text(names.get("kind")), csv.text(csv.mapping(crd.get("spec")).get("group"))
    number = version.name if version else ""
    query = request.GET.get("q", "").strip()[:200]
    where = schemas.place(request.GET.get("at", ""))
    tree = version.schema if version else {}
    return {
        "kind": kind,
        "group": group,
        "scope": csv.text(csv.mapping(crd.get("spec")).get("scope")),
        "versions": every,
        "api": version,
        "root": f"?{urlencode([*parameters, ('api', number)])}",
        "address": f"?{urlencode([*parameters, ('api', number)])}&",
        "query": query,
        "found": schemas.search(tree, query) if query else None,
        "trail": [(schemas.path(where[:end]), schemas.address(where[:end])) for end in range(1, len(where))],
        "here": schemas.field(tree, where),
        "fields": schemas.children(tree, where),
        "top": not where,
        # What people write is open at once.
        "inner": schemas.children(tree, ("spec",)) if not where and not query else (),
        "examples": subject.examples(known.csv, group, number, kind) if not where and not query else (),
        "description": csv.text(tree.get("description")),
    }
