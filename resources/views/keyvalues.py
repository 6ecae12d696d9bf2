"""The keys and values of a Secret or ConfigMap: a new object made of them, and one value shown.

/resources/core/v1/secrets/new-values/ and …/configmaps/new-values/: a new object of keys and values; a Secret also as a
login, a certificate or a key.
…/<object>/value/: one value. A Secret's needs a POST, is shown for a minute or sent as a file, and is written to the
audit log.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest, wants_fragment
from kube.errors import AlreadyExists, BadRequest, Invalid, KubeError, NotFound
from kube.reader import read
from kube.types.core import ConfigMap
from resources.kinds.configs import decoded
from resources.place import Place, place_of
from resources.writing import keyvalues
from resources.writing.keyvalues import SORTS, KeyValueInput, KeyValueRow, SecretField, Sort, Value

_ROWS = 200


@dataclass(frozen=True, slots=True)
class Control:
    """One thing that is asked for, with what stands in it."""

    asked: SecretField
    value: Value
    error: str


@dataclass(frozen=True, slots=True)
class ValueLine:
    """A row of a key and its value."""

    number: int
    row: KeyValueRow
    error: str

    @property
    def value_name(self) -> str:
        return f"value-{self.number}"


@dataclass(frozen=True, slots=True)
class ValuesPage:
    place: Place
    typed: KeyValueInput
    errors: Mapping[str, str]
    problem: Problem | None = None

    @property
    def sorts(self) -> tuple[Sort, ...]:
        return SORTS if self.place.type.kind == "Secret" else ()

    @property
    def controls(self) -> tuple[Control, ...]:
        values, errors = self.typed.values, self.errors
        return tuple(
            Control(asked, values.get(asked.name, Value()), errors.get(asked.name, ""))
            for asked in self.typed.sort.asked
        )

    @property
    def lines(self) -> tuple[ValueLine, ...]:
        return tuple(
            ValueLine(number, row, self.errors.get(f"key-{number}", "")) for number, row in enumerate(self.typed.rows)
        )

    @property
    def name_error(self) -> str:
        return self.errors.get("name", "")

    @property
    def namespace_error(self) -> str:
        return self.errors.get("namespace", "")

    @property
    def whole_error(self) -> str:
        return self.errors.get("", "")


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`?sort=`, `?namespace=` and `?name=`; a POST creates it, adds a row (`more`), takes one away (`less`), or turns
    to another sort (`turn`).
    """
    place = place_of(request, group, version, plural, request.GET.get("namespace") or request.namespace or "-")
    if place.type.group or place.type.kind not in ("Secret", "ConfigMap"):
        raise NotFound(
            _("You can edit keys and values only in Secrets and ConfigMaps. Edit %(kind)s as a form or as YAML.")
            % {"kind": place.type.kind}
        )
    if request.method != "POST":
        sort = keyvalues.sort_of(request.GET.get("sort", "") if place.type.kind == "Secret" else "")
        return _values_page(
            request,
            ValuesPage(
                place, KeyValueInput(sort=sort, namespace=place.namespace, name=request.GET.get("name", "")[:253]), {}
            ),
        )
    typed = _typed(request, place.type.kind)
    post = request.POST
    if "more" in post:
        return _values_page(request, ValuesPage(place, replace(typed, rows=(*typed.rows, KeyValueRow())[:_ROWS]), {}))
    if less := post.get("less", ""):
        rows = tuple(row for number, row in enumerate(typed.rows) if str(number) != less)
        return _values_page(request, ValuesPage(place, replace(typed, rows=rows or (KeyValueRow(),)), {}))
    if turn := post.get("turn", ""):
        return _values_page(request, ValuesPage(place, replace(typed, sort=keyvalues.sort_of(turn)), {}))
    if errors := keyvalues.problems(typed):
        return _values_page(request, ValuesPage(place, typed, errors))
    return _create(request, place, typed)


def _create(request: ConsoleRequest, place: Place, typed: KeyValueInput) -> HttpResponse:
    made = Place(place.type, typed.namespace, typed.name)
    try:
        with audit.recorded(request, "create", made.ref):
            request.cluster.create(place.type, keyvalues.build(place.type.kind, typed), typed.namespace)
    except KubeError as error:
        return _values_page(request, _refused(place, typed, error))
    names = {"kind": place.type.kind, "name": typed.name}
    messages.success(request, _("%(kind)s “%(name)s” created.") % names)
    return HttpResponseRedirect(made.url())


def _refused(place: Place, typed: KeyValueInput, error: KubeError) -> ValuesPage:
    errors: dict[str, str] = {}
    if isinstance(error, AlreadyExists):
        errors["name"] = explain(error).title
    elif isinstance(error, Invalid):
        of_name = [cause.message for cause in error.causes if cause.field == "metadata.name"]
        errors = {"name": "; ".join(of_name)} if of_name else {}
    elif isinstance(error, NotFound):
        errors["namespace"] = _("This namespace doesn't exist.")
    return ValuesPage(place, typed, errors, None if errors else explain(error))


