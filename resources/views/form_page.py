"""The page of an object's form, put together from the cluster's answers: the fields with their errors, the summary of
the errors, and the outline beside the form.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from console.web.errors import Problem
from console.web.frame import PICKER_LIMIT, known_namespaces
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject
from resources.forms import errors, native
from resources.forms.build import Builder
from resources.forms.fields import FormField, FormInput, Options
from resources.forms.parse import UnreadControl
from resources.forms.paths import Path
from resources.forms.schema import Schema
from resources.place import Place
from resources.views import refusal_words
from resources.views.shell import Shell, around
from resources.views.submission import Conflicting, carried, received
from resources.writing.examples import Offer

#: With more sections than this, only the first are listed; the search finds the others.
MAX_SECTIONS = 40
#: Names of the kinds of this API group are free: "system:node".
_FREE_NAMES_GROUP = "rbac.authorization.k8s.io"
#: Characters of the labels and annotations that a closed fold shows.
_MAX_EXTRAS_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Section:
    """A row of the outline.

    `id` of the element that the link leads to; `pointers` of the fields whose state the section shows.
    """

    label: str
    id: str
    pointers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """A line of the summary.

    `id` of the element that it links to, '' where the page has none; `where` in the API's words.
    """

    message: str
    where: str = ""
    label: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPage:
    """`base` and `original` are JSON: what the controls lie over, and what an existing object was when its form was
    opened; `document`: the YAML that the object was last written in, with its comments; `gone`: there is no such object
    any more.
    """

    shell: Shell
    fields: tuple[FormField, ...]
    metadata: tuple[FormField, ...]
    base: str
    section_url: str
    original: str = ""
    document: str = ""
    editing: bool = False
    dirty: bool = False
    problem: Problem | None = None
    errors: tuple[Message, ...] = ()
    conflicts: tuple[Conflicting, ...] = ()
    gone: bool = False

    @property
    def place(self) -> Place:
        return self.shell.place

    @property
    def identity(self) -> tuple[FormField, ...]:
        """Name and namespace, which stand in one row."""
        return tuple(field for field in self.metadata if field.kind != "map")

    @property
    def extras(self) -> tuple[FormField, ...]:
        """Labels and annotations, which are folded."""
        return tuple(field for field in self.metadata if field.kind == "map")

    @property
    def extras_count(self) -> int:
        return sum(field.size for field in self.extras)

    @property
    def extras_open(self) -> bool:
        """Something is wrong in there, or was asked for; what an object came with is named in the fold's own line."""
        return any(field.error or field.inside_error or field.revealed for field in self.extras)

    @property
    def extras_words(self) -> str:
        """The labels and annotations that are set."""
        pairs = (f"{entry.key}: {entry.text}" for field in self.extras for entry in field.children if entry.text)
        return ", ".join(pairs)[:_MAX_EXTRAS_LENGTH]

    @property
    def outline(self) -> tuple[Section, ...]:
        return outline(self.metadata, self.fields)

    @property
    def refusal_rules(self) -> str:
        """For the check in the browser: sentences of the API server and what they mean."""
        return refusal_words.rules()


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
    typed: FormInput | None = None,
    shell: Shell | None = None,
    **more: Any,
) -> FormPage:
    """The page for `obj` as it is now; `choice` of namespaces; `more` are further fields of FormPage."""
    editing = bool(more.get("editing"))
    stored = received(more.get("original") or "{}") if editing else None
    builder = Builder(schema, Options(offer.descriptors, typed or FormInput(), stored=stored))
    namespace = str((obj.get("metadata") or {}).get("namespace") or "")
    metadata, fields = builder.metadata(obj, place.type.namespaced, choice), builder.top(obj)
    return FormPage(
        shell=shell or around(place, offer.title, offer.description, editing),
        metadata=_in_words(_named(place, metadata, editing), fields),
        fields=fields,
        base=carried(obj),
        section_url=place.kind_url("section", **({"namespace": namespace} if namespace else {})),
        **more,
    )


def with_errors(placed: tuple[errors.Placed, ...], typed: FormInput, **more: Any) -> FormPage:
    """The page with every complaint at its field; where it has no field of its own (inside a YAML box, unknown to
    the schema), at the nearest.
    """
    page = make(typed=_said(typed, placed), **more)
    landed = errors.landed(placed, errors.shown((*page.metadata, *page.fields)))
    return page if landed == placed else make(typed=_said(typed, landed), **more)


