"""/operatorhub/catalogs/new/ and …/edit/, …/delete/: forms for a CatalogSource, a ClusterCatalog, or a catalog of the
console's own.
"""

import tempfile
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.frame import known_namespaces
from console.web.request import ConsoleRequest
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject
from operatorhub import olm, tasks
from operatorhub.admin import catalog_forms, catalogs, catalogsources, clustercatalogs
from operatorhub.indexing import refresh
from operatorhub.models import Catalog
from operatorhub.sources import fetch
from operatorhub.sources.drafts import SourceError
from operatorhub.views.deletion import Deletion, Line, ask
from operatorhub.views.sources import own_row
from resources import yamltext


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: ConsoleRequest) -> HttpResponse:
    """`?kind=` catalogsource, clustercatalog or own, without it the page that offers them. `try` is a dry run."""
    kind = request.POST.get("kind") or request.GET.get("kind", "")
    if not kind and request.method != "POST":
        return HttpResponseRedirect(reverse("operatorhub:sources"))
    if kind not in catalog_forms.KINDS:
        raise Http404
    if kind == catalog_forms.OWN:
        return _new_own(request)
    initial = {"namespace": _usual_namespace(request), **request.GET.dict()}
    form = catalog_forms.OBJECT_FORMS[kind](request.POST if request.method == "POST" else None, initial=initial)
    problem = None
    if form.is_valid():
        problem = _create(request, kind, form.manifest)
        if problem is None and "save" in request.POST:
            typed = form.cleaned_data
            messages.success(request, _("Catalog “%(name)s” added.") % {"name": typed["name"]})
            return HttpResponseRedirect(_page(kind, typed.get("namespace", ""), typed["name"]))
    namespace = "" if kind == catalog_forms.CLUSTER else request.POST.get("namespace", initial["namespace"])
    refused = refusal(request.cluster, "create", _type(request, kind), namespace)
    return _answer(request, kind, form, refused, problem)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: ConsoleRequest, namespace: str, name: str) -> HttpResponse:
    """Edit an existing CatalogSource or ClusterCatalog. Other users' changes are never overwritten."""
    if namespace == catalogs.OWN:
        raise Http404
    kind = catalog_forms.CLUSTER if namespace == catalogs.CLUSTER else catalog_forms.SOURCE
    type_ = _type(request, kind)
    place = "" if kind == catalog_forms.CLUSTER else namespace
    old = request.cluster.get(type_, name, place)
    form_class = catalog_forms.OBJECT_FORMS[kind]
    form = form_class(
        request.POST if request.method == "POST" else None, initial=form_class.values_of(old), is_new=False
    )
    version = request.POST.get("version") or olm.spec_version(old)
    problem = None
    if form.is_valid():
        problem = _patch(request=request, type_=type_, name=name, namespace=place, patch=form.patch, version=version)
        if problem is None and "save" in request.POST:
            messages.success(request, _("Catalog “%(name)s” saved.") % {"name": name})
            return HttpResponseRedirect(_page(kind, namespace, name))
    refused = refusal(request.cluster, "patch", type_, place, name)
    return _answer(request, kind, form, refused, problem, version=version)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: ConsoleRequest, namespace: str, name: str) -> HttpResponse:
    """What depends on it is named before it goes."""
    client, problem = request.cluster, None
    dependents: tuple[olm.Subscription, ...] = ()
    uid, gap, refused, row = "", "", "", None
    if namespace == catalogs.OWN:
        row = own_row(client, name)
        refused = catalogs.change_refusal(client) or (
            _("This catalog is defined by the setting CATALOG_FOLDERS.") if row.given else ""
        )
    elif namespace == catalogs.CLUSTER:
        uid = clustercatalogs.get(client, name).uid
    else:
        uid = catalogsources.get(client, namespace, name).uid
        dependents, gap = catalogsources.dependents(client, namespace, name)
    if request.method == "POST" and not refused:
        problem = _delete(request, namespace, name, row)
        if problem is None:
            messages.success(request, _("Catalog “%(name)s” removed.") % {"name": name})
            return HttpResponseRedirect(reverse("operatorhub:sources"))
    back = reverse("operatorhub:source", args=[namespace, name])
    return ask(
        request,
        Deletion(
            title=_("Remove catalog %(name)s?") % {"name": name},
            trail=(Line(_("Catalogs"), reverse("operatorhub:sources")), Line(name, back)),
            submit=_("Remove"),
            back=back,
            effects=(Line(_deletion_effect(namespace)),),
            affected=tuple(map(_dependent, dependents)),
            gap=gap,
            way="catalog",
            uid=uid,
            kubectl="" if row else _kubectl_delete(namespace, name),
            refused=refused,
            problem=problem,
        ),
    )


