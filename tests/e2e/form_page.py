"""A form in a real browser with neither a console nor a cluster: its page, its scripts and styles, and the parts
that it asks for.
"""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, parse_qsl

import pytest
from django.conf import settings
from playwright.sync_api import Page, Route

from tests.forms.page import Form

URL = "http://form.invalid/"
HEAD = (
    '<!DOCTYPE html><html lang="en" class="console-scripted"><head><meta charset="utf-8"><title>Form</title>'
    '<meta name="csrf-token" content=""><link rel="stylesheet" href="/static/css/console.css">'
    '<link rel="stylesheet" href="/static/css/form.css"><script type="module" src="/static/js/form.js"></script>'
    '</head><body><main id="main">'
)


@dataclass
class BrowserForm:
    """`sent`: the body of each submission, as names and values."""

    page: Page
    form: Form
    obj: dict[str, Any]
    sent: list[list[tuple[str, str]]] = field(default_factory=list)

    def open(self) -> "BrowserForm":
        if not (settings.BASE_DIR / "static/vendor/js/form.js").is_file():
            pytest.skip("needs the built front end: make run builds it")
        self.page.route(f"{URL}**", self._answer)
        self.page.goto(URL)
        return self

    def _answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(URL).partition("?")[0]
        body = route.request.post_data or ""
        if path.startswith("static/"):
            file = settings.BASE_DIR / path.replace("static/", "static/vendor/", 1)
            if file.is_file():
                route.fulfill(path=file)
            else:
                route.fulfill(status=404)
        elif "~pointer" in body:
            posted = parse_qs(body) if body.startswith("~") else _multipart(body)
            number = int(posted["~number"][0] or 0)
            html = self.form.part(self.obj, posted["~pointer"][0], number)
            route.fulfill(body=html, content_type="text/html")
        elif route.request.method == "POST":
            self.sent.append(parse_qsl(body, keep_blank_values=True))
            route.fulfill(status=204)
        else:
            route.fulfill(body=f"{HEAD}{self.form.html(self.obj)}</main></body></html>", content_type="text/html")

    def box(self, pointer: str) -> Any:
        return self.page.locator(f'[data-pointer="{pointer}"]')

    def fill(self, name: str, text: str) -> None:
        control = self.page.locator(f'[name="{name}"]')
        control.fill(text)
        control.dispatch_event("change")

    def submit(self) -> list[tuple[str, str]]:
        with self.page.expect_response(lambda response: response.request.method == "POST"):
            self.page.evaluate("document.getElementById('form').requestSubmit()")
        return self.sent[-1]


def _multipart(body: str) -> dict[str, list[str]]:
    """The text fields of a multipart body, as far as forms here send them."""
    found: dict[str, list[str]] = {}
    for part in body.split("Content-Disposition: form-data; name=")[1:]:
        name, _, rest = part.removeprefix('"').partition('"')
        found.setdefault(name, []).append(rest.strip("\r\n").partition("\r\n")[0])
    return found
