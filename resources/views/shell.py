"""The frame around the object editor, in either view: title, the link to the other view, the menu of starts; and the
decorator of its views that preserves the input where the cluster fails.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from console.web.errors import explain, preserved_response
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError
from resources import yamltext
from resources.place import Place
from resources.types import kind_versions
from resources.views import submission
from resources.writing import start
from resources.writing.start import Start

FORM, YAML = "form", "yaml"
COOKIE = "console_view"


@dataclass(frozen=True, slots=True)
class VersionChoice:
    """A version in which the object can be created; `deprecation`: '' where it is not deprecated."""

    name: str
    url: str
    deprecation: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """`starts` and `objects`: what a new object may begin with; `start`: what it began with; `asked`: what would
    replace what was typed.

    `managed_by`: who keeps the object as it is, and may write over what is saved here.
    """

    place: Place
    title: str
    step: str
    form_url: str
    yaml_url: str
    again_url: str
    again_yaml_url: str
    cancel_url: str
    editing: bool = False
    description: str = ""
    face: str = FORM
    starts: tuple[Start, ...] = ()
    objects: tuple[Start, ...] = ()
    start: str = ""
    begun: str = ""
    asked: str = ""
    secret: bool = False
    managed_by: str = ""
    note: str = ""
    versions: tuple[VersionChoice, ...] = ()

    @property
    def url(self) -> str:
        return self.form_url if self.face == FORM else self.yaml_url

    @property
    def empty(self) -> bool:
        return self.start in ("", start.EMPTY)

    def on(self, face: str) -> "Shell":
        return replace(self, face=face)


def version_choices(client: ClusterClient, place: Place, face: str) -> tuple[VersionChoice, ...]:
    """The served versions of a new object's kind, the one to use first; each leads to an empty draft in that
    version.
    """
    view = "new" if face == FORM else "new-yaml"
    query = {"view": face, **({"namespace": place.namespace} if place.namespace else {})}
    return tuple(
        VersionChoice(
            version.type.version,
            Place(version.type, place.namespace).kind_url(view, **query),
            version.deprecation,
            version.type.version == place.type.version,
        )
        for version in kind_versions.versions(client, place.type.group, place.type.plural)
    )


def around(place: Place, title: str, description: str, editing: bool) -> Shell:
    """`title`: what the kind is called."""
    query = {"namespace": place.namespace} if place.namespace else {}
    return Shell(
        place=place,
        title=place.name if editing else _("Create %(kind)s") % {"kind": title or place.type.kind},
        step=_("Edit") if editing else _("Create"),
        form_url=place.url("edit") if editing else place.kind_url("new", **query),
        yaml_url=place.url("yaml") if editing else place.kind_url("new-yaml", **query),
        again_url=place.kind_url("new", **query),
        again_yaml_url=place.kind_url("new-yaml", **query),
        cancel_url=place.url() if editing else place.kind_url(),
        editing=editing,
        description="" if editing else description,
        secret=place.type.kind == "Secret" and not place.type.group,
    )


View = Callable[..., HttpResponse]


def preserves_input(view: View) -> View:
    """A decorator: a KubeError that rises from a POST is answered with everything that was posted."""

    @wraps(view)
    def wrapper(request: ConsoleRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except KubeError as error:
            if request.method != "POST":
                raise
            return preserved_response(request, explain(error), _typed(request))

    return wrapper


def _typed(request: ConsoleRequest) -> str:
    """What was typed, as YAML, without asking the cluster anything."""
    if "text" in request.POST:
        return submission.yaml_of(request.POST)
    try:
        return yamltext.dump(submission.of_form(request.POST).obj)
    except (ValueError, RecursionError):
        return ""
