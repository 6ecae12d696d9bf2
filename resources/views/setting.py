"""…/<object>/set/: one field changed on the object's own page, with the API server's errors at its control.

The fields that can be changed are those that the operator's specDescriptors pick out, and the number of replicas. Only
that field is sent, as a merge patch; the API server judges it. Larger changes are made in the form.
https://github.com/openshift/console/blob/main/frontend/packages/operator-lifecycle-manager/src/components/descriptors/reference/reference.md
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import explain
from console.web.request import ConsoleRequest, wants_fragment
from kube import answers
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Invalid, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of
from kube.reader import read
from kube.types.extensions import JSONSchemaProps
from kube.types.workloads import Scale
from resources.forms import shapes
from resources.forms.descriptors import Descriptor
from resources.forms.widgets import is_sensitive
from resources.history import writes
from resources.page.detail import Link
from resources.page.values import link_to, scalar
from resources.place import Place, place_of
from resources.writing import examples
from resources.writing.examples import Offer

SCALE = "~scale"
_RESOURCES = tuple((side, what) for side in ("limits", "requests") for what in ("cpu", "memory"))
_SECRET = {"password"}
_NOT_A_NUMBER = gettext_lazy("“%(value)s” isn't a number.")
_VALIDATORS = {
    "integer": RegexValidator(r"^[+-]?[0-9]+$", _NOT_A_NUMBER),
    "number": RegexValidator(r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$", _NOT_A_NUMBER),
}


class ScalarField(forms.CharField):
    """A text as the object has it, a number where its type is one; None where it is empty. `type`: as of
    SettableField.
    """

    def __init__(self, type_: str, value: str) -> None:
        validators = [_VALIDATORS[type_]] if type_ in _VALIDATORS else []
        super().__init__(required=False, initial=value, validators=validators)
        self.type = type_

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return _read(self.type, text) if text else None
        except ValueError:
            # Of thousands of digits, or beyond a float: JSON has no infinity.
            raise ValidationError(_NOT_A_NUMBER, params={"value": text}) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettableField:
    """One control. `path`: below the object; `type`: integer, number, string, boolean or int-or-string."""

    path: tuple[str, ...]
    label: str
    type: str
    value: str
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """In the form."""
        return ".".join(self.path)

    @property
    def form_field(self) -> forms.Field:
        """The API server checks its value, but for numbers, which are sent as such."""
        if self.type == "boolean":
            return forms.BooleanField(required=False, initial=self.value == "true")
        return ScalarField(self.type, self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """`key`: its path with dots, or SCALE. `shown`: what it is now, in words. `link`: to the object that it names."""

    key: str
    label: str
    help: str
    shown: str
    entries: tuple[SettableField, ...]
    link: Link | None = None

    @property
    def is_set(self) -> bool:
        return self.key == SCALE or any(entry.value for entry in self.entries)

    @property
    def where(self) -> str:
        """Its path, as `kubectl explain` takes it."""
        return self.entries[0].name if self.key == SCALE else self.key

    @property
    def group(self) -> str:
        """The labels of what it stands in, "Server › Ingress"; '' for fields of the spec itself."""
        return " › ".join(shapes.field_title(step) for step in self.where.split(".")[1:-1])

    @property
    def was(self) -> str:
        """What the page showed, so that a change made meanwhile isn't overwritten."""
        return json.dumps([entry.value for entry in self.entries])


class SettingForm(forms.Form):
    """The controls have the names of their fields."""

    def __init__(self, setting: Setting, data: QueryDict | dict[str, str] | None = None) -> None:
        super().__init__(data)
        self.setting = setting
        self.fields = {entry.name: entry.form_field for entry in setting.entries}

    @property
    def controls(self) -> list[tuple[SettableField, forms.BoundField]]:
        return [(entry, self[entry.name]) for entry in self.setting.entries]

    @property
    def patch(self) -> dict[str, Any]:
        """What is sent: only controls that were changed; an emptied one removes its field."""
        found: dict[str, Any] = {}
        for entry in self.setting.entries:
            if entry.name in self.changed_data:
                _put(found, entry.path, self.cleaned_data[entry.name])
        return found


