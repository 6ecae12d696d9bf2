"""Which control shows a field: by what its schema says, what the operator says about it, and what its name and shape look like.

Only a choice of looks: how a value is written and read is its kind's business (texts.py), so a wrong guess here loses nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from resources.forms.descriptors import Descriptor
from resources.forms.paths import Path
from resources.forms.schema import Node

_NUMBER = re.compile(r"-?\d{0,15}(\.\d{1,15})?")


@dataclass(frozen=True, slots=True)
class Widget:
    """`picker`: whose names are offered ("core/v1/secrets"), those that `selector` selects; `unit`: what the number counts;
    `options`: texts to choose from; `data`: what else the control's script is told."""

    name: str
    picker: str = ""
    selector: str = ""
    unit: str = ""
    options: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=dict)


def widget(kind: str, node: Node, descriptor: Descriptor | None, path: Path, text: str) -> Widget:
    """The control of a node of that kind; `text` is what it shows, which a control that can't hold it must not lose."""
    del path
    if kind == "boolean":
        return Widget("boolean")
    if kind == "any":
        return Widget("yaml")
    if kind == "enum":
        return Widget("select")
    if kind in ("object", "array", "map"):
        return Widget({"object": "section", "array": "list", "map": "map"}[kind])
    if kind in ("integer", "number") and _NUMBER.fullmatch(text):
        return Widget("number")
    secret = node.get("format") == "password" or (descriptor is not None and "password" in descriptor.widgets)
    if secret and "\n" not in text:
        return Widget("password")
    if "\n" in text or "\r" in text or (kind == "string" and (node.get("maxLength") or 0) > 2000):
        return Widget("lines")
    return Widget("line")
