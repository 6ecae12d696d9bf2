"""The object editor, as a form and as YAML, for a new object of any kind and an existing one; and what an open form
fetches.

An open form fetches the sections that are opened, the fields that "Add field" searches, and what a picker offers: names
or keys, with a link that creates a new object of that kind.

What was typed is kept on every refusal: the same page comes again with the messages at the fields.
"""

from django import shortcuts
from django.http import HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.web import audit, render
from console.web.access import can
from console.web.request import ConsoleRequest
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import clean
from resources.forms import build, search
from resources.forms.fields import Options
from resources.place import Place, place_of
from resources.views import submission
from resources.views.submission import FORM, VIEW_COOKIE, YAML, Draft, carried, preserves_input
from resources.views.work import Work
from resources.views.yaml_page import YamlPage, readable
from resources.writing import draft, pickers
from resources.writing.pickers import Names

#: Fields that the search lists.
_MAX_HITS = 30


@require_http_methods(["GET", "HEAD", "POST"])
@preserves_input
def new(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """A new object, beginning with ?start= (resources/writing/examples.py); a POST creates it."""
    place = place_of(request, group, version, plural, request.GET.get("namespace") or request.namespace or "-")
    if elsewhere := _preferred(request):
        return HttpResponseRedirect(place.kind_url("new-yaml", **elsewhere))
    work = Work(request, place, FORM)
    return work.post() if request.method == "POST" else work.begin()


@require_http_methods(["GET", "HEAD", "POST"])
@preserves_input
def edit(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """An existing object; a POST sends what changed."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if elsewhere := _preferred(request):
        return HttpResponseRedirect(place.url("yaml", **elsewhere))
    work = Work(request, place, FORM, editing=True)
    if request.method == "POST":
        return work.post()
    return work.changed() if request.GET.get("part") == "changed" else work.edit()


def _preferred(request: ConsoleRequest) -> dict[str, str]:
    """The address's own words, for the YAML view, where that was used last and this address does not say which view
    it wants.
    """
    if request.method == "POST" or "view" in request.GET or request.COOKIES.get(VIEW_COOKIE) != YAML:
        return {}
    return {**request.GET.dict(), "view": YAML}


@require_http_methods(["GET", "HEAD", "POST"])
@preserves_input
def new_yaml(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """A new object, beginning as the form does."""
    place = place_of(request, group, version, plural, request.GET.get("namespace") or request.namespace or "-")
    work = Work(request, place, YAML)
    return work.post() if request.method == "POST" else work.begin()


@require_http_methods(["GET", "HEAD", "POST"])
@preserves_input
def edit_yaml(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str
) -> HttpResponse:
    """The object; a POST sends what the text changed of what was opened.

    `?clean=1`: to be applied elsewhere; with `download=1` as a file.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    work = Work(request, place, YAML, editing=True)
    if request.method == "POST":
        return work.post()
    if request.GET.get("part") == "changed":
        return work.changed()
    obj = place.get(request.cluster)
    masked = place.secret and "reveal" not in request.GET
    if place.secret and not masked:
        audit.record(request, "reveal", place.ref, "ok")
    neat = request.GET.get("clean") == "1"
    if neat and request.GET.get("download") == "1":
        text = readable(clean(obj), masked)
        return render.as_file(HttpResponse(text, content_type="application/yaml; charset=utf-8"), f"{place.name}.yaml")
    writable = (
        not masked and not neat and can(request.cluster, "patch", place.type, place.namespace, place.name).allowed
    )
    original = draft.editable(obj)
    page = YamlPage(
        shell=work.shell(Draft(obj=original, original=original)),
        text=readable(clean(obj) if neat else obj, masked),
        original=carried(original) if writable else "",
        writable=writable,
        masked=masked,
        clean=neat,
    )
    return render.page(request, "resources/yaml.html", {"yaml": page})


@require_POST
def section(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """One section of a form, or a new item of a list: `~pointer` says which; `~base` is the object that the form
    carries.
    """
    place = place_of(request, group, version, plural, request.GET.get("namespace") or "-")
    work = Work(request, place, FORM, editing=bool(request.POST.get("~original")))
    try:
        base = submission.received(request.POST.get("~base", ""))
        stored = submission.received(request.POST["~original"]) if work.editing else None
        options = Options(work.offer.descriptors, room=80, stored=stored)
        number = int(request.POST.get("~number") or 0)
        field = build.at(work.schema, base, request.POST.get("~pointer", ""), options, number)
    except (ValueError, LookupError):
        return HttpResponseBadRequest(_("The form section wasn't found. Reload the page."))
    return shortcuts.render(request, "resources/_form_field.html", {"field": field})


@require_POST
def find(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """Fields by name, path or description. `q`: the words; `~base`: the object that the form carries, whose items are
    named one by one.
    """
    place = place_of(request, group, version, plural, request.GET.get("namespace") or "-")
    try:
        base = submission.received(request.POST.get("~base", "") or "{}")
    except ValueError:
        return HttpResponseBadRequest(_("The form was empty. Reload the page."))
    work = Work(request, place, FORM)
    words = request.POST.get("q", "")[:200]
    hits = search.find(work.schema, base, work.offer.descriptors, words, _MAX_HITS + 1)
    context = {"hits": hits[:_MAX_HITS], "more": len(hits) > _MAX_HITS, "words": words}
    return shortcuts.render(request, "resources/form/found.html", context)


@require_safe
def picker_names(request: ConsoleRequest) -> HttpResponse:
    """?group=&kind=&namespace=&selector=&q=: a datalist of names; with &keys=NAME of that object's keys.

    Where nothing can be offered, why.
    """
    asked = request.GET
    kind, namespace = asked.get("kind", ""), asked.get("namespace", "")
    found, note, create = Names((), whole=False), "", ""
    try:
        type_ = pickers.type_of(request.cluster, asked.get("group", ""), kind)
        place = Place(type_, namespace if type_.namespaced else "")
        if type_.namespaced and not namespace:
            note = _("Choose a namespace first to see the available names.")
        elif name := asked.get("keys"):
            found = pickers.keys(request.cluster, type_, place.namespace, name)
        else:
            create = _create_url(request, place)
            found = pickers.names(
                request.cluster,
                type_,
                place.namespace,
                wanted=asked.get("q", ""),
                selector=asked.get("selector", ""),
            )
            note = "" if found.names or asked.get("q") else _("No %(kind)s exists yet.") % {"kind": kind}
    except KubeError as error:
        note = _refusal_note(error, kind)
    context = {"found": found, "note": note, "create": create, "kind": kind}
    return shortcuts.render(request, "resources/form/names.html", context)


def _create_url(request: ConsoleRequest, place: Place) -> str:
    """Where a new one is created; '' for users who can't."""
    if not can(request.cluster, "create", place.type, place.namespace).allowed:
        return ""
    return place.kind_url("new", **({"namespace": place.namespace} if place.namespace else {}))


def _refusal_note(error: KubeError, kind: str) -> str:
    if isinstance(error, Forbidden):
        return _("You don't have permission to list these. Enter the name of the %(kind)s.") % {"kind": kind}
    if isinstance(error, NotFound):
        return _("The cluster has no such %(kind)s yet. Enter the name that it will have.") % {"kind": kind}
    return _("The cluster isn't responding. Enter the name of the %(kind)s.") % {"kind": kind}
