"""…/<object>/set/: one field changed on the object's page (resources/acting/settable.py), with what the API server
says of it at its control.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import explain
from console.web.request import ConsoleRequest, wants_fragment
from kube.errors import Invalid, KubeError, NotFound
from resources.acting import settable
from resources.acting.settable import SCALE, SettableField, Setting, Wrong
from resources.history import writes
from resources.place import Place, place_of
from resources.writing import examples


@dataclass(frozen=True, slots=True)
class Control:
    """`value`: what stands in it; `error`: what is wrong with that."""

    entry: SettableField
    value: str
    error: str = ""

    @property
    def on(self) -> bool:
        return self.value == "true"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingPart:
    """One row. `open`: its form is shown. `error`: what belongs to no control."""

    place: Place
    setting: Setting
    controls: tuple[Control, ...]
    open: bool = False
    error: str = ""
    saved: bool = False
    refusal: str = ""

    @property
    def id(self) -> str:
        return f"set-{''.join(letter if letter.isalnum() else '-' for letter in self.setting.key)}"


def part(place: Place, setting: Setting, *, refusal: str = "") -> SettingPart:
    controls = tuple(Control(entry, entry.value) for entry in setting.entries)
    return SettingPart(place=place, setting=setting, controls=controls, refusal=refusal)


@require_http_methods(["GET", "HEAD", "POST"])
def set_(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`key=`: which one; the controls have the names of their fields; `~was`: what the page showed."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    key = request.POST.get("key") or request.GET.get("key", "")
    setting = _find(request, place, key)
    if request.method != "POST":
        return _answer(request=request, place=place, setting=setting, typed={}, errors={}, status=200)
    typed, back = request.POST.dict(), ""
    verb = "scale" if key == SCALE else "set"
    if request.POST.get("~was", setting.was) != setting.was:
        words = _("Another user changed the value to “%(now)s”.") % {"now": setting.shown}
        return _answer(request=request, place=place, setting=setting, typed=typed, errors={"": words}, status=409)
    try:
        patch = settable.patch(setting, typed)
        if patch:
            before = writes.current_object(request.cluster, place)
            with audit.recorded(request, verb, place.ref):
                _send(request, place, setting, patch)
            back = writes.changed(request.cluster, verb, place, before)
    except Wrong as error:
        return _answer(request=request, place=place, setting=setting, typed=typed, errors=error.errors, status=422)
    except KubeError as error:
        status = 422 if isinstance(error, Invalid) else explain(error).status
        return _answer(
            request=request, place=place, setting=setting, typed=typed, errors=_said(setting, error), status=status
        )
    words = _("“%(label)s” of “%(name)s” saved.") % {"label": setting.label, "name": place.name}
    if wants_fragment(request):
        saved = replace(part(place, _find(request, place, key)), saved=True)
        context = {"item": saved, "toast": writes.with_undo(words, back) if patch else ""}
        return render.page(request, "resources/_setting.html", context)
    writes.add_message(request, words, back)
    return HttpResponseRedirect(place.url())


def _find(request: ConsoleRequest, place: Place, key: str) -> Setting:
    offer = examples.offer(request.cluster, place.type, place.namespace)
    all_ = settable.settings(request.cluster, place.type, place.get(request.cluster), offer)
    for setting in all_:
        if setting.key == key:
            return setting
    raise NotFound(_("“%(key)s” can't be set here.") % {"key": key})


def _send(request: ConsoleRequest, place: Place, setting: Setting, patch: dict[str, object]) -> None:
    subresource = "scale" if setting.key == SCALE else ""
    request.cluster.patch(place.type, place.name, patch, place.namespace, subresource=subresource)


def _said(setting: Setting, error: KubeError) -> dict[str, str]:
    """The API server's words at the control whose field they name, else above all."""
    found: dict[str, str] = {}
    for cause in error.causes:
        name = next((entry.name for entry in setting.entries if cause.field.endswith(entry.name)), "")
        found[name] = f"{found[name]}; {cause.message}" if name in found else cause.message
    return found or {"": str(error)}


def _answer(
    request: ConsoleRequest,
    place: Place,
    setting: Setting,
    typed: Mapping[str, str],
    errors: Mapping[str, str],
    status: int,
) -> HttpResponse:
    controls = tuple(_control(entry, typed, errors) for entry in setting.entries)
    setting_part = SettingPart(place=place, setting=setting, controls=controls, open=True, error=errors.get("", ""))
    names = {
        "item": setting_part,
        "place": place,
        "title": setting.label,
        "help": setting.help,
        "last": setting.label,
        "part": "resources/_setting_form.html",
    }
    return render.page(request, "resources/single.html", names, fragment="resources/_setting.html", status=status)


def _control(entry: SettableField, typed: Mapping[str, str], errors: Mapping[str, str]) -> Control:
    value = entry.value
    if typed:
        value = ("true" if entry.name in typed else "false") if entry.type == "boolean" else typed.get(entry.name, "")
    return Control(entry, value, errors.get(entry.name, ""))
