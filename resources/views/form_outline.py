"""The outline beside a form: its sections, each with where it begins and the fields that it stands for."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from resources.forms.fields import FormField

#: With more sections than this, only the first are listed; the search finds the others.
MAX_SECTIONS = 40


@dataclass(frozen=True, slots=True)
class Section:
    """`id` of the element that the link leads to; `pointers` of the fields whose state the section shows."""

    label: str
    id: str
    pointers: tuple[str, ...]


def outline(metadata: Iterable[FormField], fields: Iterable[FormField]) -> tuple[Section, ...]:
    """One section for the object's name, one for each group and each section of the form, and "General" for fields
    that stand alone.
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
    place = 0
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
                place = place if alone else len(made)
                alone.append(field)
    if alone:
        made.insert(place, Section(_("General"), alone[0].id, tuple(field.pointer for field in alone)))
    return made
