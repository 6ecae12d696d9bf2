"""A form's page in a test: the real templates, the real reading of what was sent, and no cluster.

`Page.press` is a button without script: the whole form is sent and drawn again. `Page.fetch` is the same button with
script: one part is asked for and put in its place, as static/js/form.js does it.
"""

from dataclasses import dataclass, field
from typing import Any

from django.template.loader import render_to_string
from django.test import RequestFactory

from kube.discovery import ResourceType
from resources.forms import build, parse
from resources.forms.fields import FormInput, Options
from resources.forms.parse import Parsed
from resources.forms.schema import Schema
from resources.place import Place
from resources.views import form_page
from resources.views.submission import received
from resources.writing import draft
from resources.writing.examples import Offer
from tests.forms import dom
from tests.forms.dom import Element
from tests.forms.kinds import Kind

NAMESPACES = ("default", "shop")
REQUEST = RequestFactory().get("/")


@dataclass(frozen=True, repr=False)
class Form:
    """A kind as its form's page needs it."""

    type: ResourceType
    schema: Schema
    offer: Offer

    @classmethod
    def of_kind(cls, kind: Kind, offer: Offer | None = None) -> "Form":
        spec = kind.crd["spec"]
        names = spec["names"]
        type_ = ResourceType(
            group=spec["group"],
            version=kind.version,
            plural=names["plural"],
            kind=names["kind"],
            namespaced=spec["scope"] == "Namespaced",
        )
        return cls(type_, Schema.from_document(kind.schema), offer or Offer())

    def begin(self, example: dict[str, Any] | None = None) -> dict[str, Any]:
        return draft.begin(self.type, "default", self.schema, example)

    def html(self, obj: dict[str, Any], typed: FormInput | None = None, **more: Any) -> str:
        place = Place(self.type, "default")
        page = form_page.make(place, self.schema, obj, offer=self.offer, choice=NAMESPACES, typed=typed, **more)
        return render_to_string("resources/form.html", {"skeleton": "part.html", "form": page, "request": REQUEST})

    def part(self, obj: dict[str, Any], pointer: str, number: int = 0) -> str:
        options = Options(self.offer.descriptors, room=80)
        made = build.at(self.schema, obj, pointer, options, number)
        return render_to_string("resources/_form_field.html", {"field": made, "request": REQUEST})

    def open(self, obj: dict[str, Any], **more: Any) -> "Page":
        return Page(form=self, html=self.html(obj, **more))


@dataclass(repr=False, kw_only=True)
class Page:
    """What is on the screen."""

    form: Form
    html: str
    root: Element = field(init=False)
    added: int = 0
    sent: int = 0
    _index: dict[str, list[Element]] | None = None

    def __post_init__(self) -> None:
        self.show(self.html)

    def show(self, html: str) -> None:
        self.html = html
        self.root = dom.parse(html)
        self._index = None

    # What is to be seen

    @property
    def index(self) -> dict[str, list[Element]]:
        """Controls and buttons by name; buttons by name and value too."""
        if self._index is None:
            self._index = {}
            for element in self.root.walk():
                if element.name:
                    self._index.setdefault(element.name, []).append(element)
                if element.tag == "button" and element.name:
                    key = f"{element.name}={element.attributes.get('value', '')}"
                    self._index.setdefault(key, []).append(element)
                if "data-pointer" in element.attributes:
                    self._index.setdefault(f"at={element.attributes['data-pointer']}", []).append(element)
        return self._index

    def changed(self) -> None:
        self._index = None

    def named(self, name: str) -> list[Element]:
        return [element for element in self.index.get(name, ()) if not element.disabled and usable(element)]

    def has_button(self, name: str, value: str) -> bool:
        return bool(self.named(f"{name}={value}"))

    def places(self) -> dict[str, int]:
        """Every item on the page, by its pointer, with its place in its list."""
        found: dict[str, int] = {}
        lists: dict[str, int] = {}
        for name in self.index:
            parts = name.partition(":")[2].split("/")
            for end, part in enumerate(parts):
                pointer = "/".join(parts[: end + 1])
                if part.startswith("@") and pointer not in found:
                    above = "/".join(parts[:end])
                    found[pointer] = lists.setdefault(above, 0)
                    lists[above] += 1
        return found

    @property
    def base(self) -> dict[str, Any]:
        (control,) = self.index["~base"]
        return received(control.value or "")

    # What is done

    def submit(self) -> Parsed:
        return parse.parse(self.base, dom.sent(self.root))

    def press(self, name: str, value: str) -> None:
        """Without script."""
        assert self.has_button(name, value), f"no button {name} {value}"
        posted = dom.sent(self.root, (name, value))
        parsed = parse.parse(self.base, [*posted, *parse.asked(posted)])
        self.sent += 1
        self.show(self.form.html(parsed.object, parsed.typed))

    def fetch(self, pointer: str) -> None:
        """`~open` with script."""
        assert self.has_button("~open", pointer), f"nothing to open at {pointer}"
        (old, *_) = self.index[f"at={pointer}"]
        old.replace(*dom.parse(self.form.part(self.base, pointer)).children)
        self.changed()

    def fetch_item(self, pointer: str) -> str:
        """`~add` with script; the new item's pointer."""
        assert self.has_button("~add", pointer), f"nothing to add to at {pointer}"
        (place, *_) = self.index[f"at={pointer}"]
        items = next(
            element
            for element in place.walk()
            if "console-items" in element.attributes.get("class", "").split()
            and element.closest("data-pointer") is place
        )
        self.added += 1
        made = f"{pointer}/@n{1000 + self.added}"
        for child in dom.parse(self.form.part(self.base, made, len(items.children) + 1)).children:
            child.parent = items
            items.children.append(child)
        self.changed()
        return made


def usable(element: Element) -> bool:
    """Whether a person without script can get at it."""
    place: Element | None = element
    while place:
        if "data-script" in place.attributes or (
            "hidden" in place.attributes and place.attributes.get("id") != "form-state"
        ):
            return False
        place = place.parent
    return True
