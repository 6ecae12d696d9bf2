"""`{% load forms %}`: what a field's schema says, in the reader's words."""

import html
import json
import re
from collections.abc import Mapping
from functools import lru_cache

from django import template
from django.utils.html import escape, format_html, strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from console.web.markdown import escape_placeholders, help_html
from resources.forms.fields import FormField
from resources.forms.paths import is_item, position, split, untoken, words
from resources.forms.widgets import KIND_WORDS

register = template.Library()

_FOLDED = 130  # letters of a description that are shown at once
_LINE = 110
_PATTERN = 90
_QUANTITY = r"^(\+|-)?(([0-9]+"
_NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?"


@register.filter
def type_words(field: FormField) -> str:
    """What may be written here, and how much of it: "whole number, 1 to 10"."""
    return ", ".join(part for part in (_type(field), *_limits(dict(field.limits))) if part)


def _type(field: FormField) -> str:
    own = field.widget_type.words
    text = KIND_WORDS.get(field.kind, "") if own is None else own
    picker = field.extra.picker
    # Names, labels and annotations need no explanation; which kind a picker offers is worth a word anywhere.
    if not text or (field.path[:1] == ("metadata",) and not picker):
        return ""
    return _(text) % {"kind": picker.rpartition("/")[2]}


def _limits(limits: Mapping[str, str]) -> list[str]:
    return [
        part
        for part in (
            _numbers(limits),
            _("a multiple of %(n)s") % {"n": limits["multipleOf"]} if "multipleOf" in limits else "",
            _counted("Length", limits),
            _counted("Items", limits),
            _counted("Properties", limits),
            _("no duplicates") if "uniqueItems" in limits else "",
        )
        if part
    ]


def _numbers(limits: Mapping[str, str]) -> str:
    low, high = limits.get("minimum"), limits.get("maximum")
    if low is not None and high is not None and not {"exclusiveMinimum", "exclusiveMaximum"} & set(limits):
        return _("%(low)s to %(high)s") % {"low": low, "high": high}
    least = _("more than %(n)s") if "exclusiveMinimum" in limits else _("at least %(n)s")
    most = _("less than %(n)s") if "exclusiveMaximum" in limits else _("at most %(n)s")
    return ", ".join(word % {"n": limit} for word, limit in ((least, low), (most, high)) if limit is not None)


def _counted(what: str, limits: Mapping[str, str]) -> str:
    low, high = _whole(limits.get(f"min{what}")), _whole(limits.get(f"max{what}"))
    if low is None and high is None:
        return ""
    if low and high is not None:
        template_ = {
            "Length": _("%(low)s to %(high)s characters"),
            "Items": _("%(low)s to %(high)s items"),
            "Properties": _("%(low)s to %(high)s entries"),
        }[what]
        return template_ % {"low": low, "high": high}
    if high is not None:
        most = {
            "Length": ngettext("at most %(n)s character", "at most %(n)s characters", high),
            "Items": ngettext("at most %(n)s item", "at most %(n)s items", high),
            "Properties": ngettext("at most %(n)s entry", "at most %(n)s entries", high),
        }
        return most[what] % {"n": high}
    least = {
        "Length": ngettext("not empty", "at least %(n)s characters", low or 1),
        "Items": ngettext("at least %(n)s item", "at least %(n)s items", low or 1),
        "Properties": ngettext("at least %(n)s entry", "at least %(n)s entries", low or 1),
    }
    return least[what] % {"n": low} if low else ""


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None


@register.filter
def pattern_words(field: FormField) -> SafeString:
    """How the text must look, '' where the type says it already."""
    pattern = dict(field.limits).get("pattern", "")
    if not pattern or pattern.startswith(_QUANTITY) or field.widget_type.explains_pattern:
        return SafeString("")
    if pattern in (f"{_NAME}$", f"{_NAME}(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"):
        has_dots = len(pattern) > len(_NAME) + 1
        words = _("Lowercase letters, digits, “-” and “.”.") if has_dots else _("Lowercase letters, digits and “-”.")
        return SafeString(escape(words))
    shown = pattern if len(pattern) <= _PATTERN else f"{pattern[: _PATTERN - 1]}…"
    words = escape(_("Must match %(pattern)s")).replace("%(pattern)s", "{}")
    title = f' title="{escape(pattern)}"' if shown != pattern else ""
    return mark_safe(words.replace("{}", f"<code{title}>{escape(shown)}</code>"))  # noqa: S308  escaped piece by piece


_NAMED = 6  # fields whose names a closed fold shows


