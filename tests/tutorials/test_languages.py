"""docs/tutorials in two languages: the same commands, the same clicks, by the names that the interface has in each."""

import re
from functools import cache
from pathlib import Path

import pytest

from console.web.language import with_particles
from tests.tutorials.page_sections import FOLDER, Act, matches, pages, sections

PO = Path(__file__).resolve().parents[2] / "locale/ko/LC_MESSAGES/django.po"
_PLACE = re.compile(r"%\((\w+)\)[sd]")


def page(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@cache
def messages() -> dict[str, str]:
    """Each text of the interface, and its translation."""
    found = {}
    for entry in PO.read_text(encoding="utf-8").split("\n\n"):
        texts = {
            key: "".join(re.findall(r'"(.*)"', lines))
            for key, lines in re.findall(r'^(msgid|msgstr(?:\[0\])?) ((?:"[^\n]*"\n?)+)', entry, re.MULTILINE)
        }
        if texts.get("msgid"):
            found[texts["msgid"]] = texts.get("msgstr") or texts.get("msgstr[0]") or ""
    return found


@cache
def patterns() -> list[tuple[re.Pattern[str], list[str], str]]:
    """Of the short texts with places: how they look filled in, the places' names, the translation.

    Whole sentences name nothing to click.
    """
    found = []
    for text, translation in messages().items():
        names = _PLACE.findall(text)
        if names and len(text) < 60 and len(_PLACE.sub("", text)) > 3:
            parts = [re.escape(part) for part in _PLACE.split(text)]
            parts[1::2] = [r"(\d+)" if name == "number" else "(.+)" for name in names]
            found.append((re.compile("".join(parts)), names, translation))
    return found


@cache
def translations(words: str) -> set[str]:
    """What the interface may say in Korean for these words; a name that isn't a text of the interface (a kind, a field,
    an object) stays.
    """
    found = {messages()[text].rstrip(":") for text in (words, f"{words}:") if text in messages()}
    for pattern, names, translation in patterns():
        if given := pattern.fullmatch(words):
            values = dict(zip(names, given.groups(), strict=True))
            found.add(with_particles(_PLACE.sub(r"%(\1)s", translation)) % values)
    first, _, rest = words.partition(" ")
    if not found and rest and first in messages():
        # A word of the interface, and behind it, for those who do not see where it stands, what it is for.
        found = {f"{messages()[first]} {rest}"}
    return found or {words}


@pytest.mark.parametrize("name", pages())
def test_the_commands_are_the_same(name: str) -> None:
    english, korean = (sections(page(item)) for item in (name, f"{name}.ko"))
    assert [item.typed for item in english] == [item.typed for item in korean]
    assert [item.marks for item in english] == [item.marks for item in korean]


@pytest.mark.parametrize("name", pages())
def test_the_clicks_are_the_same_by_the_korean_names(name: str) -> None:
    english, korean = (sections(page(item)) for item in (name, f"{name}.ko"))
    for ours, theirs in zip(english, korean, strict=True):
        for step, other in zip(ours.acts, theirs.acts, strict=True):
            assert [(act.does, act.value) for act in step] == [(act.does, act.value) for act in other], other
            for act, twin in zip(step, other, strict=True):
                assert act.does not in ("click", "fill") or twin.label in {
                    *translations(act.label),
                    *untranslated(act),
                }, (
                    act.label,
                    twin.label,
                    translations(act.label),
                )
                assert act.does != "open" or act.label == twin.label


def untranslated(act: Act) -> set[str]:
    """What is not translated even where the interface has such a word of its own: fields, named by their schema;
    kinds, operators and catalogs, by authors.
    """
    return {act.label} if act.does == "fill" or act.label in kinds() else set()


@cache
def kinds() -> set[str]:
    packages = FOLDER.parents[1] / "examples/operators/packages"
    sources = "\n".join(
        file.read_text(encoding="utf-8") for file in (packages / "catalog.json", *packages.glob("*/*/csv.yaml"))
    )
    return set(re.findall(r'"?displayName"?: "?([^",\n]+)', sources))


@pytest.mark.parametrize("name", [*pages(), *pages("ko")])
def test_each_step_is_by_click_and_by_kubectl(name: str) -> None:
    for section in sections(page(name)):
        assert section.acts and section.typed, section.title


def test_every_page_is_in_the_index_of_its_language() -> None:
    assert sorted(path.stem for path in FOLDER.glob("[0-9]*.md") if ".ko" not in path.name) == sorted(pages())
    korean = (FOLDER / "README.ko.md").read_text(encoding="utf-8")
    assert all(f"]({name}.md)" in korean for name in pages("ko"))


def test_what_counts_as_printed() -> None:
    assert matches("NAME   AGE\na-…   …", "NAME AGE\na-1x 3s\n")
    assert matches("…\nlast", "first\nsecond\nlast\n")
    assert not matches("NAME", "NAME\nmore\n")
    assert not matches("a b", "ab\n")


def test_the_readme_has_the_same_commands_and_leads_to_the_same_pages_in_both_languages() -> None:
    root = FOLDER.parents[1]
    english, korean = ((root / name).read_text(encoding="utf-8") for name in ("README.md", "README.ko.md"))

    def commands(text: str) -> list[str]:
        return [line.partition("#")[0].strip() for line in text.splitlines() if line.startswith("    ")]

    def links(text: str) -> set[str]:
        found = {link.partition("#")[0].replace(".ko.md", ".md") for link in re.findall(r"\]\(([^)]+)\)", text)}
        return {link.removesuffix("/README.md") for link in found if not link.startswith("http")} - {"README.md"}

    assert commands(korean) == commands(english)
    assert links(korean) == links(english)
    assert all((root / link).exists() for link in links(korean))
