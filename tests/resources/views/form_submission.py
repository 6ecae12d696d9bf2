"""What a browser without script would send of the page's own form."""

import re
from typing import Any

from django.test import Client

from tests.forms import dom


def element(page: Any, name: str) -> dom.Element | None:
    """The element of that id."""
    root = dom.parse(page.content.decode())
    return next((element for element in root.walk() if element.attributes.get("id") == name), None)


def flat(page: Any) -> str:
    """The page with one space where a template breaks a line, and none before the end of a tag."""
    return re.sub(r"\s+(?=>)", "", re.sub(r"\s+", " ", page.content.decode()))


def controls(page: Any) -> list[tuple[str, str]]:
    """Names and values of the form's controls, in the page's order."""
    form = element(page, "form")
    assert form is not None, page.content.decode()[:4000]
    # A control may stand elsewhere on the page and name its form, as the menu of starts does.
    root = dom.parse(page.content.decode())
    outside = [item for item in root.walk() if item.tag != "button" and item.attributes.get("form") == "form"]
    return [*dom.sent(form), *(pair for item in outside for pair in dom.sent(item))]


def send(browser: Client, page: Any, *extra: tuple[str, str], to: str = "", headers: Any = None, **changed: str) -> Any:
    """Post the form; `changed` by the end of a control's name, __ for /; `extra` is the button, or what script would
    add.
    """
    form = element(page, "form")
    assert form is not None
    data: dict[str, list[str]] = {}
    for name, value in controls(page):
        ends = [text for end, text in changed.items() if name[0] not in "ekuvw" and _ends(name, end)]
        data.setdefault(name, []).append(ends[0] if ends else value)
    for name, value in extra:
        data[name] = [value] if not name.startswith("~add") else [*data.get(name, []), value]
    return browser.post(to or form.attributes["action"], data, headers=headers)


def _ends(name: str, end: str) -> bool:
    return name == end or name.endswith(f"/{end.replace('__', '/')}")


def text_of(page: Any) -> str:
    """What stands in the editor."""
    area = element(page, "yaml-text")
    assert area is not None, page.content.decode()[:4000]
    return area.text.removeprefix("\n")
