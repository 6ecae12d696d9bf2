"""The keys and values of a Secret or ConfigMap: a new object made of them, and one value shown.

/resources/core/v1/secrets/new-values/ and …/configmaps/new-values/: a new object of keys and values; a Secret also as a
login, a certificate or a key.
…/<object>/value/: one value. A Secret's needs a POST, is shown for a minute or sent as a file, and is written to the
audit log.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest, wants_fragment
from kube.errors import BadRequest, KubeError, NotFound
from kube.reader import read
from kube.types.core import ConfigMap
from resources.kinds.configs import DATA, decoded
from resources.place import Place, place_of
from resources.views.bindings import name_error
from resources.writing import keyvalues
from resources.writing.keyvalues import KeyValueForm, Sort


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
        initial = {"namespace": place.namespace, "name": request.GET.get("name", "")[:253]}
        return _values_page(request, place, KeyValueForm(_sort(place, request.GET.get("sort", "")), initial=initial))
    post = request.POST
    form = KeyValueForm(_sort(place, post.get("sort", "")), post, request.FILES)
    turn = post.get("turn", "")
    if "more" in post or post.get("less") or turn:
        sort = _sort(place, turn) if turn else form.sort
        return _values_page(request, place, KeyValueForm(sort, initial=form.typed, rows=form.typed_rows))
    return _create(request, place, form) if form.is_valid() else _values_page(request, place, form)


def _sort(place: Place, name: str) -> Sort:
    """Of a Secret; a ConfigMap has keys and values alone."""
    return keyvalues.sort_of(name if place.type.kind == "Secret" else "")


def _create(request: ConsoleRequest, place: Place, form: KeyValueForm) -> HttpResponse:
    obj = keyvalues.build(place.type.kind, form)
    made = Place(place.type, form.cleaned_data["namespace"], form.cleaned_data["name"])
    try:
        with audit.recorded(request, "create", made.ref):
            request.cluster.create(place.type, obj, made.namespace)
    except KubeError as error:
        if words := name_error(error):
            form.add_error("name", words)
        elif isinstance(error, NotFound):
            form.add_error("namespace", _("This namespace doesn't exist."))
        return _values_page(request, place, form, None if form.errors else explain(error))
    names = {"kind": place.type.kind, "name": made.name}
    messages.success(request, _("%(kind)s “%(name)s” created.") % names)
    return HttpResponseRedirect(made.url())


def _values_page(
    request: ConsoleRequest, place: Place, form: KeyValueForm, problem: Problem | None = None
) -> HttpResponse:
    sorts = keyvalues.SORTS if place.type.kind == "Secret" else ()
    context = {"place": place, "form": form, "sorts": sorts, "problem": problem}
    status = problem.status if problem else 422 if form.is_bound and not form.is_valid() else 200
    answer = render.page(request, "resources/values_new.html", context, status=status)
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
        "part": DATA,
        "only": render.only("key"),
    }
    if wants_fragment(request):
        return render.page(request, DATA, names, block="key")
    return render.page(request, "resources/single.html", names)
