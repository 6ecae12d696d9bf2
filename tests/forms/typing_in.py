"""What one types, or can't, to say a value in a control."""

import json
import re
from typing import Any

from resources import yamltext
from tests.forms.dom import Element, options_of, value_of


class Unreachable(Exception):
    """No control on the page can be made to say this."""


def choices(found: list[Element]) -> list[str]:
    if found[0].tag == "select":
        return [value_of(option) for option in options_of(found[0])]
    return [element.attributes.get("value", "on") for element in found]


def typeable(text: str) -> bool:
    return all((letter >= " " or letter in "\n\t") and not "\ud800" <= letter <= "\udfff" for letter in text)


def same_yaml(text: str, value: Any) -> bool:
    return typeable(text) and repr(yamltext.load(text)) == repr(value)


def text_to_type(mark: str, value: Any) -> str:
    """The text to type for the value in a control of that kind. Raises Unreachable."""
    if mark == "j":
        return json.dumps(value)
    if mark == "b" and isinstance(value, bool):
        return "true" if value else "false"
    if mark == "s" and isinstance(value, str):
        return value
    if (
        mark == "d"
        and isinstance(value, str)
        and re.fullmatch(r"(?:[A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2,3}=*)?", value)
        and len(value) % 4 == 0
    ):
        return value
    if mark == "q" and isinstance(value, str):
        return json.dumps(value) if value.lstrip("-").isdigit() or value.startswith('"') else value
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and (mark == "n" or (mark in "iq" and isinstance(value, int))):
        return repr(value)
    raise Unreachable(f"{mark}: is no control for {value!r}")
