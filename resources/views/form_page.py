"""The page of an object's form, put together from the cluster's answers: the fields with their errors, the summary of
the errors, and the outline beside the form.

What the API server and its schema say of a field is shown in plain words of the reader's language, from one table for
both sides: the page carries it for its own check (static/js/form/limits.js), so a mistake has the same words in the
browser and on the server. A sentence that isn't in the table stays as it is, without "Invalid value: …" before it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.web.errors import Problem
from console.web.frame import PICKER_LIMIT, known_namespaces
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject
from resources.forms import errors, widgets
from resources.forms.build import Builder
from resources.forms.fields import FormField, FormInput, Options
from resources.forms.parse import UnreadControl
from resources.forms.paths import Path
from resources.forms.schema import Schema
from resources.place import Place
from resources.views.submission import Conflicting, Shell, carried, make_shell, received
from resources.writing.examples import Offer

_ABOUT = r"^(?:Invalid value: .*: )?\S+ in body "
#: Worded so that a limit of one needs no singular: the page's script fills the number in.
_TOO_SHORT = gettext_lazy("Too short: the minimum length is %(limit)s.")
_TOO_LONG = gettext_lazy("Too long: the maximum length is %(limit)s.")
_TOO_FEW = gettext_lazy("Too few items: the minimum is %(limit)s.")
_NAME = gettext_lazy("Use lowercase letters, digits and “-”; begin and end with a letter or digit.")
_LABEL = r"\^\[a-z0-9\]\(\[-a-z0-9\]\*\[a-z0-9\]\)\?"
#: Sentences of k8s.io/apimachinery (field errors), kube-openapi (validation) and structured-merge-diff, as both Python
#: and JavaScript read them, and what to say. The first that matches holds.
_RULES = (
    (r"^Required value(?:: ?)?$", gettext_lazy("This field is required.")),
    (_ABOUT + r"is required$", gettext_lazy("This field is required.")),
    (_ABOUT + r"should be greater than or equal to (?P<limit>\S+)$", gettext_lazy("Must be at least %(limit)s.")),
    (_ABOUT + r"should be less than or equal to (?P<limit>\S+)$", gettext_lazy("Must be at most %(limit)s.")),
    (_ABOUT + r"should be greater than (?P<limit>\S+)$", gettext_lazy("Must be more than %(limit)s.")),
    (_ABOUT + r"should be less than (?P<limit>\S+)$", gettext_lazy("Must be less than %(limit)s.")),
    (_ABOUT + r"should be a multiple of (?P<limit>\S+)$", gettext_lazy("Must be a multiple of %(limit)s.")),
    (_ABOUT + r"should be at least (?P<limit>\d+) chars long$", _TOO_SHORT),
    (_ABOUT + r"should be at most (?P<limit>\d+) chars long$", _TOO_LONG),
    (r"^Too long: may not be (?:more|longer) than (?P<limit>\d+)(?: bytes?)?$", _TOO_LONG),
    (_ABOUT + rf"should match '{_LABEL}(?:\(\\\.{_LABEL[2:]}\)\*)?\$'$", _NAME),
    (_ABOUT + r"should match '(?P<limit>[^]*)'$", gettext_lazy("Must match %(limit)s.")),
    (_ABOUT + r"should have at least (?P<limit>\d+) items$", _TOO_FEW),
    (
        r"^Too many: .*must have at most (?P<limit>\d+) items?$",
        gettext_lazy("Too many items: the maximum is %(limit)s."),
    ),
    (_ABOUT + r"should have at least (?P<limit>\d+) properties$", _TOO_FEW),
    (_ABOUT + r"must be of type integer: .*$", gettext_lazy("This must be a whole number.")),
    (_ABOUT + r"must be of type number: .*$", gettext_lazy("This must be a number.")),
    (_ABOUT + r"must be of type boolean: .*$", gettext_lazy("Must be true or false.")),
    (_ABOUT + r"must be of type string: .*$", gettext_lazy("Must be a string.")),
    (_ABOUT + r"must be of type array: .*$", gettext_lazy("Must be a list.")),
    (_ABOUT + r"must be of type object: .*$", gettext_lazy("Must be an object with fields.")),
    (
        r"Checked value must be of type integer with format int32 in ",
        gettext_lazy("Must be a whole number between -2147483648 and 2147483647."),
    ),
    (
        r"Checked value must be of type integer with format int64 in ",
        gettext_lazy("Must be a whole number between -9223372036854775808 and 9223372036854775807."),
    ),
    (r"^Unsupported value: .*: supported values: (?P<limit>.*)$", gettext_lazy("Must be one of %(limit)s.")),
    (r"^Duplicate value: (?P<limit>.*)$", gettext_lazy("%(limit)s is already used.")),
    (r'^unknown field "(?P<limit>[^"]*)"$', gettext_lazy("This resource type has no field %(limit)s.")),
    (
        r"^Invalid value: .*a lowercase RFC 1123 (?:subdomain|label) must consist of [^]*$",
        _NAME,
    ),
    (r'^Invalid value: (?:"(?:[^"\\]|\\.)*"|-?[\d.e+]+|true|false|null): (?P<limit>[^]+)$', "%(limit)s"),
)
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
        return refusal_rules()


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
        shell=shell or make_shell(place, offer.title, offer.description, editing),
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


def plain_refusal(message: str) -> str:
    """The message in plain words."""
    for pattern, words in _compiled():
        if found := pattern.search(message):
            return str(words) % {"limit": found.groupdict().get("limit", "")}
    return message


def refusal_rules() -> str:
    """The table for the page's script: JSON of [[pattern, words], …]."""
    return json.dumps([[pattern.replace("(?P<", "(?<"), str(words)] for pattern, words in _RULES])


@lru_cache(maxsize=1)
def _compiled() -> tuple[tuple[re.Pattern[str], object], ...]:
    # "[^]" is JavaScript's word for any letter, line ends too.
    return tuple((re.compile(pattern.replace("[^]", r"[\s\S]")), words) for pattern, words in _RULES)


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
            parts.append(_("Item %(n)s") % {"n": field.position} if field.position else field.label)
    return " › ".join(part for part in parts if part)


def _named(place: Place, fields: tuple[FormField, ...], editing: bool) -> tuple[FormField, ...]:
    """The name is checked while it is typed."""
    if editing or place.type.group == _FREE_NAMES_GROUP:
        return fields
    return tuple(
        replace(field, constraints=widgets.name_constraints()) if field.path == ("metadata", "name") else field
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
