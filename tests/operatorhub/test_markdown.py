"""An author's Markdown as HTML: placeholders stay, nothing acts, nothing is fetched."""

import pytest

from console.web.markdown import render


def test_headings_begin_below_the_pages_own() -> None:
    assert "<h3>One</h3>" in render("# One\n## Two")
    assert "<h4>Two</h4>" in render("# One\n## Two")


@pytest.mark.parametrize("source", ["use <namespace> here", "use <username> and `<token>`"])
def test_placeholders_stay(source: str) -> None:
    assert render(source).count("&lt;") == source.count("<")


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        '<a href="https://a" onclick="x()">y</a>',
        "![x](https://spy.example/pixel.png)",
        '<img src=x onerror="x()">',
        '<p style="position:fixed">x</p>',
    ],
)
def test_nothing_acts_and_nothing_is_fetched(source: str) -> None:
    html = render(source)
    assert not any(word in html for word in ("<script", 'href="javascript', "onclick=", "<img", "<p style"))


def test_links_give_nothing_away() -> None:
    assert 'rel="noopener noreferrer nofollow"' in render("[x](https://example.com)")
    assert 'href="https://example.com"' in render("<https://example.com>")


def test_all_descriptions_of_the_catalog(full_cluster, django_db_blocker) -> None:  # type: ignore[no-untyped-def]
    type_ = full_cluster.find("packages.operators.coreos.com", "v1", "packagemanifests")
    for item in full_cluster.list(type_).items:
        for channel in item["status"]["channels"]:
            html = render(channel["currentCSVDesc"].get("description", ""))
            assert "<script" not in html
            assert "<img" not in html