def _typed(request: ConsoleRequest, kind: str) -> KeyValueInput:
    """Whatever was sent, as it is: a file that was chosen before comes back as the text of a hidden control."""
    post = request.POST
    sort = keyvalues.sort_of(post.get("sort", "") if kind == "Secret" else "")
    count = min(_ROWS, int(post["rows"]) if post.get("rows", "").isdecimal() and len(post["rows"]) < 6 else 1)
    rows = tuple(
        KeyValueRow(post.get(f"key-{number}", "").strip(), _posted_value(request, f"value-{number}"))
        for number in range(count)
    )
    asked = {control.name for each in SORTS for control in each.asked}
    values = {name: value for name in sorted(asked) if (value := _posted_value(request, f"field-{name}")).given}
    return KeyValueInput(
        sort=sort,
        namespace=post.get("namespace", "").strip(),
        name=post.get("name", "").strip(),
        rows=rows or (KeyValueRow(),),
        values=values,
        immutable=post.get("immutable") == "on",
    )


def _posted_value(request: ConsoleRequest, name: str) -> Value:
    post = request.POST
    typed = post.get(name, "")
    if chosen := request.FILES.get(f"{name}-file"):
        return Value(typed, base64.b64encode(chosen.read()).decode("ascii"), str(chosen.name or "?")[:253])
    if post.get(f"{name}-drop") == "on":
        return Value(typed)
    return Value(typed, post.get(f"{name}-kept", ""), post.get(f"{name}-kept-name", "")[:253])


def _values_page(request: ConsoleRequest, page: ValuesPage) -> HttpResponse:
    status = page.problem.status if page.problem else 422 if page.errors else 200
    answer = render.page(request, "resources/values_new.html", {"page": page}, status=status)
    # What was typed may be a secret.
    answer.headers["Cache-Control"] = "no-store"
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePage:
    """`number`: of the key's row on the page that asked.

    `value`: None for bytes that aren't text, and while it is hidden.
    """

    place: Place
    key: str
    size: int
    number: int
    revealed: bool
    value: str | None = None


@require_http_methods(["GET", "HEAD", "POST"])
def reveal(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """GET: a ConfigMap's value as a file, or a Secret's row with its value hidden again."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if place.type.group or place.type.kind not in ("Secret", "ConfigMap"):
        raise NotFound(
            _("Only Secrets and ConfigMaps have values to show; %(kind)s has none.") % {"kind": place.type.kind}
        )
    asked = request.POST if request.method == "POST" else request.GET
    key, number = asked.get("key", ""), asked.get("number", "")
    secret = place.type.kind == "Secret"
    reveals = secret and request.method == "POST"
    try:
        data = _value_bytes(place, place.get(request.cluster), key)
    except KubeError as error:
        if reveals:
            # Only names of existing keys go into the log, not what was typed into an address.
            audit.record(request, "reveal", place.ref, error.reason)
        raise
    if reveals:
        audit.record(request, "reveal", f"{place.ref} key={key}", "ok")
    if (not secret) or (reveals and asked.get("as") == "file"):
        return render.as_file(HttpResponse(data, content_type="application/octet-stream"), key)
    shown = _readable(data) if reveals else None
    row = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 1
    page = ValuePage(place=place, key=key, size=len(data), number=row, revealed=reveals, value=shown)
    return _value_page(request, page)


def _value_bytes(place: Place, obj: dict[str, Any], key: str) -> bytes:
    values = read(obj, ConfigMap)
    if key in values.data:
        value = values.data[key]
        return decoded(value) if place.type.kind == "Secret" else value.encode("utf-8", "surrogatepass")
    if key in values.binary_data:
        return decoded(values.binary_data[key])
    if not key:
        raise BadRequest(_("The key is missing. Reload the page."))
    raise NotFound(
        _("“%(name)s” has no key “%(key)s”. It may have been removed.") % {"name": place.name, "key": key[:253]}
    )


def _readable(data: bytes) -> str | None:
    try:
        words = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\x00" in words else words


def _value_page(request: ConsoleRequest, page: ValuePage) -> HttpResponse:
    names = {
        "page": page,
        "key": page.key,
        "size": page.size,
        "number": page.number,
        "url": page.place.url("value"),
        "revealed": page.revealed,
        "value": page.value,
        "back": "" if wants_fragment(request) else page.place.url(),
        "place": page.place,
        "title": _("%(key)s of %(name)s") % {"key": page.key, "name": page.place.name},
        "last": page.key,
        "part": "resources/kinds/_secret_key.html",
    }
    return render.page(request, "resources/single.html", names, fragment="resources/kinds/_secret_key.html")
