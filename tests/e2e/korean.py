"""English texts on a Korean page that have a translation in the catalogue: they were rendered untranslated."""

import re
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

from babel.messages.pofile import read_po

PO = Path(__file__).resolve().parents[2] / "locale/ko/LC_MESSAGES/django.po"
_SILENT = {"script", "style", "code", "pre", "textarea", "kbd", "template"}
_VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
    "path",
    "rect",
    "circle",
    "use",
}
_SAID = ("aria-label", "title", "placeholder", "alt", "aria-description")
_PLACE = re.compile(r"%\(\w+\)[sd]|%%")
_WORD = re.compile(r"[A-Za-z]{2,}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A msgid, and how it looks with anything in its places."""

    text: str
    looks: re.Pattern[str]
    fixed: int

    def fits(self, text: str) -> bool:
        """A text that is mostly placeholders doesn't count: its words come from elsewhere."""
        return 2 * self.fixed >= len(text) and self.looks.fullmatch(text) is not None


def sentences() -> tuple[Sentence, ...]:
    """Those of two words and more whose Korean is another text: one word may be a kind's, a condition's or a
    column's of the cluster.
    """
    found = []
    with PO.open("rb") as source:
        for message in read_po(source, locale="ko"):
            forms = message.id if isinstance(message.id, tuple | list) else (message.id,)
            korean = message.string if isinstance(message.string, tuple | list) else (message.string,)
            for form in forms:
                fixed = " ".join(_PLACE.sub(" ", form).split())
                if len(_WORD.findall(fixed)) >= 2 and form not in korean:
                    parts = (re.escape(" ".join(part.split())) for part in _PLACE.split(form))
                    found.append(Sentence(form, re.compile(r"\s*.*?\s*".join(parts)), len(fixed)))
    return tuple(found)


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        silent = tag in _SILENT or (self._open[-1][1] if self._open else False)
        # Marked as another language's: names of languages, what authors of operators wrote.
        silent = silent or given.get("lang") == "en" or given.get("translate") == "no"
        if not silent:
            self.found += [given[name] or "" for name in _SAID if given.get(name)]
        if tag not in _VOID:
            self._open.append((tag, silent))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        return

    def handle_endtag(self, tag: str) -> None:
        while any(item == tag for item, _silent in self._open):
            if self._open.pop()[0] == tag:
                return

    def handle_data(self, data: str) -> None:
        if not (self._open and self._open[-1][1]):
            self.found.append(data)


def english(html: str, known: tuple[Sentence, ...]) -> list[str]:
    """The texts of a page, of its labels and hints too, that are sentences of ours in English."""
    reader = _Texts()
    reader.feed(html)
    texts = dict.fromkeys(" ".join(unescape(text).split()) for text in reader.found)
    return [text for text in texts if len(_WORD.findall(text)) >= 2 and any(item.fits(text) for item in known)]
