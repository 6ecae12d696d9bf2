"""What the YAML view's template is given."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.errors import Problem
from kube.objects import KubeObject
from resources import yamltext
from resources.display_copy import shown
from resources.forms.errors import Placed
from resources.place import Place
from resources.views.submission import Conflicting, Draft, Shell
from resources.writing.rewrite import rewrite
from resources.yamltext import YamlProblem


@dataclass(frozen=True, slots=True)
class YamlErrorMark:
    """What is wrong at a place of the text, counted from 1; line 0 where the place is not known."""

    line: int
    column: int
    message: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlPage:
    """`good`: the object that the text said when it was read last; `discards`: going back to it is offered; `several`:
    there is more than one document; `masked`: values of a Secret are hidden; `clean`: without what the server and tools
    write.
    """

    shell: Shell
    text: str
    original: str = ""
    good: str = ""
    writable: bool = True
    masked: bool = False
    dirty: bool = False
    problem: Problem | None = None
    marks: tuple[YamlErrorMark, ...] = ()
    conflicts: tuple[Conflicting, ...] = ()
    discards: bool = False
    several: bool = False
    gone: bool = False
    clean: bool = False

    @property
    def readonly(self) -> bool:
        return not self.writable

    @property
    def marks_data(self) -> str:
        """For the editor: what to mark in its margin."""
        return json.dumps([[mark.line, mark.column, mark.message] for mark in self.marks if mark.line])


def text_of(written: Draft) -> str:
    """The object in the words it was typed in, as far as they say it still."""
    return rewrite(written.text, written.obj) if written.text else yamltext.dump(written.obj)


def readable(obj: KubeObject, masked: bool) -> str:
    """The object's text for the editor; with `masked`, a Secret's values are dots."""
    return yamltext.dump(shown(obj, masked))


def misplaced(obj: KubeObject, place: Place, text: str) -> YamlProblem | None:
    """What is wrong when the text is about another kind, or another object, than the page."""
    found = (obj["apiVersion"], obj["kind"])
    if found != (place.type.api_version, place.type.kind):
        names = {"wanted": f"{place.type.api_version} {place.type.kind}", "found": " ".join(found)}
        path = "apiVersion" if found[0] != place.type.api_version else "kind"
        return _at(text, (path,), _("This page edits %(wanted)s, but the YAML contains %(found)s.") % names)
    metadata = obj.get("metadata") or {}
    for key, wanted in (("name", place.name), ("namespace", place.namespace)):
        if place.name and str(metadata.get(key) or "") != wanted:
            message = _("metadata.%(key)s can't be changed from “%(wanted)s”. Create a new object instead.")
            return _at(text, ("metadata", key), message % {"key": key, "wanted": wanted})
    return None


def _at(text: str, path: tuple[str, ...], message: str) -> YamlProblem:
    line, column = yamltext.field_positions(text, [path])[0]
    return YamlProblem(message, line, column)


def marks(text: str, placed: Iterable[Placed]) -> tuple[YamlErrorMark, ...]:
    """Where in the text each complaint belongs."""
    found = tuple(placed)
    spots = yamltext.field_positions(text, [error.path for error in found])
    return tuple(
        YamlErrorMark(*(spot if error.path else (0, 0)), error.message, error.where)
        for error, spot in zip(found, spots, strict=True)
    )
