"""…/<object>/labels/: an object's labels and annotations, edited as rows of a form.

Only changed keys are sent, so that others' keys stay as they are.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from kube.objects import KubeObject, without_last_applied
from kube.reader import read
from kube.types.meta import Object
from resources.history import writes
from resources.place import Place, place_of

KINDS = ("labels", "annotations")
# What the API server takes:
# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")


@dataclass(frozen=True, slots=True)
class Pair:
    """One row. `error`: what is wrong with it."""

    key: str = ""
    value: str = ""
    error: str = ""


_EMPTY = (Pair(),)


@dataclass(frozen=True, slots=True)
class Rows:
    """`before`: what the page showed when it was made, key by key; what the user did not touch is never sent."""

    kind: str
    title: str
    pairs: tuple[Pair, ...]
    before: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class LabelsPage:
    place: Place
    parts: tuple[Rows, ...]
    problem: Problem | None = None


@require_http_methods(["GET", "HEAD", "POST"])
def labels(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`<kind>-key`, `<kind>-value`: the rows; `<kind>-was-key`, `<kind>-was-value`: as they were when the page was
    made.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if request.method != "POST":
        obj = place.get(request.cluster)
        parts = tuple(Rows(kind, _title(kind), pairs(obj, kind) + _EMPTY, pairs(obj, kind)) for kind in KINDS)
        return render.page(request, "resources/labels.html", {"page": LabelsPage(place, parts)})
    return _save(request, place)


def _save(request: ConsoleRequest, place: Place) -> HttpResponse:
    post, parts = request.POST, []
    for kind in KINDS:
        typed = read_pairs(post.getlist(f"{kind}-key"), post.getlist(f"{kind}-value"), kind)
        was = post.getlist(f"{kind}-was-key"), post.getlist(f"{kind}-was-value")
        before = tuple(Pair(key, lines(value)) for key, value in zip(*was, strict=False))
        parts.append(Rows(kind, _title(kind), typed, before))
    if any(pair.error for part in parts for pair in part.pairs) or "more" in post:
        shown = tuple(Rows(part.kind, part.title, part.pairs + _EMPTY, part.before) for part in parts)
        status = 200 if "more" in post else 422
        return render.page(request, "resources/labels.html", {"page": LabelsPage(place, shown)}, status=status)
    patch = {part.kind: change for part in parts if (change := changed_pairs(part.before, part.pairs))}
    if patch:
        was_before = writes.current_object(request.cluster, place)
        try:
            with audit.recorded(request, "label", place.ref):
                after = request.cluster.patch(place.type, place.name, {"metadata": patch}, place.namespace)
        except KubeError as error:
            problem = explain(error)
            page = LabelsPage(place, tuple(parts), problem)
            return render.page(request, "resources/labels.html", {"page": page}, status=problem.status)
        words = {"kind": place.type.kind, "name": place.name}
        back = writes.wrote(request.cluster, "label", place, was_before, after) if was_before else ""
        writes.add_message(request, _("%(kind)s “%(name)s”: labels and annotations saved.") % words, back)
    return HttpResponseRedirect(place.url())


def _title(kind: str) -> str:
    return _("Labels") if kind == "labels" else _("Annotations")


def pairs(obj: KubeObject, kind: str) -> tuple[Pair, ...]:
    """As they are, by key, without the copies that programs keep."""
    metadata = read(obj, Object).metadata
    found = without_last_applied(metadata.labels if kind == "labels" else metadata.annotations)
    return tuple(Pair(key, lines(value)) for key, value in sorted(found.items()))


def read_pairs(keys: Sequence[str], values: Sequence[str], kind: str) -> tuple[Pair, ...]:
    """The rows of the form, each with its error; rows without key and value are left out."""
    found: list[Pair] = []
    seen: set[str] = set()
    for key, value in zip(keys, values, strict=False):
        pair = Pair(key.strip(), lines(value) if kind == "annotations" else value.strip())
        if not pair.key and not pair.value:
            continue
        found.append(
            replace(pair, error=_wrong(pair, kind) or (_("This key is a duplicate.") if pair.key in seen else ""))
        )
        seen.add(pair.key)
    return tuple(found)


def _wrong(pair: Pair, kind: str) -> str:
    prefix, slash, name = pair.key.rpartition("/")
    if not _NAME.fullmatch(name):
        return _("A key is 1 to 63 letters, digits, “-”, “_” or “.”, and begins and ends with a letter or digit.")
    if slash and not (len(prefix) <= 253 and _PREFIX.fullmatch(prefix)):
        return _("The part before “/” must be a domain name: lowercase letters, digits, “-” and “.”.")
    if kind == "labels" and not _VALUE.fullmatch(pair.value):
        return _(
            "A label's value is at most 63 letters, digits, “-”, “_” or “.”, and begins and ends with a letter or"
            " digit."
        )
    return ""


def lines(value: str) -> str:
    """A form sends its line ends as CR LF, whatever they were."""
    return value.replace("\r\n", "\n")


def changed_pairs(before: Iterable[Pair], after: Iterable[Pair]) -> dict[str, str | None]:
    """A merge patch of the map: only what differs, None for what goes."""
    old, new = ({pair.key: pair.value for pair in side} for side in (before, after))
    gone: dict[str, str | None] = dict.fromkeys(key for key in old if key not in new)
    return gone | {key: value for key, value in new.items() if old.get(key) != value}
