"""/operatorhub/catalogs/new/ and …/edit/, …/delete/: forms for a CatalogSource, a ClusterCatalog, or a catalog of the
console's own.
"""

import tempfile
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.frame import known_namespaces
from console.web.request import ConsoleRequest
from kube import limits
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject
from operatorhub import olm, tasks
from operatorhub.admin import catalog_forms, catalog_kinds, catalogs, catalogsources, clustercatalogs
from operatorhub.indexing import refresh
from operatorhub.models import Catalog
from operatorhub.sources import fetch
from operatorhub.sources.drafts import SourceError
from operatorhub.views.sources import own_row

_INTERVALS = {"": 0, "1h": 3600, "6h": 6 * 3600, "1d": 24 * 3600}


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: ConsoleRequest) -> HttpResponse:
    """`?kind=` catalogsource, clustercatalog or own. `try` is a dry run."""
    kind = request.POST.get("kind") or request.GET.get("kind", "")
    if kind not in catalog_forms.KINDS:
        raise Http404
    if kind == catalog_forms.OWN:
        return _new_own(request)
    begun = {"namespace": _usual_namespace(request), "endpoint": "image", "interval": "", "name": ""}
    data = request.POST.dict() if request.method == "POST" else {**begun, **request.GET.dict()}
    form = catalog_forms.read(kind, data)
    obj = catalog_forms.made(form)
    problem = None
    if request.method == "POST" and obj is not None:
        problem = _create(request, kind, obj)
        if problem is None and "save" in request.POST:
            messages.success(request, _("Catalog “%(name)s” added.") % {"name": form["name"]})
            return HttpResponseRedirect(_page(kind, form["namespace"], form["name"]))
    return _answer(request, kind, form, obj, problem)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: ConsoleRequest, namespace: str, name: str) -> HttpResponse:
    """Edit an existing CatalogSource or ClusterCatalog. Other users' changes are never overwritten."""
    if namespace == catalogs.OWN:
        raise Http404
    kind = catalog_forms.CLUSTER if namespace == catalogs.CLUSTER else catalog_forms.SOURCE
    type_ = _type(request, kind)
    place = "" if kind == catalog_forms.CLUSTER else namespace
    old = request.cluster.get(type_, name, place)
    fixed = {"name": name} | ({"namespace": place} if place else {})
    data = request.POST.dict() if request.method == "POST" else catalog_forms.begun(kind, old)
    form = catalog_forms.read(kind, data, fixed)
    patch = catalog_forms.change(form)
    version = request.POST.get("version") or olm.spec_version(old)
    problem = None
    if request.method == "POST" and patch is not None:
        problem = _patch(request=request, type_=type_, name=name, namespace=place, patch=patch, version=version)
        if problem is None and "save" in request.POST:
            messages.success(request, _("Catalog “%(name)s” saved.") % {"name": name})
            return HttpResponseRedirect(_page(kind, namespace, name))
    return _answer(request, kind, form, catalog_forms.made(form), problem, version=version)


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
    context = {
        "namespace": namespace,
        "name": name,
        "uid": uid,
        "dependents": dependents,
        "gap": gap,
        "problem": problem,
        "row": row,
        "refused": refused,
        "kubectl": "" if row else _kubectl_delete(namespace, name),
    }
    return render.page(request, "operatorhub/source_delete.html", context, status=problem.status if problem else 200)


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
    form: catalog_forms.Form,
    obj: KubeObject | None,
    problem: Problem | None,
    *,
    version: str = "",
) -> HttpResponse:
    posted = request.method == "POST"
    if kind == catalog_forms.OWN:
        refused = catalogs.change_refusal(request.cluster)
    elif version:
        refused = refusal(request.cluster, "patch", _type(request, kind), form["namespace"], form["name"])
    else:
        refused = refusal(request.cluster, "create", _type(request, kind), form["namespace"])
    context = {
        "kind": kind,
        "form": form.values,
        "errors": form.errors if posted else {},
        "fixed": form.fixed,
        "problem": problem,
        "version": version,
        "yaml": catalog_forms.yaml(obj) if obj else "",
        "kubectl": f"kubectl apply -f - <<'EOF'\n{catalog_forms.yaml(obj)}EOF" if obj else "",
        "tried": posted and obj is not None and problem is None,
        "refused": refused,
        "namespaces": known_namespaces(request.cluster),
        "everywhere": catalogsources.everywhere(request.cluster.name),
        "own_kinds": [kind for kind in catalog_kinds.KINDS if kind.field and not kind.refusal()],
        "intervals": catalog_forms.INTERVALS,
    }
    status = problem.status if problem else 422 if posted and form.errors else 403 if posted and refused else 200
    return render.page(request, "operatorhub/source_form.html", context, status=status)


def _new_own(request: ConsoleRequest) -> HttpResponse:
    """A folder, an address, an image, or a file that is uploaded and read at once."""
    data = request.POST.dict() if request.method == "POST" else {"from": "url", **request.GET.dict()}
    form = catalog_forms.read(catalog_forms.OWN, data)
    upload = request.FILES.get("file")
    if form["from"] == Catalog.UPLOAD and upload is None:
        form.wrong("file", _("Choose a file: .yaml, .json, .tar, .tar.gz or .zip."))
    elif isinstance(upload, UploadedFile) and (upload.size or 0) > limits.CATALOG_UPLOAD.value:
        form.wrong(
            "file",
            _("The file is larger than %(most)d MiB. Use an address or a folder instead.")
            % {"most": limits.CATALOG_UPLOAD.value // 2**20},
        )
    catalogs.check_new(request.cluster.name, form)
    if request.method == "POST" and not form.errors and not catalogs.change_refusal(request.cluster):
        row = catalogs.add(request.cluster.name, form, _INTERVALS.get(form["interval"], 0))
        audit.record(request, "create", f"catalog ~/{row.name} from {row.kind}", "ok")
        if words := _first_reading(request, row, upload):
            catalogs.remove(row)
            form.wrong("file", words)
        else:
            return HttpResponseRedirect(_page(catalog_forms.OWN, "", row.name))
    return _answer(request, catalog_forms.OWN, form, None, None)


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
