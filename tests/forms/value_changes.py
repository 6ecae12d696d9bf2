"""Every value of an object that has a control of its own, changed at once and removed at once."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from resources.forms.paths import is_item, position, span, token, untoken
from tests.forms import dom
from tests.forms.differ import difference
from tests.forms.dom import Element
from tests.forms.page import Form, Page
from tests.forms.person import Person


def opened(form: Form, obj: dict[str, Any]) -> Page:
    """The form of an object with all that is in it opened."""
    page = form.open(obj)
    person = Person(page=page)
    for _ in range(400):
        closed = [element for element in page.index.get("~open", ()) if holds(obj, element.attributes["value"])]
        if not closed:
            return page
        for element in closed:
            person.opened(element.attributes["value"])
    raise AssertionError("there is always something closed")


def holds(obj: Any, pointer: str) -> bool:
    """Whether the object has something there."""
    for part in pointer.split("/")[1:]:
        if span(part):
            return True
        place = position(part) if is_item(part) else None
        if place is not None and isinstance(obj, dict):
            obj = list(obj.values())[place] if place < len(obj) else None
        elif place is not None and isinstance(obj, list):
            obj = obj[place] if place < len(obj) else None
        else:
            obj = obj.get(untoken(part)) if isinstance(obj, dict) else None
    return obj is not None


def own_controls(page: Page, obj: Any, pointer: str = "") -> Iterator[tuple[Any, Any, str, list[Element]]]:
    """(where it is, its key there, its pointer, its controls) of every scalar that has a control of its own."""
    pairs = obj.items() if isinstance(obj, dict) else enumerate(obj)
    is_map = isinstance(obj, dict) and (f"m:{pointer}" in page.index)
    for number, (key, value) in enumerate(pairs):
        row = f"{pointer}/@{number}"
        is_row = is_map or isinstance(obj, list) or f"k:{row}" in page.index
        place = row if is_row else f"{pointer}/{token(key)}"
        if isinstance(value, (dict, list)):
            yield from own_controls(page, value, place)
            continue
        for mark in "sinbqdj":
            if found := page.named(f"{mark}:{place}"):
                yield obj, key, place, found
                break


def change_all(form: Form, obj: dict[str, Any]) -> tuple[int, str]:
    """Every value that has a control of its own becomes another one, at once."""
    wanted = copy.deepcopy(obj)
    page = opened(form, obj)
    count = 0
    for where, key, place, found in list(own_controls(page, wanted)):
        made = another(found, where[key])
        if made is None or "readonly" in found[0].attributes or place == "/metadata/namespace":
            continue
        text, value = made
        if found[0].kind == "radio":
            Person(page=page).enter(found, text)
        else:
            found[0].value = text
        where[key] = value
        count += 1
    parsed = page.submit()
    return count, difference(wanted, parsed.object) or ", ".join(map(str, parsed.problems))


def another(found: list[Element], value: Any) -> tuple[str, Any] | None:
    """(text, value): something else that the control can say."""
    first = found[0]
    mark = first.name.partition(":")[0]
    if first.tag == "select" or first.kind == "radio":
        texts = (
            [dom.value_of(option) for option in dom.options_of(first)]
            if first.tag == "select"
            else [item.attributes.get("value", "") for item in found]
        )
        text = next((item for item in texts if item and item != said_now(found)), None)
        return (
            None
            if text is None
            else (text, {"b": text == "true", "s": text}.get(mark, text) if mark != "j" else json.loads(text))
        )
    if mark == "s":
        text = f"{first.value or ''}x"
        return text, text.replace("\r\n", "\n")
    if mark == "d":
        return ("QUJD", "QUJD") if value != "QUJD" else ("REVG", "REVG")
    if mark == "j":
        return '"changed"', "changed"
    return ("7", 7) if value != 7 else ("8", 8)


def said_now(found: list[Element]) -> str:
    if found[0].tag == "select":
        return found[0].value or ""
    return next((element.attributes.get("value", "") for element in found if element.checked), "")


def remove_all(form: Form, obj: dict[str, Any]) -> tuple[int, str]:
    """Every value of an object that has a control of its own is cleared, at once, and every first item of a list or
    map is removed.
    """
    wanted = copy.deepcopy(obj)
    page = opened(form, obj)
    count = 0
    for where, key, place, found in list(own_controls(page, wanted)):
        if "/@" in f"/{place.rpartition('/')[2]}" or not place.startswith("/spec") or "readonly" in found[0].attributes:
            continue
        for element in found:
            element.value = "" if element.kind != "radio" else element.value
            element.checked = element.kind == "radio" and element.attributes.get("value", "on") == ""
        for element in page.index.get(f"e:{place}", ()):
            element.value, element.checked = "", False
        del where[key]
        count += 1
    count += remove_items(page, wanted.get("spec"), "/spec")
    parsed = page.submit()
    return count, difference(wanted, parsed.object) or ", ".join(map(str, parsed.problems))


def remove_items(page: Page, value: Any, pointer: str) -> int:
    """Of each list and map on the page the first item, as the button with script does it."""
    count = 0
    is_list = isinstance(value, list) and f"a:{pointer}" in page.index
    is_map = isinstance(value, dict) and f"m:{pointer}" in page.index
    if is_list or is_map:
        keys = list(range(len(value))) if is_list else list(value)
        for number, key in enumerate(keys):
            count += remove_items(page, value[key], f"{pointer}/@{number}") if number else 0
        if keys and page.has_button("~remove", f"{pointer}/@0"):
            page.index[f"at={pointer}/@0"][0].remove()
            page.changed()
            del value[keys[0]]
            count += 1
    elif isinstance(value, dict):
        count += sum(remove_items(page, inner, f"{pointer}/{token(key)}") for key, inner in value.items())
    return count
