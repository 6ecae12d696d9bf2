"""Every pattern of real schemas, in a real browser: it finds what the API server finds, word for word."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser

from resources.forms.native import Unsayable, constraints, javascript
from structural import automaton
from tests.forms import kinds
from tests.structural.test_automaton import ODD, TEXTS

pytestmark = pytest.mark.page_only

SCRIPT = """([rows, texts]) => rows.map(([js, attribute]) => {
  const input = Object.assign(document.createElement("input"), { pattern: attribute });
  return texts.map((text) => {
    const found = new RegExp(js, "v").test(text);
    if (text === "" || text.includes("\\n")) return [found, null];
    input.value = text;
    return [found, !input.validity.patternMismatch];
  });
})"""


def patterns(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        for inner in node.values():
            yield from patterns(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from patterns(inner)


def test_patterns_mean_the_same(browser: Browser) -> None:
    files = sorted(kinds.CATALOG.glob("*/*/crds/*"))[::6] if kinds.CATALOG.is_dir() else []
    found = {one for file in files for one in patterns(yaml.load(file.read_text(), kinds.Loader))} | set(ODD)
    said: list[tuple[str, str, str]] = []
    for pattern in sorted(found):
        try:
            said.append((pattern, javascript(pattern), constraints({"type": "string", "pattern": pattern}).pattern))
        except Unsayable:
            continue
    assert len(said) > 0.9 * len(found)
    page = browser.new_page()
    try:
        answers = page.evaluate(SCRIPT, [[[js, attribute] for _, js, attribute in said], list(TEXTS)])
    finally:
        page.close()
    for (pattern, js, _), row in zip(said, answers, strict=True):
        for text, (searched, whole) in zip(TEXTS, row, strict=True):
            wanted = automaton.search(pattern, text)
            assert wanted in (None, searched), (pattern, js, text)
            assert whole is None or wanted in (None, whole), (pattern, js, text)


@pytest.mark.parametrize("text", ["a\nb", "😀"])
def test_texts_over_several_lines_and_beyond_the_first_plane(browser: Browser, text: str) -> None:
    page = browser.new_page()
    try:
        for pattern in ("^.$", "^.{2}$", "b$", "^[^a]+$"):
            script = "([js, text]) => new RegExp(js, 'v').test(text)"
            assert page.evaluate(script, [javascript(pattern), text]) == automaton.search(pattern, text), pattern
    finally:
        page.close()
