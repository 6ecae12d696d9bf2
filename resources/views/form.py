"""The form of any kind: a new object, an existing one, and the parts of it that are fetched when they are opened.

What was typed is kept, whatever the cluster says to it: every refusal is the same page again with the words at the fields.
"""

import dataclasses
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import render as render_part
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import AlreadyExists, Cause, Invalid, KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources import draft, examples
from resources.draft import Clashing
from resources.forms import build, errors, parse
from resources.forms.errors import Placed
from resources.forms.fields import Options, Typed
from resources.forms.parse import Parsed
from resources.forms.paths import words
from resources.forms.schema import Schema
from resources.place import Place, place_of
from resources.save import causes_of
from resources.views import form_page
from resources.views.form_page import Conflicting, FormPage

_ASKED = {"~open": "z", "~add": "z", "~remove": "x"}


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """A new object, beginning with ?example=NAME ('-' for an empty form); a POST creates it."""
    place = place_of(request, group, version, plural, request.GET.get("namespace") or request.namespace or "-")
    work = Work(request, place)
    if request.method == "POST":
        return work.submit()
    offer, wanted = work.offer, request.GET.get("example", "")
    example = next((item for item in offer.examples if not wanted or item.name == wanted), None)
    obj = draft.begin(place.type, place.namespace, work.schema, example.object if example else None)
    return work.show(obj, example=example.name if example else "-", examples=offer.examples)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """An existing object; a POST sends what changed."""
    place = place_of(request, group, version, plural, namespace, name)
    work = Work(request, place, editing=True)
    if request.method == "POST":
        return work.submit()
    obj = draft.editable(place.get(request.cluster))
    if place.type.kind == "Secret":
        audit.record(request, "reveal", place.ref, "ok")
    return work.show(obj, original=form_page.carried(obj))


