"""What a browser would send of a form: every named, enabled control of the HTML, in the page's order."""

from collections.abc import Iterator

from tests.forms import dom


def controls(html: str) -> list[tuple[str, str]]:
    return dom.sent(dom.parse(html))


def named(posted: list[tuple[str, str]], name: str) -> Iterator[str]:
    return (value for found, value in posted if found == name)