def _deletion_effect(namespace: str) -> str:
    if namespace == catalogs.OWN:
        return _(
            "The catalog's packages are removed from OperatorHub. Operators installed from it stay and keep running."
        )
    if namespace == catalogs.CLUSTER:
        return _(
            "The catalog's packages are no longer available. ClusterExtensions installed from it stay, but find no "
            "more upgrades."
        )
    return _(
        "The catalog's packages are no longer available. Operators installed from it stay and keep running, but get no "
        "more updates."
    )


def _dependent(sub: olm.Subscription) -> Line:
    """A Subscription that installs from the catalog."""
    url = reverse("operatorhub:progress", args=[sub.namespace, sub.name])
    version = f" · {sub.installed_csv}" if sub.installed_csv else ""
    return Line(f"Subscription {sub.namespace}/{sub.name}", url, f"{sub.package}{version}")


def _type(request: ConsoleRequest, kind: str) -> ResourceType:
    if kind == catalog_forms.CLUSTER:
        return request.cluster.find(clustercatalogs.GROUP, clustercatalogs.VERSION, clustercatalogs.PLURAL)
    return olm.type_of(request.cluster, olm.SOURCES)


def _create(request: ConsoleRequest, kind: str, obj: KubeObject) -> Problem | None:
    save, meta = "save" in request.POST, obj["metadata"]
    ref = f"{kind} {meta.get('namespace', '-')}/{meta['name']}"
    try:
        with audit.recorded(request, "create", ref, dry_run=not save):
            request.cluster.create(_type(request, kind), obj, meta.get("namespace", ""), dry_run=not save)
    except KubeError as error:
        return explain(error)
    return None


def _patch(
    request: ConsoleRequest, type_: ResourceType, name: str, namespace: str, patch: dict[str, Any], version: str
) -> Problem | None:
    save, ref = "save" in request.POST, f"{type_.topic_part} {namespace or '-'}/{name}"
    try:
        with audit.recorded(request, "patch", ref, dry_run=not save):
            olm.patch_spec(
                client=request.cluster,
                type_=type_,
                name=name,
                namespace=namespace,
                change=patch,
                version=version,
                dry_run=not save,
            )
    except KubeError as error:
        return explain(error)
    return None


def _delete(request: ConsoleRequest, namespace: str, name: str, row: Catalog | None) -> Problem | None:
    problem = None
    if row is not None:
        catalogs.remove(row)
    else:
        kind = catalog_forms.CLUSTER if namespace == catalogs.CLUSTER else catalog_forms.SOURCE
        place = "" if kind == catalog_forms.CLUSTER else namespace
        try:
            request.cluster.delete(_type(request, kind), name, place, uid=request.POST.get("uid", ""))
        except KubeError as error:
            problem = explain(error)
    audit.record(request, "delete", f"catalog {namespace}/{name}", problem.reason if problem else "ok")
    return problem


def _kubectl_delete(namespace: str, name: str) -> str:
    if namespace == catalogs.CLUSTER:
        return f"kubectl delete {clustercatalogs.PLURAL}.{clustercatalogs.GROUP} {name}"
    return f"kubectl delete {olm.SOURCES}.{olm.GROUP} {name} -n {namespace}"


