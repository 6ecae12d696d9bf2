"""Every leaf of a schema, and whether the page of a new object leads to a control for it, through whatever has to be
opened first.
"""

from collections.abc import Iterator
from typing import Any

from resources.forms.paths import is_item, token, untoken
from tests.forms import dom
from tests.forms.page import Form, usable
from tests.forms.person import CONTROLS

DEEP = 60


def leaves(node: Any, pointer: str = "", depth: int = 0) -> Iterator[str]:
    """The pointers of what has no schema below it: scalars, and what may be anything."""
    if depth > DEEP:
        return
    if not isinstance(node, dict):
        yield pointer
        return
    properties = node.get("properties")
    if properties and not node.get("x-kubernetes-embedded-resource"):
        for name, child in properties.items():
            if depth or name not in ("apiVersion", "kind", "metadata", "status"):
                yield from leaves(child, f"{pointer}/{token(name)}", depth + 1)
    elif node.get("type") == "array" and node.get("items"):
        yield from leaves(node["items"], f"{pointer}/@n0", depth + 1)
    elif (
        node.get("type") == "object"
        and isinstance(node.get("additionalProperties"), dict)
        and node["additionalProperties"]
    ):
        yield from leaves(node["additionalProperties"], f"{pointer}/@n0", depth + 1)
    else:
        yield pointer


def controls(form: Form) -> set[str]:
    """The pointers of all controls that a user can type into or choose from, on the page of a new object and in every
    part of it that a button opens or adds, as HTML; items of lists and maps as "@n0". Of an object that takes more than
    its own fields "…/*".
    """
    obj = form.begin(None)
    found: set[str] = set()
    asked: set[tuple[str, str]] = set()
    todo = [form.html(obj)]
    while todo:
        for element in dom.parse(todo.pop()).walk():
            if not element.name or element.disabled or "readonly" in element.attributes or not usable(element):
                continue
            if element.tag == "button":
                pointer = element.attributes.get("value", "")
                key = (element.name, _first(pointer))
                if element.name not in ("~open", "~add") or key in asked or pointer.count("/") > DEEP:
                    continue
                asked.add(key)
                todo.append(form.part(obj, pointer) if element.name == "~open" else form.part(obj, f"{pointer}/@n0", 1))
                continue
            mark, _, pointer = element.name.partition(":")
            if mark in CONTROLS and element.kind != "hidden":
                found.add(_first(pointer))
            elif mark == "r":
                found.add(f"{_first(pointer)}/*")
    return found


def _first(pointer: str) -> str:
    """The same place in the first item of each list."""
    return "/".join("@n0" if is_item(part) else part for part in pointer.split("/"))


def is_hidden(form: Form, pointer: str) -> bool:
    """Whether the operator's descriptors hide the field, or what it is in."""
    names = [untoken(part) for part in pointer.split("/")[1:] if not is_item(part)]
    found = (form.offer.descriptors.get(names[:end]) for end in range(1, len(names) + 1))
    return any(descriptor is not None and descriptor.hidden for descriptor in found)


def missed(form: Form) -> tuple[int, list[str]]:
    """(number of leaves of the schema that the operator does not hide, those of them without a control)."""
    found = controls(form)
    above = {pointer[:end] for pointer in found for end in range(len(pointer)) if pointer[end] == "/"}
    wanted = list(leaves(dict(form.schema.root))) or ["/spec"]
    wanted = [pointer for pointer in wanted if not is_hidden(form, pointer)]
    return len(wanted), [
        pointer
        for pointer in wanted
        if pointer not in found and pointer not in above and f"{pointer.rpartition('/')[0]}/*" not in found
    ]
