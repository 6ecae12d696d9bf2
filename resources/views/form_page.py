"""What the form's templates are given, put together from the cluster's answers."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from console.web.errors import Problem
from console.web.frame import PICKER_LIMIT, known_namespaces
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject
from resources.examples import Example, Offer
from resources.forms import errors
from resources.forms.build import Builder
from resources.forms.fields import Field, Options, Typed
from resources.forms.parse import Problem as Unread
from resources.forms.schema import Schema
from resources.place import Place


@dataclass(frozen=True, slots=True)
class Message:
    """A line of the summary. `id` of the element that it links to, '' where the page has none; `where` in the API's words."""

    message: str
    where: str = ""
    label: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Conflicting:
    where: str
    mine: str
    theirs: str


@dataclass(frozen=True, slots=True)
class FormPage:
    """`base` and `original` are JSON: what the controls lie over, and what an existing object was when its form was opened."""

    place: Place
    title: str
    step: str
    fields: tuple[Field, ...]
    metadata: tuple[Field, ...]
    base: str
    yaml_url: str
    section_url: str
    cancel_url: str
    namespace: str = ""
    description: str = ""
    original: str = ""
    editing: bool = False
    dirty: bool = False
    examples: tuple[Example, ...] = ()
    example: str = ""
    problem: Problem | None = None
    errors: tuple[Message, ...] = ()
    conflicts: tuple[Conflicting, ...] = ()


def carried(obj: Any) -> str:
    """As a hidden control holds it: ASCII, so that nothing of it can be changed on the way."""
    return json.dumps(obj, ensure_ascii=True, separators=(",", ":"))


def received(text: str) -> KubeObject:
    """Raises ValueError when it is not what `carried` made."""
    obj = json.loads(text)
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata", {}), dict):
        raise ValueError("not an object")
    return obj


def namespaces(client: ClusterClient) -> tuple[str, ...]:
    """To choose from; none when they can't be listed or are too many for a menu."""
    try:
        names = known_namespaces(client)
    except KubeError:
        return ()
    return names if len(names) <= PICKER_LIMIT else ()


def make(
    place: Place,
    schema: Schema,
    obj: KubeObject,
    *,
    offer: Offer,
    choice: tuple[str, ...] = (),
    typed: Typed | None = None,
    **more: Any,
) -> FormPage:
    """The page for `obj` as it is now; `choice` of namespaces; `more` are further fields of FormPage."""
    editing = bool(more.get("editing"))
    builder = Builder(schema, Options(offer.descriptors, typed or Typed(), editing=editing))
    namespace = str((obj.get("metadata") or {}).get("namespace") or "")
    query = {"namespace": namespace} if namespace else {}
    kind = offer.title or place.type.kind
    return FormPage(
        place=place,
        title=place.name if editing else _("Create %(kind)s") % {"kind": kind},
        step=_("Edit") if editing else _("Create"),
        metadata=_in_words(builder.metadata(obj, place.type.namespaced, choice)),
        fields=builder.top(obj),
        base=carried(obj),
        namespace=namespace,
        yaml_url=place.url("yaml") if editing else place.kind_url("new-yaml", **query),
        section_url=place.kind_url("section", **query),
        cancel_url=place.url() if editing else place.kind_url(),
        description="" if editing else offer.description,
        **more,
    )


def unread_words(unread: Unread) -> str:
    """What is wrong with a control's text."""
    words = {
        "integer": _("This must be a whole number."),
        "number": _("This must be a number."),
        "boolean": _("This must be yes or no."),
        "json": _("This is no valid JSON: %(detail)s"),
        "yaml": _("This is no valid YAML: %(detail)s"),
        "key": _("The key “%(detail)s” stands here twice."),
    }
    return words[unread.code] % {"detail": unread.detail}


def messages(placed: Iterable[errors.Placed], page: FormPage) -> tuple[Message, ...]:
    """The summary of what is wrong, with links to what is on the page."""
    on_page = errors.shown((*page.metadata, *page.fields))
    found = []
    for error in placed:
        field = errors.nearest(error.path, on_page)
        whole = field is not None and field.path == ("spec",)
        if field is None or whole:
            found.append(Message(error.message, error.where))
        else:
            found.append(Message(error.message, error.where, error.where or field.label, field.id))
    return tuple(found)


def _in_words(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """What every object has, in the reader's language; fields of a kind keep the words of its authors."""
    words = {
        "name": _("Name"),
        "generateName": _("Generate name"),
        "namespace": _("Namespace"),
        "labels": _("Labels"),
        "annotations": _("Annotations"),
    }
    return tuple(replace(field, label=words.get(str(field.path[-1]), field.label)) for field in fields)
