"""/operatorhub/<namespace>/<catalog>/<package>/: what an operator is, before it is installed.

…/<package>/apis/<crd>/: the schema of a kind, from the bundle of the chosen version, or from the cluster when the kind
is there already.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import csp, render
from console.web.access import refusal
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.reader import read
from kube.types.extensions import CustomResourceDefinition, JSONSchemaProps
from kube.types.meta import Object
from operatorhub import csv, olm
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles, graph
from operatorhub.bundle import package as packages
from operatorhub.find import facets
from operatorhub.find import package_page as subject
from operatorhub.install import draft, situation
from operatorhub.sources.drafts import SourceError
from resources import live_topics, yamltext
from resources.types import kind_versions
from resources.types import schematree as schemas

_CRDS = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")


@require_safe
def package(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    """`?channel=` and `?version=` (a CSV's name) pick what is described, `?tab=` which part of it, `?images=1` shows
    the description's images.
    """
    client, images = request.cluster, request.GET.get("images") == "1"
    manifest = packages.read(client, namespace, catalog, package, request.namespace)
    asked = request.GET.get("channel", ""), request.GET.get("version", "")
    chosen = subject.choose(client, manifest, *asked, request.namespace, images=images)
    context: dict[str, Any] = {
        "manifest": manifest,
        "chosen": chosen,
        "channel": chosen.channel if chosen else None,
        "about": chosen.about if chosen else None,
        "icon_name": packages.icon_name(client, namespace, catalog, package),
        "topics": live_topics.topics(client, *olm.type_names(olm.SUBSCRIPTIONS)),
        "images": images,
    }
    if chosen:
        context |= _parts(request, chosen)
    response = render.page(request, "operatorhub/package.html", context, part=True)
    if images:
        response["Content-Security-Policy"] = csp.with_images(request)
    return response


def _parts(request: ConsoleRequest, chosen: subject.Chosen) -> dict[str, Any]:
    place = subject.here(request.cluster, chosen)
    tab = request.GET.get("tab", "")
    tab = tab if tab in subject.TABS else subject.TABS[0]
    installed = [subscription.installed_csv for subscription in place.subscriptions if subscription.installed]
    most = 0 if request.GET.get("all") else graph.MOST
    key = f"{chosen.manifest.namespace}/{chosen.manifest.catalog}/{chosen.manifest.name}"
    return {
        "place": place,
        "subscriptions": place.subscriptions,
        "installed": installed,
        "tab": tab,
        "tabs": _tabs(request, chosen),
        "partial": _is_partial(tab, chosen),
        "picked": picked(chosen),
        "drawing": graph.draw(chosen.graph, installed=installed, chosen=(chosen.channel.name, chosen.name), most=most)
        if tab == "versions"
        else None,
        "stranded": graph.stranded(chosen.graph, chosen.channel.name) if tab == "versions" else (),
        "oddities": (*chosen.graph.problems,) if tab == "versions" else (),
        "levels": list(zip(range(1, 6), csv.LEVELS, csv.LEVEL_WORDS, strict=True)),
        "modes": [(mode, facets.label("mode", mode, {})) for mode in (chosen.about.modes if chosen.about else ())],
        "refused": _refused(request, chosen),
        "install_url": _install(chosen),
        "present": _present(request, place),
        "installable": _installable(request, chosen, place),
        "compare_url": f"{reverse('operatorhub:compare')}?{urlencode({'package': key})}",
    }


def _is_partial(tab: str, chosen: subject.Chosen) -> bool:
    """Whether the catalog doesn't provide all that the tab shows. Versions without a bundle have their own note."""
    return chosen.about is None if tab == "overview" else tab != "versions" and not chosen.whole


def picked(chosen: subject.Chosen) -> str:
    """Channel and version for an address, without what would be chosen anyway: `channel=x&version=y`."""
    parts = {}
    if not chosen.channel.default:
        parts["channel"] = chosen.channel.name
    if not chosen.newest:
        parts["version"] = chosen.name
    return urlencode(parts)


def _tabs(request: HttpRequest, chosen: subject.Chosen) -> list[tuple[str, str, str, int]]:
    """(name, label, address, number or 0)."""
    names = {
        "overview": (_("Overview"), 0),
        "permissions": (_("Permissions"), chosen.dangerous),
        "versions": (_("Versions"), len({entry.name for each in chosen.graph.channels for entry in each.entries})),
        "contents": (_("Contents"), 0),
    }
    where = f"{request.path}?{picked(chosen)}"
    address = {
        name: f"{where}{'' if where.endswith('?') else '&'}tab={name}" if name != "overview" else where.rstrip("?")
        for name in names
    }
    return [(name, label, address[name], number) for name, (label, number) in names.items()]


def _refused(request: ConsoleRequest, chosen: subject.Chosen) -> str:
    """Why this user can't install it with OLM's Subscriptions; '' when nothing is known to stand in the way."""
    if chosen.manifest.namespace in (catalogs.OWN, catalogs.CLUSTER):
        return ""
    try:
        type_ = olm.type_of(request.cluster, olm.SUBSCRIPTIONS)
    except NotFound:
        return _("This cluster has no Operator Lifecycle Manager.")
    return refusal(request.cluster, "create", type_, request.namespace)


def _install(chosen: subject.Chosen) -> str:
    """Where it is installed, with the channel and version that are chosen here."""
    manifest = chosen.manifest
    if manifest.namespace == catalogs.CLUSTER:
        version = {} if chosen.newest else {"version": chosen.version}
        values = {"package": manifest.name, "catalog": manifest.catalog, "channel": chosen.channel.name, **version}
        return f"{reverse('operatorhub:extension-new')}?{urlencode(values)}"
    if manifest.namespace == catalogs.OWN:
        values = {"catalog": manifest.catalog, "package": manifest.name, "bundle": chosen.name}
        return f"{reverse('operatorhub:run')}?{urlencode(values)}"
    address = reverse("operatorhub:install", args=[manifest.namespace, manifest.catalog, manifest.name])
    return f"{address}?{picked(chosen)}".rstrip("?")


@dataclass(frozen=True, slots=True)
class Present:
    """The first thing to do with a package that is installed."""

    label: str
    url: str


def _present(request: ConsoleRequest, place: subject.ClusterFacts) -> Present | None:
    """None where it is not installed. Of several installs the one in the picked namespace is meant."""
    subs = sorted(place.subscriptions, key=lambda sub: (sub.namespace != request.namespace, not sub.installed))
    if not subs:
        running = next(iter(place.running), None)
        return Present(_("View operator"), running.url) if running else None
    sub = subs[0]
    if not sub.installed:
        return Present(_("Follow installation"), reverse("operatorhub:progress", args=[sub.namespace, sub.name]))
    if sub.waits and sub.plan and sub.current_csv != sub.installed_csv:
        return Present(_("Review update"), reverse("operatorhub:plan", args=[sub.namespace, sub.plan]))
    return Present(_("View operator"), reverse("operatorhub:operator", args=[sub.namespace, sub.installed_csv]))


def _installable(request: ConsoleRequest, chosen: subject.Chosen, place: subject.ClusterFacts) -> bool:
    """Whether it can be installed, or installed once more: an operator for all namespaces can't."""
    if not place.subscriptions or chosen.about is None:
        return True
    found = situation.read_situation(request.cluster, request.namespace)
    return draft.is_possible(chosen.manifest, chosen.channel, chosen.about, found)


@dataclass(frozen=True, slots=True)
class FoundSchema:
    """`crd`: None if neither the bundle nor the cluster has it: then `unknown` says why.

    `installed`: it is the cluster's, not the chosen version's.
    """

    crd: Mapping[str, Any] | None
    installed: bool
    unknown: str
    csv: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SchemaExample:
    """One of the author's examples, as YAML."""

    name: str
    yaml: str


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
    known = _find_schema(client, (namespace, catalog, package), name, crd)
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


def _tree(request: ConsoleRequest, known: FoundSchema, parameters: list[tuple[str, str]]) -> dict[str, Any]:
    every, version = _pick_version(known.crd or {}, request.GET.get("api", ""))
    spec = read(known.crd, CustomResourceDefinition).spec
    kind, group = spec.names.kind, spec.group
    number = version.name if version else ""
    query = request.GET.get("q", "").strip()[:200]
    where = schemas.place(request.GET.get("at", ""))
    tree = version.schema if version else {}
    return {
        "kind": kind,
        "group": group,
        "scope": spec.scope,
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
        "examples": _examples(known.csv, group, number, kind) if not where and not query else (),
        "description": read(tree, JSONSchemaProps).description,
    }


def _find_schema(client: ClusterClient, place: tuple[str, str, str], name: str, crd: str) -> FoundSchema:
    """`place`: namespace, catalog and package; `name`: the version's CSV."""
    unknown = ""
    try:
        bundle = bundles.bundle(client, *place, name)
    except SourceError as error:
        bundle, unknown = None, str(error)
    if bundle is not None:
        for item in bundle.crds:
            if read(item, Object).metadata.name == crd:
                return FoundSchema(item, installed=False, unknown="", csv=bundle.csv)
        unknown = unknown or "\n".join(bundle.problems)
    found = _installed_crd(client, crd)
    return FoundSchema(found, found is not None, unknown, bundle.csv if bundle else {})


def _installed_crd(client: ClusterClient, crd: str) -> Mapping[str, Any] | None:
    try:
        return client.get(client.find(*_CRDS), crd)
    except (NotFound, Forbidden):
        return None


def _examples(found: Mapping[str, Any], group: str, version: str, kind: str) -> tuple[SchemaExample, ...]:
    """Those of the annotation `alm-examples` that are of this kind, of the version first; what can't be read is left
    out.
    """
    newest: list[SchemaExample] = []
    others: list[SchemaExample] = []
    for example in csv.objects(read(found, Object).metadata.annotations):
        obj = read(example, Object)
        if (obj.kind, obj.group) == (kind, group):
            same_version = obj.api_version == f"{group}/{version}"
            (newest if same_version else others).append(
                SchemaExample(obj.metadata.name or _("example"), yamltext.dump(example))
            )
    return (*newest, *others)


def _pick_version(
    crd: Mapping[str, Any], wanted: str
) -> tuple[tuple[schemas.SchemaVersion, ...], schemas.SchemaVersion | None]:
    """Its versions, and the wanted one, or the one to use."""
    every = schemas.versions(crd)
    first = kind_versions.preferred(kind_versions.defined(crd))
    by_name = {version.name: version for version in every}
    return every, by_name.get(wanted) or by_name.get(first) or next(iter(every), None)
