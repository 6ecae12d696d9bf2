"""/resources/core/v1/secrets/new-values/ and …/configmaps/new-values/: one made of keys and values, a login, a
certificate or a key.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import AlreadyExists, Invalid, KubeError, NotFound
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
        return _page(
            request,
            ValuesPage(
                place, KeyValueInput(sort=sort, namespace=place.namespace, name=request.GET.get("name", "")[:253]), {}
            ),
        )
    typed = _typed(request, place.type.kind)
    post = request.POST
    if "more" in post:
        return _page(request, ValuesPage(place, replace(typed, rows=(*typed.rows, KeyValueRow())[:_ROWS]), {}))
    if less := post.get("less", ""):
        rows = tuple(row for number, row in enumerate(typed.rows) if str(number) != less)
        return _page(request, ValuesPage(place, replace(typed, rows=rows or (KeyValueRow(),)), {}))
    if turn := post.get("turn", ""):
        return _page(request, ValuesPage(place, replace(typed, sort=keyvalues.sort_of(turn)), {}))
    if errors := keyvalues.problems(typed):
        return _page(request, ValuesPage(place, typed, errors))
    return _create(request, place, typed)


def _create(request: ConsoleRequest, place: Place, typed: KeyValueInput) -> HttpResponse:
    made = Place(place.type, typed.namespace, typed.name)
    try:
        with audit.recorded(request, "create", made.ref):
            request.cluster.create(place.type, keyvalues.build(place.type.kind, typed), typed.namespace)
    except KubeError as error:
        return _page(request, _refused(place, typed, error))
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
        KeyValueRow(post.get(f"key-{number}", "").strip(), _value(request, f"value-{number}"))
        for number in range(count)
    )
    asked = {control.name for each in SORTS for control in each.asked}
    values = {name: value for name in sorted(asked) if (value := _value(request, f"field-{name}")).given}
    return KeyValueInput(
        sort=sort,
        namespace=post.get("namespace", "").strip(),
        name=post.get("name", "").strip(),
        rows=rows or (KeyValueRow(),),
        values=values,
        immutable=post.get("immutable") == "on",
    )


def _value(request: ConsoleRequest, name: str) -> Value:
    post = request.POST
    text = post.get(name, "")
    if chosen := request.FILES.get(f"{name}-file"):
        return Value(text, base64.b64encode(chosen.read()).decode("ascii"), str(chosen.name or "?")[:253])
    if post.get(f"{name}-drop") == "on":
        return Value(text)
    return Value(text, post.get(f"{name}-kept", ""), post.get(f"{name}-kept-name", "")[:253])


def _page(request: ConsoleRequest, page: ValuesPage) -> HttpResponse:
    status = page.problem.status if page.problem else 422 if page.errors else 200
    answer = render.page(request, "resources/values_new.html", {"page": page}, status=status)
    # What was typed may be a secret.
    answer.headers["Cache-Control"] = "no-store"
    return answer