@require_POST
def section(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """One section of a form, or a new item of a list: `~pointer` says which; `~base` is the object that the form carries."""
    place = place_of(request, group, version, plural, request.GET.get("namespace") or "-")
    work = Work(request, place, editing="~original" in request.POST)
    try:
        base = form_page.received(request.POST.get("~base", ""))
        options = Options(work.offer.descriptors, room=80, editing=work.editing)
        number = int(request.POST.get("~number") or 0)
        field = build.at(work.schema, base, request.POST.get("~pointer", ""), options, number)
    except (ValueError, LookupError):
        return HttpResponseBadRequest(_("The form sent a section that can't be found. Load the page again."))
    return render_part(request, "resources/_form_field.html", {"field": field})


class Work:
    """One request about one form."""

    def __init__(self, request: ConsoleRequest, place: Place, editing: bool = False) -> None:
        self.request = request
        self.place = place
        self.editing = editing
        self.schema = Schema.of(request.cluster.schema(place.type))
        self.offer = examples.offer(request.cluster, place.type, place.namespace)

    def show(self, obj: KubeObject, *, status: int = 200, placed: tuple[Placed, ...] = (), **more: Any) -> HttpResponse:
        choice = () if self.editing or not self.place.type.namespaced else form_page.namespaces(self.request.cluster)
        page = form_page.make(
            self.place, self.schema, obj, offer=self.offer, choice=choice, editing=self.editing, **more
        )
        page = dataclasses.replace(page, errors=form_page.messages(placed, page))
        return self.answer(page, status)

    def answer(self, page: FormPage, status: int) -> HttpResponse:
        context = {"form": page}
        return render.page(self.request, "resources/form.html", context, fragment="resources/_form.html", status=status)

    def submit(self) -> HttpResponse:
        """Create or update, or only draw the form again where a button without script asked for that."""
        try:
            base = form_page.received(self.request.POST.get("~base", ""))
            original = form_page.received(self.request.POST["~original"]) if self.editing else {}
        except (ValueError, LookupError):
            return HttpResponseBadRequest(_("The form sent no object. Load the page again."))
        posted = [(name, value) for name, values in self.request.POST.lists() for value in values]
        asked = [(f"{mark}:{value}", "1") for name, value in posted if (mark := _ASKED.get(name))]
        parsed = parse.parse(base, [*posted, *asked])
        kept: dict[str, Any] = {"original": form_page.carried(original), "dirty": True}
        if asked:
            return self.show(parsed.object, typed=parsed.typed, **kept)
        if parsed.problems:
            return self.unread(parsed, kept)
        try:
            saved = self.save(parsed.object, original)
        except Clashing as clashing:
            return self.clashed(parsed, clashing)
        except KubeError as refused:
            return self.refused(parsed, refused, kept)
        return self.saved(saved)

    def save(self, obj: KubeObject, original: KubeObject) -> KubeObject:
        if self.editing:
            return draft.update(self.request.cluster, self.place.type, original, obj, self.schema).result
        namespace = namespace_of(obj)
        if self.place.type.namespaced and not namespace:
            cause = Cause("metadata.namespace", "FieldValueRequired", _("Choose the namespace to create it in."))
            raise Invalid(_("No namespace is chosen."), causes=(cause,))
        return self.request.cluster.create(self.place.type, obj, namespace)

    def saved(self, obj: KubeObject) -> HttpResponse:
        place = Place(self.place.type, namespace_of(obj), name_of(obj))
        audit.record(self.request, "patch" if self.editing else "create", place.ref, "ok")
        text = _("%(kind)s “%(name)s” saved.") if self.editing else _("%(kind)s “%(name)s” created.")
        messages.success(self.request, text % {"kind": place.type.kind, "name": place.name})
        answer = HttpResponseClientRedirect(place.url())
        if not self.request.htmx:
            answer = HttpResponse(status=303, headers={"Location": place.url()})  # type: ignore[assignment]
        return answer

    def unread(self, parsed: Parsed, kept: dict[str, Any]) -> HttpResponse:
        placed = tuple(Placed(item.path, words(item.path), form_page.unread_words(item)) for item in parsed.problems)
        keys = {item.path: form_page.unread_words(item) for item in parsed.problems if item.code == "key"}
        others = {error.path: error.message for error in placed if error.path not in keys}
        typed = dataclasses.replace(parsed.typed, errors=others, key_errors=keys)
        problem = Problem(422, _("Not sent yet: some fields can't be read"), _("Correct the fields named below."), "")
        return self.show(parsed.object, status=422, placed=placed, typed=typed, problem=problem, **kept)

    def refused(self, parsed: Parsed, refused: KubeError, kept: dict[str, Any]) -> HttpResponse:
        verb = "patch" if self.editing else "create"
        audit.record(self.request, verb, f"{self.place.ref}{name_of(parsed.object)}", refused.reason)
        causes = causes_of(refused)
        if isinstance(refused, AlreadyExists):
            causes = (Cause("metadata.name", "FieldValueDuplicate", explain(refused).title),)
        placed = errors.place(causes, self.schema, parsed.object)
        typed: Typed = dataclasses.replace(parsed.typed, errors=errors.by_path(placed))
        problem = explain(refused)
        status = 422 if placed and problem.status == 400 else problem.status
        return self.show(parsed.object, status=status, placed=placed, typed=typed, problem=problem, **kept)

    def clashed(self, parsed: Parsed, clashing: Clashing) -> HttpResponse:
        """Both versions are shown; sending the form once more takes the typed one."""
        audit.record(self.request, "patch", self.place.ref, "Conflict")
        problem = Problem(
            409,
            _("Somebody else changed the same fields meanwhile"),
            _("Nothing was saved yet. Compare below, correct the form where theirs is right, and save again: then yours is taken."),
            "",
        )  # fmt: skip
        conflicts = tuple(
            Conflicting(draft.words(clash.path), _short(clash.mine), _short(clash.theirs)) for clash in clashing.clashes
        )
        kept: dict[str, Any] = {"original": form_page.carried(clashing.theirs), "dirty": True, "conflicts": conflicts}
        return self.show(clashing.merged, status=409, typed=parsed.typed, problem=problem, **kept)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 300 else f"{text[:299]}…"