def settings(client: ClusterClient, type_: ResourceType, obj: KubeObject, offer: Offer) -> tuple[Setting, ...]:
    """In the order of the operator's descriptors, those of one parent together; the replicas first where no descriptor
    has them.
    """
    found = list(_described(client, type_, obj, offer))
    groups = list(dict.fromkeys(("", *(setting.group for setting in found))))
    found.sort(key=lambda setting: groups.index(setting.group))
    if "scale" in type_.subresources and not any(
        len(setting.entries) == 1 and setting.entries[0].path[-1] == "replicas" for setting in found
    ):
        found[:0] = _scale(client, type_, obj)
    return tuple(found)


def _scale(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterator[Setting]:
    try:
        path = type_.path(namespace_of(obj), name_of(obj), "scale")
        scale = read(answers.document(client.raw("GET", path)), Scale)
    except KubeError:
        return
    wanted, there = str(scale.spec.replicas), str(scale.status.replicas)
    entry = SettableField(path=("spec", "replicas"), label=_("Replicas"), type="integer", value=wanted)
    shown = _("%(wanted)s desired, %(there)s current") % {"wanted": wanted, "there": there}
    yield Setting(key=SCALE, label=_("Replicas"), help="", shown=shown, entries=(entry,))


def _described(client: ClusterClient, type_: ResourceType, obj: KubeObject, offer: Offer) -> Iterator[Setting]:
    by_path = offer.descriptors.by_path
    if not by_path:
        return
    try:
        schema = read(client.schema(type_), JSONSchemaProps)
    except KubeError:
        return
    for path, descriptor in sorted(by_path.items(), key=lambda pair: pair[1].order):
        if descriptor.hidden or descriptor.widgets & _SECRET:
            continue
        node, value = _schema_at(schema, path), _value_at(obj, path)
        if node is None or isinstance(value, list) or is_sensitive(path, node.description):
            continue
        entries = tuple(_entries(path, descriptor, node, value))
        if entries:
            label = descriptor.display_name or path[-1]
            named = value if isinstance(value, str) else ""
            kind = descriptor.kubernetes.partition("?")[0]
            yield Setting(
                key=".".join(path),
                label=label,
                help=descriptor.description,
                shown=_words(entries, value),
                entries=entries,
                link=link_to(client, kind, named, namespace_of(obj)) if kind and named else None,
            )


def _schema_at(schema: JSONSchemaProps, path: tuple[str, ...]) -> JSONSchemaProps | None:
    """None below lists and maps: which item is meant no descriptor says."""
    for step in path:
        if not schema.properties.get(step):
            return None
        schema = read(schema.properties[step], JSONSchemaProps)
    return schema


def _value_at(value: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _entries(
    path: tuple[str, ...], descriptor: Descriptor, node: JSONSchemaProps, value: Any
) -> Iterator[SettableField]:
    widgets = descriptor.widgets
    if "resourceRequirements" in widgets:
        for side, what in _RESOURCES:
            label = {"limits": _("%(what)s limit"), "requests": _("%(what)s request")}[side] % {"what": what}
            yield SettableField(
                path=(*path, side, what),
                label=label,
                type="int-or-string",
                value=_plain(_value_at(value, (side, what))),
            )
    elif "updateStrategy" in widgets:
        kinds = _options(read(node.properties.get("type"), JSONSchemaProps)) or ("RollingUpdate", "Recreate")
        yield SettableField(
            path=(*path, "type"),
            label=_("type"),
            type="string",
            value=_plain(_value_at(value, ("type",))),
            options=kinds,
        )
        rolling = read(node.properties.get("rollingUpdate"), JSONSchemaProps)
        for name in ("maxUnavailable", "maxSurge"):
            if rolling.properties.get(name):
                now = _value_at(value, ("rollingUpdate", name))
                yield SettableField(
                    path=(*path, "rollingUpdate", name), label=name, type="int-or-string", value=_plain(now)
                )
    elif node.type in ("integer", "number", "string", "boolean"):
        policy = ("Always", "IfNotPresent", "Never") if "imagePullPolicy" in widgets else ()
        yield SettableField(
            path=path,
            label=descriptor.display_name or path[-1],
            type=node.type,
            value=_plain(value),
            options=descriptor.options or policy or _options(node),
        )


def _options(node: JSONSchemaProps) -> tuple[str, ...]:
    return tuple(scalar(item) for item in node.enum)


def _plain(value: Any) -> str:
    """'' for what is not there."""
    return "" if value is None or isinstance(value, Mapping | list) else scalar(value)


def _words(entries: tuple[SettableField, ...], value: Any) -> str:
    if len(entries) == 1 and not isinstance(value, Mapping):
        return (
            {"true": _("Yes"), "false": _("No")}.get(entries[0].value, entries[0].value)
            if entries[0].type == "boolean"
            else entries[0].value
        )
    return ", ".join(f"{entry.label} {entry.value}" for entry in entries if entry.value)


def _read(type_: str, text: str) -> int | float | str:
    """Raises ValueError."""
    if type_ == "number":
        number = float(text)
        if math.isinf(number):
            raise ValueError(text)
        return number
    if type_ == "integer" or (type_ == "int-or-string" and text.isascii() and text.isdigit()):
        return int(text)
    return text


def _put(into: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for step in path[:-1]:
        into = into.setdefault(step, {})
    into[path[-1]] = value


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingPart:
    """One row. `open`: its form is shown."""

    place: Place
    form: SettingForm
    open: bool = False
    saved: bool = False
    refusal: str = ""

    @property
    def setting(self) -> Setting:
        return self.form.setting

    @property
    def id(self) -> str:
        return f"set-{''.join(letter if letter.isalnum() else '-' for letter in self.setting.key)}"


def setting_part(place: Place, setting: Setting, *, refusal: str = "") -> SettingPart:
    return SettingPart(place=place, form=SettingForm(setting), refusal=refusal)


@require_http_methods(["GET", "HEAD", "POST"])
def set_(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`key=`: which one; the controls have the names of their fields; `~was`: what the page showed."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    key = request.POST.get("key") or request.GET.get("key", "")
    setting = _find(request, place, key)
    if request.method != "POST":
        return _answer(request, place, SettingForm(setting), status=200)
    form, back = SettingForm(setting, request.POST), ""
    verb = "scale" if key == SCALE else "set"
    if request.POST.get("~was", setting.was) != setting.was:
        form.add_error(None, _("Another user changed the value to “%(now)s”.") % {"now": setting.shown})
        return _answer(request, place, form, status=409)
    if not form.is_valid():
        return _answer(request, place, form, status=422)
    patch = form.patch
    try:
        if patch:
            before = writes.current_object(request.cluster, place)
            with audit.recorded(request, verb, place.ref):
                _send(request, place, setting, patch)
            back = writes.changed(request.cluster, verb, place, before)
    except KubeError as error:
        _add_refusal(form, error)
        return _answer(request, place, form, status=422 if isinstance(error, Invalid) else explain(error).status)
    words = _("“%(label)s” of “%(name)s” saved.") % {"label": setting.label, "name": place.name}
    if wants_fragment(request):
        saved = replace(setting_part(place, _find(request, place, key)), saved=True)
        context = {"item": saved, "toast": writes.with_undo(words, back) if patch else ""}
        return render.page(request, "resources/_setting.html", context)
    writes.add_message(request, words, back)
    return HttpResponseRedirect(place.url())


def _find(request: ConsoleRequest, place: Place, key: str) -> Setting:
    offer = examples.offer(request.cluster, place.type, place.namespace)
    all_ = settings(request.cluster, place.type, place.get(request.cluster), offer)
    for setting in all_:
        if setting.key == key:
            return setting
    raise NotFound(_("“%(key)s” can't be set here.") % {"key": key})


def _send(request: ConsoleRequest, place: Place, setting: Setting, patch: dict[str, object]) -> None:
    subresource = "scale" if setting.key == SCALE else ""
    request.cluster.patch(place.type, place.name, patch, place.namespace, subresource=subresource)


def _add_refusal(form: SettingForm, error: KubeError) -> None:
    """The API server's words at the control whose field they name, else above all."""
    for cause in error.causes:
        form.add_error(next((name for name in form.fields if cause.field.endswith(name)), None), cause.message)
    if not error.causes:
        form.add_error(None, str(error))


def _answer(request: ConsoleRequest, place: Place, form: SettingForm, status: int) -> HttpResponse:
    setting = form.setting
    names = {
        "item": SettingPart(place=place, form=form, open=True),
        "place": place,
        "title": setting.label,
        "help": setting.help,
        "last": setting.label,
        "part": "resources/_setting_form.html",
    }
    return render.page(request, "resources/single.html", names, fragment="resources/_setting.html", status=status)
