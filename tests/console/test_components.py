"""templates/components: each is shown on /-/components/, and untrusted text is escaped."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines
from django.test import Client, override_settings
from django_cotton.compiler_regex import CottonCompiler

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
EVIL = "\"><script>alert(1)</script>&'"


def _render(source: str, **context: object) -> str:
    """Of a page's text, as the loader compiles it."""
    return engines["django"].from_string(CottonCompiler().process(source)).render(context)


def _components() -> set[str]:
    """As pages name them."""
    folder = TEMPLATES / "components"
    names = (str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.html"))
    return {
        name.removesuffix("/index").replace("/", ".").replace("_", "-") for name in names if not name.startswith("_")
    }


def _used(text: str) -> set[str]:
    return set(re.findall(r"<c-((?!slot\b|vars\b)[\w.-]+)", text))


def test_every_component_is_shown() -> None:
    gallery = (TEMPLATES / "console/components.html").read_text()
    shown = _used(gallery)
    assert _components() - shown == set(), "show these on /-/components/"
    assert shown - _components() == set(), "these are no components"


@pytest.mark.django_db
def test_the_page_is_only_for_those_who_build_pages(client: Client, settings: object) -> None:
    settings.SHOW_COMPONENTS = True  # type: ignore[attr-defined]
    assert client.get("/-/components/").status_code == 200
    settings.SHOW_COMPONENTS = False  # type: ignore[attr-defined]
    assert client.get("/-/components/").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("language", dict(settings.LANGUAGES))
def test_numbers_in_attributes_are_numbers_in_every_language(client: Client, language: str) -> None:
    """Django writes 1.5 as “1,5” in Spanish and French, which no SVG and no script reads."""
    with override_settings(SHOW_COMPONENTS=True):
        page = client.get("/-/components/", headers={"Accept-Language": language}).content.decode()
    assert f'lang="{language}"' in page
    assert re.findall(r' (?:c?[xy]|d|r|width|height|points|value|data-[a-z-]+)="[^"]*\d,\d[^"]*"', page) == []


def test_no_template_lets_cotton_read_rendered_text_as_python() -> None:
    bad = [
        str(path.relative_to(TEMPLATES))
        for path in TEMPLATES.rglob("*.html")
        if re.search(r"""\s:[\w-]+=["']?[^"'>]*\{[{%]""", path.read_text())
    ]
    assert bad == []


def test_what_htmx_names_is_in_a_template() -> None:
    """A class or id that a trigger, target or the like names, and that nothing has, does nothing, silently."""
    texts = [path.read_text() for path in TEMPLATES.rglob("*.html")]
    marks = {
        f"{'#' if name == 'id' else '.'}{word}"
        for text in texts
        for name, value in re.findall(r"""\b(id|class)=["']([^"']*)""", text)
        for word in value.split()
    }
    named = {
        mark
        for text in texts
        for value in re.findall(r'\bhx-(?:trigger|target|include|sync|indicator|select)="([^"]*)"', text)
        for mark in re.findall(r"(?<![\w{}/])[#.][a-z][\w-]*(?![\w{-])", value)
    }
    assert len(named) > 20
    assert named - marks == set()


def test_no_line_of_a_template_is_longer_than_120_characters() -> None:
    long = [
        f"{path.relative_to(TEMPLATES)}:{number}"
        for path in sorted(TEMPLATES.rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > 120
    ]
    assert long == [], "templates/components/README.md says how to break them"


@pytest.mark.parametrize(
    "source",
    [
        '<c-alert title="{{ evil }}">{{ evil }}</c-alert>',
        '<c-alert :title="evil" data-name="{{ evil }}">{{ evil }}</c-alert>',
        '<c-button href="/{{ evil }}" :data-name="evil">{{ evil }}</c-button>',
        '<c-code text="{{ evil }}"></c-code>',
        '<c-field for="a" label="{{ evil }}" error="{{ evil }}"></c-field>',
        '<c-description-list><c-description-list.item term="{{ evil }}">{{ evil }}</c-description-list.item>'
        "</c-description-list>",
    ],
)
def test_what_strangers_write_stays_text(source: str) -> None:
    html = _render(source, evil=EVIL)
    assert "pf-v6-c-" in html
    inside_values = re.sub(r'"[^"]*"', '""', html)
    assert "<script" not in inside_values
    assert "&lt;script&gt;" in html


def test_a_component_sees_nothing_of_the_page_but_its_attributes() -> None:
    source = '{% with title="of the page" %}<c-alert></c-alert>{% endwith %}'
    html = _render(source)
    assert "pf-v6-c-alert" in html
    assert "of the page" not in html
