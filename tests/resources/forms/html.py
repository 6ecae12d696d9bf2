"""What a browser would send of a form: every named, enabled control of the HTML, in the page's order."""

from collections.abc import Iterator
from html.parser import HTMLParser


class _Controls(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str]] = []
        self.select: dict[str, object] | None = None
        self.area: tuple[str, list[str]] | None = None

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in pairs}
        name = attributes.get("name", "")
        if "disabled" in attributes:
            name = ""
        if tag == "input":
            kind = attributes.get("type", "text")
            if name and (kind != "checkbox" or "checked" in attributes):
                value = attributes.get("value", "")
                if kind in ("text", "password", "search"):
                    value = value.replace("\r", "").replace("\n", "")
                self.found.append((name, value))
        elif tag == "select":
            self.select = {"name": name, "value": None}
        elif tag == "option" and self.select is not None:
            if "selected" in attributes or self.select["value"] is None:
                self.select["value"] = attributes.get("value", "")
        elif tag == "textarea":
            self.area = (name, [])

    def handle_data(self, data: str) -> None:
        if self.area:
            self.area[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "select" and self.select:
            if self.select["name"]:
                self.found.append((str(self.select["name"]), str(self.select["value"])))
            self.select = None
        elif tag == "textarea" and self.area:
            name, parts = self.area
            # A parser drops the first newline; the wire has CRLF.
            text = "".join(parts).replace("\r\n", "\n").replace("\r", "\n").removeprefix("\n").replace("\n", "\r\n")
            if name:
                self.found.append((name, text))
            self.area = None


def controls(html: str) -> list[tuple[str, str]]:
    parser = _Controls()
    parser.feed(html)
    parser.close()
    return parser.found


def named(posted: list[tuple[str, str]], name: str) -> Iterator[str]:
    return (value for found, value in posted if found == name)
