"""Every pattern of real schemas, in a real browser: it finds what the API server finds, and none hangs the page."""

from pathlib import Path

import pytest
import yaml

from structural import patterns
from tests.chromium import Contexts
from tests.forms import kinds
from tests.structural.re2_texts import ODD, SLOW, TEXTS, patterns_of

pytestmark = pytest.mark.page_only

#: The package's module, which the bundle holds as a part of its own.
RE2 = Path(__file__).resolve().parents[2] / "node_modules/re2js/build/index.umd.js"
SCRIPT = (
    "([rows, texts]) => rows.map((row) => { const made = RE2JS.RE2JS.compile(row); return texts.map((text) =>"
    " made.test(text)); })"
)


def matched(contexts: Contexts, rows: list[str], texts: list[str]) -> list[list[bool]]:
    page = contexts().new_page()
    page.add_script_tag(path=RE2)
    found: list[list[bool]] = page.evaluate(SCRIPT, [rows, texts])
    return found


def test_patterns_mean_the_same(contexts: Contexts) -> None:
    files = sorted(kinds.CATALOG.glob("*/*/crds/*"))[::6] if kinds.CATALOG.is_dir() else []
    wanted = sorted(
        {item for file in files for item in patterns_of(yaml.load(file.read_text(), kinds.Loader))} | set(ODD)
    )
    assert all(patterns.compiled(pattern) is not None for pattern in wanted)
    for pattern, row in zip(wanted, matched(contexts, wanted, list(TEXTS)), strict=True):
        assert row == [patterns.matches(pattern, text) for text in TEXTS], pattern


@pytest.mark.timeout(60)
def test_s4_no_pattern_hangs_the_page(contexts: Contexts) -> None:
    for pattern, char in SLOW:
        text = char * 20_000 + "!"
        assert matched(contexts, [pattern], [text]) == [[patterns.matches(pattern, text)]], pattern
