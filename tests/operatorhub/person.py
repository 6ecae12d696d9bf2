"""A user without JavaScript: opens a page, fills in a form, presses a button, follows redirects."""

from typing import Any

from django.http import QueryDict
from django.test import Client

from tests import eventually
from tests.forms.dom import Element, parse, sent


class Person:
    """One browser without JavaScript, at one page at a time."""

    def __init__(self) -> None:
        self.web = Client()
        self.url = ""
        self.status = 0
        self.page = Element(tag="root", attributes={})
        self.html = ""

    def open(self, url: str, **query: Any) -> "Person":
        """Look at an address, wherever it leads."""
        return self._arrive(self.web.get(url, query, follow=True), url)

    def _arrive(self, answer: Any, url: str) -> "Person":
        chain = getattr(answer, "redirect_chain", None)
        self.url, self.status = (chain[-1][0] if chain else url), answer.status_code
        self.html = answer.content.decode()
        self.page = parse(self.html)
        assert self.status < 500 or self.status in (502, 503), f"{self.url}: {self.status} {self.words[-2500:]}"
        return self

    @property
    def words(self) -> str:
        """All text of the page, blanks made one."""
        return " ".join(" ".join(item.text for item in self.page.walk() if item.tag not in ("script", "style")).split())

    def element(self, identity: str) -> Element | None:
        """By its id."""
        return next((item for item in self.page.walk() if item.attributes.get("id") == identity), None)

    def button(self, label: str) -> Element | None:
        """The first button with these words in the page's main part, whether it can be pressed or not."""
        main = next((item for item in self.page.walk() if item.tag == "main"), self.page)
        buttons = (item for item in main.walk() if item.tag == "button")
        return next((item for item in buttons if " ".join(item.words.split()) == label), None)

    def link(self, label: str) -> str:
        """Where a link leads; '' when there is none."""
        links = (item for item in self.page.walk() if item.tag == "a" and " ".join(item.words.split()) == label)
        return next((item.attributes.get("href", "") for item in links), "")

    def press(self, label: str, **values: Any) -> "Person":
        """Fill in the button's form and send it.

        A value is a text, or a list of what is ticked; names with dashes are written with two underscores.
        """
        button = self.button(label)
        assert button is not None, f"no button “{label}” at {self.url}: {self.words[:1500]}"
        assert not button.disabled and button.attributes.get("aria-disabled") != "true", f"“{label}” can't be pressed"
        form = _form_of(self.page, button)
        for name, value in values.items():
            _fill(form, name.replace("__", "-"), value)
        pressed = (button.name, button.attributes.get("value", "")) if button.name else None
        inside = pressed if pressed is None or button in list(form.walk()) else None
        data = QueryDict(mutable=True)
        for name, value in sent(form, inside):
            data.appendlist(name, value)
        if pressed and not inside:
            data.appendlist(*pressed)
        action = button.attributes.get("formaction") or form.attributes.get("action") or self.url
        method = button.attributes.get("formmethod") or form.attributes.get("method", "get")
        if method.lower() == "get":
            return self._arrive(self.web.get(action.partition("?")[0], data.dict(), follow=True), action)
        body = data.urlencode()
        answer = self.web.post(action, body, content_type="application/x-www-form-urlencoded", follow=True)
        return self._arrive(answer, action)

    def until(self, url: str, holds: Any, seconds: float = 120) -> "Person":
        """Look at an address again and again until it shows something. Fails with what it showed last."""
        try:
            eventually.until(lambda: holds(self.open(url)), url, seconds=seconds)
        except AssertionError as late:
            raise AssertionError(f"{late}: {self.status} {self.words[:3000]}") from None
        return self


def _form_of(page: Element, button: Element) -> Element:
    if name := button.attributes.get("form"):
        return next(item for item in page.walk() if item.attributes.get("id") == name)
    place: Element | None = button
    while place is not None and place.tag != "form":
        place = place.parent
    assert place is not None, f"the button “{button.words}” has no form"
    return place


def _fill(form: Element, name: str, value: Any) -> None:
    fields = [item for item in form.walk() if item.name == name and item.tag in ("input", "textarea", "select")]
    assert fields, f"no field {name}; there are {sorted({item.name for item in form.walk() if item.name})}"
    wanted = [str(item) for item in value] if isinstance(value, list) else [str(value)]
    for field in fields:
        if field.kind in ("radio", "checkbox"):
            field.checked = field.attributes.get("value", "on") in wanted
        else:
            field.value = wanted[0]
