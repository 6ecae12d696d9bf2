"""/…/value/: one value of a ConfigMap or a Secret.

A Secret's is asked for by POST, shown for a minute or given as a file, and written to the audit log.
"""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.request import ConsoleRequest, wants_fragment
from kube.errors import BadRequest, KubeError, NotFound
from resources.kinds.configs import decoded
from resources.place import Place, place_of
from resources.state.health import mapping, text


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
def value(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
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
        data = _value(place, place.get(request.cluster), key)
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
    return _answer(request, page)


def _value(place: Place, obj: dict[str, Any], key: str) -> bytes:
    data = mapping(obj.get("data"))
    if key in data:
        return decoded(data[key]) if place.type.kind == "Secret" else text(data[key]).encode("utf-8", "surrogatepass")
    binary = mapping(obj.get("binaryData"))
    if key in binary:
        return decoded(binary[key])
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


def _answer(request: ConsoleRequest, page: ValuePage) -> HttpResponse:
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