def _page(kind: str, namespace: str, name: str) -> str:
    place = {catalog_forms.CLUSTER: catalogs.CLUSTER, catalog_forms.OWN: catalogs.OWN}.get(kind, namespace)
    return reverse("operatorhub:source", args=[place, name])


def _usual_namespace(request: ConsoleRequest) -> str:
    """Where the other catalogs of the whole cluster are."""
    known = sorted(catalogsources.everywhere(request.cluster.name))
    there = [namespace for namespace in known if namespace in known_namespaces(request.cluster)]
    return (there or known or [request.namespace or "default"])[0]


def _answer(
    request: ConsoleRequest,
    kind: str,
    form: catalog_forms.CatalogSourceForm | catalog_forms.ClusterCatalogForm | catalog_forms.OwnCatalogForm,
    refused: str,
    problem: Problem | None = None,
    *,
    version: str = "",
) -> HttpResponse:
    manifest = "" if isinstance(form, catalog_forms.OwnCatalogForm) else _manifest(form)
    context = {
        "kind": kind,
        "form": form,
        "problem": problem,
        "version": version,
        "yaml": manifest,
        "kubectl": f"kubectl apply -f - <<'EOF'\n{manifest}EOF" if manifest else "",
        "tried": form.is_bound and manifest and problem is None,
        "refused": refused,
        "namespaces": known_namespaces(request.cluster),
        "everywhere": catalogsources.everywhere(request.cluster.name),
        "intervals": catalog_forms.INTERVALS,
    }
    status = problem.status if problem else 422 if form.errors else 403 if form.is_bound and refused else 200
    return render.page(request, "operatorhub/source_form.html", context, status=status)


def _manifest(form: catalog_forms.CatalogSourceForm | catalog_forms.ClusterCatalogForm) -> str:
    """The object as YAML, also of a form that was just opened; '' while something is wrong or missing."""
    filled = form if form.is_bound else type(form)(form.initial)
    return yamltext.dump(filled.manifest) if filled.is_valid() else ""


def _new_own(request: ConsoleRequest) -> HttpResponse:
    """A folder, an address, an image, or a file that is uploaded and read at once."""
    is_sent = request.method == "POST"
    form = catalog_forms.OwnCatalogForm(
        request.POST if is_sent else None,
        request.FILES if is_sent else None,
        cluster=request.cluster.name,
        # Of a form that is sent, a file's initial value would take the place of a missing file.
        initial=None if is_sent else {"from": Catalog.URL, **request.GET.dict()},
    )
    refused = catalogs.change_refusal(request.cluster)
    if form.is_valid() and not refused:
        row = catalogs.add(request.cluster.name, form.cleaned_data)
        audit.record(request, "create", f"catalog ~/{row.name} from {row.kind}", "ok")
        if words := _first_reading(request, row, form.cleaned_data["file"]):
            catalogs.remove(row)
            form.add_error("file", words)
        else:
            return HttpResponseRedirect(_page(catalog_forms.OWN, "", row.name))
    return _answer(request, catalog_forms.OWN, form, refused)


def _first_reading(request: ConsoleRequest, row: Catalog, upload: Any) -> str:
    """What is uploaded is read now, for it is not kept; everything else by a worker. Why it can't be, ''."""
    if row.kind != Catalog.UPLOAD:
        tasks.ask(row)
        return ""
    row.location = str(upload.name)[:2048]
    row.save(update_fields=["location"])
    with tempfile.TemporaryDirectory(prefix="upload-") as scratch:
        path = Path(scratch) / "file"
        with path.open("wb") as sink:
            for chunk in upload.chunks():
                sink.write(chunk)
        try:
            refresh.take_folder(row, fetch.unpacked(path, Path(scratch)), request.cluster)
        except (SourceError, OSError, ValueError) as error:
            return str(error)
    tasks.ask_to_judge(request.cluster)
    return ""
