"""Patterns of schemas, and string formats."""

import importlib.util
import time

import pytest

from structural import formats, patterns
from tests.structural.re2_texts import ODD, SLOW, TEXTS


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (r"^a$", ["a"], ["a\n", "ab"]),
        (r"^a\z", ["a"], ["a\n"]),
        (r"^[[:alpha:]_]+$", ["aB_"], ["a1", "é"]),
        (r"^[]a]+$", ["]a"], ["b"]),
        (r"^[^]a]+$", ["b"], ["]"]),
        (r"^\d\w\s$", ["1a "], ["١a "]),
        (r"(?i)^abc$", ["ABC"], ["ab"]),
        (r"^(?i)abc$", ["ABC"], ["ab"]),
        (r"x(?i)y|z$", ["xY", "aZ"], ["Xy"]),
        (r"^\Qa.b\E$", ["a.b"], ["axb"]),
        (r"^\p{L}+$", ["é日本"], ["1"]),
        (r"^\x{41}$", ["A"], ["B"]),
        (r"^(?P<n>a)(?<m>b)$", ["ab"], ["a"]),
        (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", ["a-b"], ["-a"]),
        (r"^[\w.\-/$]+$", ["a$/"], ["a b"]),
        (r"^[[:^alpha:]]$", ["1"], ["a"]),
    ],
)
def test_pattern(pattern: str, yes: list[str], no: list[str]) -> None:
    assert patterns.fault(pattern) == ""
    assert all(patterns.matches(pattern, text) for text in yes)
    assert not any(patterns.matches(pattern, text) for text in no)


@pytest.mark.parametrize("pattern", ["(", "a**", "a++", "(?=x)", "(?<!x)a", r"(a)\1", "[z-a]", "x{2,1}"])
def test_what_re2_refuses(pattern: str) -> None:
    assert patterns.fault(pattern).startswith("error parsing regexp: ")


@pytest.mark.parametrize(("pattern", "char"), SLOW)
def test_s4_no_pattern_takes_for_ever(pattern: str, char: str) -> None:
    """`^a*a*a*a*a*a*b$` held up the web process; now a megabyte of text is a matter of moments."""
    began = time.process_time()
    assert not patterns.matches(pattern, char * 1_000_000 + "!") or pattern.endswith("*$")
    assert time.process_time() - began < 5


def test_s4_a_pattern_too_large_for_its_memory_is_none() -> None:
    began = time.process_time()
    assert patterns.fault(r"((\pL{50}){50}){20}")
    assert patterns.matches(r"((\pL{50}){50}){20}", "x")
    assert time.process_time() - began < 5


def test_text_that_is_no_unicode_is_judged() -> None:
    assert not patterns.matches("^a$", "\ud800")


@pytest.mark.skipif(importlib.util.find_spec("cel_expr_python") is None, reason="the CEL library has an RE2 of its own")
def test_patterns_match_as_in_the_cel_library() -> None:
    cel = importlib.import_module("structural.cel.expressions")
    source = cel.compile_expression("self.text.matches(self.pattern)")
    for pattern in ODD:
        for text in TEXTS:
            expected = bool(cel.run(source, {"text": text, "pattern": pattern}, None, False))
            assert patterns.matches(pattern, text) == expected, (pattern, text)


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("date-time", "2020-01-01T00:00:00.5+01:00", "2020-01-01 00:00:00"),
        ("duration", "1h30m", "x"),
        ("duration", "2 hours", ""),
        ("ipv4", "1.2.3.4", "1.2.3.04"),
        ("cidr", "10.0.0.1/8", "10.0.0.0/33"),
        ("email", "a@example.com", "a@"),
        ("hostname", "a-b.example.com", "-a.example.com"),
        ("uri", "/path", "path"),
        ("uuid4", "6fa459ea-ee8a-4ca4-894e-db77e160355e", "6fa459ea-ee8a-3ca4-894e-db77e160355e"),
        ("isbn10", "0321751043", "0321751044"),
        ("isbn13", "978-0321751041", "978-0321751042"),
        ("creditcard", "4111-1111-1111-1111", "4111-1111-1111-1112"),
        ("rgbcolor", "rgb(255,0,10)", "rgb(256,0,0)"),
        ("k8s-long-name", "a.b-c", "A.b"),
        ("something", "anything", None),
    ],
)
def test_format(name: str, yes: str, no: str | None) -> None:
    assert formats.holds(name, yes)
    assert no is None or not formats.holds(name, no)
