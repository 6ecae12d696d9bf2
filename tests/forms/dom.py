"""HTML as a browser holds it: a tree of elements, and what a form in it would send. Only what the forms' pages need."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
#: Elements whose end tag a parser adds when another of them begins.
CLOSED_BY_NEXT = frozenset({"option", "li", "p", "dt", "dd", "tr", "td", "th"})
NUMBER = re.compile(r"-?\d*\.?\d+([eE][-+]?\d+)?", re.ASCII)
SANITISED = {
    "date": re.compile(r"\d{4,}-\d\d-\d\d"),
    "time": re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,3})?)?"),
    "datetime-local": re.compile(r"\d{4,}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?"),
    "month": re.compile(r"\d{4,}-\d\d"),
    "week": re.compile(r"\d{4,}-W\d\d"),
    "color": re.compile(r"#[0-9a-fA-F]{6}"),
    "number": NUMBER,
    "range": NUMBER,
}


@dataclass(eq=False, slots=True, kw_only=True)
class Element:
    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = None
    children: list["Element"] = field(default_factory=list)
    text: str = ""
    value: str | None = None
    checked: bool = False

    def walk(self) -> Iterator["Element"]:
        """This element and all below it that are part of the page: what a <template> holds is not."""
        yield self
        if self.tag != "template":
            for child in self.children:
                yield from child.walk()

    def closest(self, attribute: str) -> "Element | None":
        place: Element | None = self
        while place and attribute not in place.attributes:
            place = place.parent
        return place

    @property
    def name(self) -> str:
        return self.attributes.get("name", "")

    @property
    def kind(self) -> str:
        return self.attributes.get("type", "text").lower() if self.tag == "input" else self.tag

    @property
    def disabled(self) -> bool:
        place: Element | None = self
        while place:
            if "disabled" in place.attributes and (place is self or place.tag == "fieldset"):
                return True
            place = place.parent
        return False

    @property
    def words(self) -> str:
        return "".join(element.text for element in self.walk())

    def replace(self, *others: "Element") -> None:
        assert self.parent
        place = self.parent.children.index(self)
        self.parent.children[place : place + 1] = others
        for other in others:
            other.parent = self.parent

    def remove(self) -> None:
        assert self.parent
        self.parent.children.remove(self)


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element(tag="root", attributes={})
        self.open = [self.root]

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        if tag in CLOSED_BY_NEXT and self.open[-1].tag == tag:
            self.open.pop()
        element = Element(tag=tag, attributes={name: value or "" for name, value in pairs}, parent=self.open[-1])
        element.checked = "checked" in element.attributes
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_data(self, data: str) -> None:
        self.open[-1].text += data

    def handle_endtag(self, tag: str) -> None:
        tags = [element.tag for element in self.open]
        assert tag in tags, f"</{tag}> ends nothing; open: {tags}"
        while len(self.open) > 1 and self.open.pop().tag != tag:
            pass


def parse(html: str) -> Element:
    """The page of this text.

    A parser makes every line end one newline and can hold no NUL and no half of a surrogate pair.
    """
    html.encode("utf-8")
    assert "\0" not in html
    tree = _Tree()
    tree.feed(html.replace("\r\n", "\n").replace("\r", "\n"))
    tree.close()
    for element in tree.root.walk():
        if element.tag in ("input", "textarea", "select"):
            element.value = _first_value(element)
    return tree.root


def _first_value(element: Element) -> str:
    if element.tag == "textarea":
        return element.text.removeprefix("\n")
    if element.tag == "select":
        options = options_of(element)
        chosen = [option for option in options if "selected" in option.attributes][-1:] or [
            option for option in options if "disabled" not in option.attributes
        ][:1]
        return value_of(chosen[0]) if chosen else ""
    return sanitised(element, element.attributes.get("value", ""))


def options_of(select: Element) -> list[Element]:
    return [child for child in select.walk() if child.tag == "option"]


def value_of(option: Element) -> str:
    return option.attributes.get("value", " ".join(option.text.split()))


def sanitised(element: Element, value: str) -> str:
    """The value that an input of that type takes when it is given this one."""
    kind = element.kind
    if kind in ("text", "search", "tel", "password"):
        return value.replace("\n", "").replace("\r", "")
    if kind in ("url", "email"):
        return value.replace("\n", "").replace("\r", "").strip()
    if kind in SANITISED:
        return value if SANITISED[kind].fullmatch(value) else "#000000" if kind == "color" else ""
    return value


def sent(root: Element, pressed: tuple[str, str] | None = None) -> list[tuple[str, str]]:
    """What is submitted, in the page's order; `pressed`: name and value of the button.

    Line ends are CRLF on the wire.
    """
    found: list[tuple[str, str]] = []
    seen = False
    for element in root.walk():
        if element.tag == "button" and pressed == (element.name, element.attributes.get("value", "")) and not seen:
            seen = True
            found.append(pressed)
        if element.tag not in ("input", "textarea", "select") or not element.name or element.disabled:
            continue
        if element.kind in ("submit", "button", "reset", "image", "file"):
            continue
        if element.kind in ("checkbox", "radio"):
            if element.checked:
                found.append((element.name, element.attributes.get("value", "on")))
            continue
        value = element.value or ""
        found.append((element.name, value.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")))
    if pressed is not None:
        assert seen, f"no button {pressed}"
    return found