def _said(typed: FormInput, placed: tuple[errors.Placed, ...]) -> FormInput:
    return replace(typed, errors=errors.by_path(placed), key_errors=errors.by_key(placed)) if placed else typed


def unread_words(unread: UnreadControl) -> str:
    """What is wrong with a control's text."""
    words = {
        "integer": _("This must be a whole number."),
        "number": _("This must be a number."),
        "boolean": _("This must be yes or no."),
        "json": _("Invalid JSON: %(detail)s"),
        "yaml": _("Invalid YAML: %(detail)s"),
        "key": _("The key “%(detail)s” is a duplicate."),
        "bytes": _("Invalid Base64: %(detail)s"),
        "mapping": _("This must be a mapping: names with values."),
        "twice": _("The field “%(detail)s” is a duplicate."),
    }
    return words[unread.code] % {"detail": unread.detail}


def messages(placed: Iterable[errors.Placed], page: FormPage) -> tuple[Message, ...]:
    """The summary of what is wrong, with links to what is on the page."""
    on_page = errors.shown((*page.metadata, *page.fields))
    found = []
    for error in placed:
        field = errors.nearest(error.path, on_page)
        if field is None or not field.path:
            found.append(Message(error.message, error.where))
        else:
            found.append(Message(error.message, error.where, _trail(error.path, on_page) or field.label, field.id))
    return tuple(found)


def _trail(path: Path, on_page: Mapping[Path, FormField]) -> str:
    """The labels that lead to a field: "Users › Item 1 › Name"; of what is inside a YAML box, those that lead to the
    box.
    """
    parts = []
    for end in range(1, len(path) + 1):
        field = on_page.get(path[:end])
        if field is None or field.path == ("spec",):
            continue
        if field.is_entry:
            parts.append(field.key)
        else:
            parts.append(refusal_words.item(field.position) if field.position else field.label)
    return " › ".join(part for part in parts if part)


def _named(place: Place, fields: tuple[FormField, ...], editing: bool) -> tuple[FormField, ...]:
    """The name is checked while it is typed."""
    if editing or place.type.group == _FREE_NAMES_GROUP:
        return fields
    return tuple(
        replace(field, constraints=native.name_constraints()) if field.path == ("metadata", "name") else field
        for field in fields
    )


def _in_words(fields: tuple[FormField, ...], others: tuple[FormField, ...]) -> tuple[FormField, ...]:
    """What every object has, in the reader's language; fields of a kind (`others`) keep the words of its authors.

    A kind with a `name` of its own has two of them, which get different labels.
    """
    names = {str(child.path[-1]) for field in others for child in (field, *field.children) if child.path}
    apart = {
        "name": _("Object name"),
        "namespace": _("Object namespace"),
        "labels": _("Object labels"),
        "annotations": _("Object annotations"),
    }
    words = {
        "name": _("Name"),
        "generateName": _("Generate name"),
        "namespace": _("Namespace"),
        "labels": _("Labels"),
        "annotations": _("Annotations"),
    }
    words |= {name: text for name, text in apart.items() if name in names}
    return tuple(replace(field, label=words.get(str(field.path[-1]), field.label), limits=()) for field in fields)


def outline(metadata: Iterable[FormField], fields: Iterable[FormField]) -> tuple[Section, ...]:
    """One section for the object's name, one for each group and each section of the form, in the form's order, and
    "General" for fields that stand alone.
    """
    first = tuple(metadata)
    sections = [Section(_("Name"), first[0].id, tuple(field.pointer for field in first))] if first else []
    for field in fields:
        if not field.path:
            continue
        if field.path == ("spec",) and field.kind == "object" and not field.lazy:
            sections += _sections(field)
        else:
            sections.append(Section(field.label, field.id, (field.pointer,)))
    return tuple(sections[:MAX_SECTIONS])


def _sections(spec: FormField) -> list[Section]:
    made: list[Section] = []
    alone: list[FormField] = []
    position = 0
    for group in spec.groups:
        if group.name:
            made.append(Section(group.label, group.id, tuple(field.pointer for field in group.fields)))
            continue
        for field in group.fields:
            if field.widget == "rest":
                continue
            if field.kind in ("object", "array", "map"):
                made.append(Section(field.label, field.id, (field.pointer,)))
            else:
                position = position if alone else len(made)
                alone.append(field)
    if alone:
        made.insert(position, Section(_("General"), alone[0].id, tuple(field.pointer for field in alone)))
    return made