@register.filter
def folded_names(field: FormField) -> str:
    """The first of the fields that are folded away, by their labels."""
    return ", ".join(child.label for child in field.folded[:_NAMED] if child.label)


@register.filter
def item_name(field: FormField) -> str:
    """What an item is called where nothing else tells which it is: "Item 2 of Volumes"."""
    words = {"n": field.position, "list": field.list_label}
    if field.is_entry:
        return (_("Entry %(n)s of %(list)s") if field.list_label else _("Entry %(n)s")) % words
    return (_("Item %(n)s of %(list)s") if field.list_label else _("Item %(n)s")) % words


@register.filter
def item_title(field: FormField) -> str:
    """What stands above an item, inside its list: "Item 2"."""
    return _("Item %(n)s") % {"n": field.position}


@register.filter
def field_title(field: FormField) -> str:
    """What stands above a control; the number of an item is a part that the page's script changes."""
    if field.is_entry:
        return _("Value")
    return format_html("<span data-number>{}</span>", item_title(field)) if field.position else field.label


@register.filter
def section_title(field: FormField) -> str:
    """What stands in a section's own line; the number and the caption of an item are parts that the page's script
    changes.
    """
    if field.is_entry:
        return field.key or _("New entry")
    if not field.position:
        return field.label
    caption = f": {field.caption}" if field.caption else ""
    return format_html("<span data-number>{}</span><span data-caption>{}</span>", item_title(field), caption)


@register.filter
def has_help(field: FormField) -> bool:
    """Whether there are words below the field that describe it."""
    unused = field.unmet and field.present
    return bool(field.error or field.description or field.locked or field.rules or unused)


@register.filter
def accessible_name(field: FormField) -> str:
    """What a field is called in a list of buttons and controls: its label, or which item it is."""
    return item_name(field) if field.position else field.label


@register.filter
def line(description: str) -> str:
    """The first words of a description, for a section's own line."""
    return _line(description)


@lru_cache(maxsize=4096)
def _line(description: str) -> str:
    coded = re.sub(r"`([^`\n]*)`", lambda found: str(escape(found[1])), description[:400])
    plain = html.unescape(strip_tags(escape_placeholders(coded)))
    text = re.sub(r"[`*#]+|\s+", lambda found: " " if found[0].isspace() else "", plain).strip()
    end = re.search(r"[.!?]\s", text)
    text = text[: end.start()] if end else text.removesuffix(".")
    return text if len(text) <= _LINE else f"{text[: _LINE - 1].rpartition(' ')[0]}…"


@register.filter
def folded(description: str) -> tuple[SafeString, SafeString]:
    """(what is shown, what is folded away) of a description, as HTML."""
    return _folded(description)


@lru_cache(maxsize=4096)
def _folded(description: str) -> tuple[SafeString, SafeString]:
    whole = help_html(description)
    if len(description) <= _FOLDED:
        return whole, SafeString("")
    head, tail = _cut(description)
    shown = escape(head) if tail else escape(_line(description))
    return SafeString(shown), help_html(tail) if tail else whole


def _cut(description: str) -> tuple[str, str]:
    """Cut behind a sentence where what comes before is plain prose; ("", "") where it is not."""
    ends = [found.end() for found in re.finditer(r"[.!?](?=\s)", description[:_FOLDED])]
    ends = [end for end in ends if end > 40]
    head = description[: ends[-1]] if ends else ""
    plain = head and not re.search(r"[`*_<\[#]|^\s*[-+\d]", head)
    return (head, description[ends[-1] :].strip()) if plain else ("", "")


@register.filter
def depends_data(field: FormField) -> str:
    """What a field's showing depends on, for the script: [[pointer, value, whether it holds as drawn], …]."""
    return json.dumps([[need.pointer, need.value, need.met] for need in field.depends])


@register.filter
def unused_words(field: FormField) -> str:
    """Why a value that is there has no effect now; '' where it has, or where nothing is set."""
    if not (field.unmet and field.present):
        return ""
    values: dict[str, list[str]] = {}
    for need in field.depends:
        values.setdefault(need.pointer, []).append(need.value)
    conditions = (
        _("%(field)s is %(values)s") % {"field": _path_words(pointer), "values": _(" or ").join(found)}
        for pointer, found in values.items()
    )
    return _("This value is used only if %(conditions)s.") % {"conditions": _(" and ").join(conditions)}


def _path_words(pointer: str) -> str:
    """spec.users[0].name, of a control's pointer."""
    parts = (position(part) if is_item(part) else untoken(part) for part in split(pointer))
    return words(tuple("" if part is None else part for part in parts))
