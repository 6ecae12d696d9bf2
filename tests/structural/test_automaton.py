"""Expressions matched in linear time: as RE2 matches them, and quickly where Python would never come back."""

import importlib.util
import time
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from structural import automaton, patterns, regex
from tests.forms import kinds

TEXTS = (
    "", "a", "abc", "A", "1", "10", "1Gi", "500m", "1h30m", "10s", "foo.bar", "foo-bar", "-foo", "a" * 64, "a/b", "https://x.y/z",
    "10.0.0.1", "::1", "10.0.0.0/8", "é", "日本", "a b", "a\nb", "\n", "*", "a:1", "1.2.3", "v1.2.3-rc.1", "sha256:" + "a" * 64,
    "arn:aws:iam::123:role/x", "*.example.com", "_x", "0 0 * * *", "@daily", "2024-01-01T00:00:00Z", "AAAA", "😀", "x" * 300, "a@b.c",
    "${x}", "50%", "-1", "+1", "1e3", ".5", "5.",
)  # fmt: skip
ODD = (
    r"(?i)^a[b-d]\d*$", r"(?s)a.b", r"(?m)^b$", r"\bfoo\b", r"\Ba", r"^[[:alpha:]_]+$", r"[^\d\s]", r"^\Q*.\E", r"\p{Lu}|\pN", r"^[^\P{L}]+$",
    r"a{2,3}?", r"^(?:a|)*$", r"\x{1F600}", r"[\]\-]", r"^$", r"\z", r"x*", r"(a|b|)+c", r"{", r"a{,2}", r"[a-]", r"\141", r"(?P<n>a)(?<m>b)",
)  # fmt: skip


def found(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        for inner in node.values():
            yield from found(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from found(inner)


def _assert_as_re2(expressions: Iterator[str] | tuple[str, ...]) -> int:
    cel = importlib.import_module("structural.cel.expressions")
    source = cel.compile_expression("self.text.matches(self.pattern)")
    seen = set(expressions)
    for pattern in seen:
        for text in TEXTS:
            expected = bool(cel.run(source, {"text": text, "pattern": pattern}, None, False))
            assert automaton.search(pattern, text) == expected, (pattern, text)
            assert patterns.matches(pattern, text) == expected, (pattern, text)
    return len(seen)


needs_re2 = pytest.mark.skipif(
    importlib.util.find_spec("cel_expr_python") is None, reason="RE2 comes with the CEL library"
)


@needs_re2
def test_odd_expressions_match_as_in_re2() -> None:
    assert _assert_as_re2(ODD) == len(ODD)


@needs_re2
@pytest.mark.skipif(not kinds.CATALOG.is_dir(), reason=f"the catalog is not at {kinds.CATALOG}")
def test_expressions_of_real_schemas_match_as_in_re2() -> None:
    files = sorted(kinds.CATALOG.glob("*/*/crds/*"))[::12]
    assert _assert_as_re2(one for file in files for one in found(yaml.load(file.read_text(), kinds.Loader))) > 20


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)+$", "^([a-z]+-?)*$", "(x*)*y"])
def test_no_text_takes_for_ever(pattern: str) -> None:
    began = time.process_time()
    assert not patterns.matches(pattern, "a" * 300 + "!")
    assert time.process_time() - began < 1


def test_what_is_too_large_is_not_judged() -> None:
    assert automaton.search("^((a{1000}){1000})$", "b") is None
    assert patterns.matches("^((a{0,1000}){1000})$", "b")


@pytest.mark.parametrize(
    "pattern", ["(", "a**", "a++", "(?=x)", "(?<!x)a", r"(a)\1", "[z-a]", "x{2,1}", "x{2000}", ")", "*", "[a", r"\y"]
)
def test_what_re2_refuses(pattern: str) -> None:
    with pytest.raises(regex.Malformed):
        regex.parse(pattern)
