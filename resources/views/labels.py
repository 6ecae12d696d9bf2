"""…/<object>/labels/: an object's labels and annotations, edited as rows of a form.

Only changed keys are sent, so that others' keys stay as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django import forms
from django.core.validators import RegexValidator
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
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

_NAME = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
_KEY_WORDS = gettext_lazy(
    "A key is 1 to 63 letters, digits, “-”, “_” or “.”, and begins and ends with a letter or digit."
)


class PairForm(forms.Form):
    """One row. Empty rows are left out."""

    # What the API server takes:
    # https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
    key = forms.CharField(
        max_length=317,
        error_messages={"required": _KEY_WORDS},
        validators=[
            RegexValidator(rf"^(.*/)?{_NAME}$", _KEY_WORDS),
            RegexValidator(
                r"^((?=.{1,253}/[^/]*$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[^/]*$",
                gettext_lazy("The part before “/” must be a domain name: lowercase letters, digits, “-” and “.”."),
            ),
        ],
    )
    value = forms.CharField(required=False, strip=False)

    @property
    def is_empty(self) -> bool:
        return not any(text.strip() for text in self.data.values())

    def clean_value(self) -> str:
        return lines(self.cleaned_data["value"])


class LabelForm(PairForm):
    value = forms.CharField(
        required=False,
        validators=[
            RegexValidator(
                rf"^({_NAME})?$",
                gettext_lazy(
                    "A label's value is at most 63 letters, digits, “-”, “_” or “.”, and begins and ends with a letter"
                    " or digit."
                ),
            )
        ],
    )


#: Kinds of pairs, which are fields of the metadata.
FORMS = {"labels": LabelForm, "annotations": PairForm}


@dataclass(frozen=True, slots=True)
class Part:
    """`before`: what the page showed when it was made, key by key; what the user did not touch is never sent."""

    kind: str
    pairs: tuple[PairForm, ...]
    before: Mapping[str, str]

    @property
    def title(self) -> str:
        return _("Labels") if self.kind == "labels" else _("Annotations")

    @property
    def rows(self) -> tuple[PairForm, ...]:
        """With an empty one to fill in."""
        return (*self.pairs, FORMS[self.kind]())

    @property
    def patch(self) -> dict[str, str | None]:
        """A merge patch of the map: only what differs, None for what goes."""
        after = {pair.cleaned_data["key"]: pair.cleaned_data["value"] for pair in self.pairs}
        gone: dict[str, str | None] = dict.fromkeys(key for key in self.before if key not in after)
        return gone | {key: value for key, value in after.items() if self.before.get(key) != value}


@require_http_methods(["GET", "HEAD", "POST"])
def labels(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`<kind>-key`, `<kind>-value`: the rows; `<kind>-was-key`, `<kind>-was-value`: as they were when the page was
    made.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if request.method != "POST":
        return _page(request, place, [_stored(place.get(request.cluster), kind) for kind in FORMS])
    parts = [read_part(request.POST, kind) for kind in FORMS]
    if "more" in request.POST:
        return _page(request, place, parts)
    if not all(pair.is_valid() for part in parts for pair in part.pairs):
        return _page(request, place, parts, status=422)
    return _save(request, place, parts)


def _page(
    request: ConsoleRequest, place: Place, parts: list[Part], problem: Problem | None = None, status: int = 200
) -> HttpResponse:
    context = {"place": place, "parts": parts, "problem": problem}
    return render.page(request, "resources/labels.html", context, status=status)


def _save(request: ConsoleRequest, place: Place, parts: list[Part]) -> HttpResponse:
    patch = {part.kind: change for part in parts if (change := part.patch)}
    if patch:
        was_before = writes.current_object(request.cluster, place)
        try:
            with audit.recorded(request, "label", place.ref):
                after = request.cluster.patch(place.type, place.name, {"metadata": patch}, place.namespace)
        except KubeError as error:
            problem = explain(error)
            return _page(request, place, parts, problem, problem.status)
        words = {"kind": place.type.kind, "name": place.name}
        back = writes.wrote(request.cluster, "label", place, was_before, after) if was_before else ""
        writes.add_message(request, _("%(kind)s “%(name)s”: labels and annotations saved.") % words, back)
    return HttpResponseRedirect(place.url())


def _stored(obj: KubeObject, kind: str) -> Part:
    """As they are, by key, without the copies that programs keep."""
    metadata = read(obj, Object).metadata
    found = without_last_applied(metadata.labels if kind == "labels" else metadata.annotations)
    before = {key: lines(value) for key, value in sorted(found.items())}
    pairs = tuple(FORMS[kind](initial={"key": key, "value": value}) for key, value in before.items())
    return Part(kind, pairs, before)


def read_part(post: QueryDict, kind: str) -> Part:
    """The rows of the form, checked, without those that are empty."""
    typed = zip(post.getlist(f"{kind}-key"), post.getlist(f"{kind}-value"), strict=False)
    was = zip(post.getlist(f"{kind}-was-key"), post.getlist(f"{kind}-was-value"), strict=False)
    rows = [FORMS[kind]({"key": key, "value": value}) for key, value in typed]
    pairs = tuple(row for row in rows if not row.is_empty)
    seen: set[str] = set()
    for pair in pairs:
        if pair.is_valid():
            key = pair.cleaned_data["key"]
            if key in seen:
                pair.add_error("key", _("This key is a duplicate."))
            seen.add(key)
    return Part(kind, pairs, {key: lines(value) for key, value in was})


def lines(value: str) -> str:
    """A form sends its line ends as CR LF, whatever they were."""
    return value.replace("\r\n", "\n")
