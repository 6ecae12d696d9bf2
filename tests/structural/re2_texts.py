"""Expressions and texts on which engines differ, and those that backtracking never ends with.

Schemas of the catalog have more.
"""

from collections.abc import Iterator
from typing import Any

TEXTS = (
    "",
    "a",
    "abc",
    "A",
    "1",
    "10",
    "1Gi",
    "500m",
    "1h30m",
    "10s",
    "foo.bar",
    "foo-bar",
    "-foo",
    "a" * 64,
    "a/b",
    "https://x.y/z",
    "10.0.0.1",
    "::1",
    "10.0.0.0/8",
    "é",
    "日本",
    "a b",
    "a\nb",
    "\n",
    "*",
    "a:1",
    "1.2.3",
    "v1.2.3-rc.1",
    "sha256:" + "a" * 64,
    "arn:aws:iam::123:role/x",
    "*.example.com",
    "_x",
    "0 0 * * *",
    "@daily",
    "2024-01-01T00:00:00Z",
    "AAAA",
    "😀",
    "x" * 300,
    "a@b.c",
    "${x}",
    "50%",
    "-1",
    "+1",
    "1e3",
    ".5",
    "5.",
)
ODD = (
    r"(?i)^a[b-d]\d*$",
    r"(?s)a.b",
    r"(?m)^b$",
    r"\bfoo\b",
    r"\Ba",
    r"^[[:alpha:]_]+$",
    r"[^\d\s]",
    r"^\Q*.\E",
    r"\p{Lu}|\pN",
    r"^[^\P{L}]+$",
    r"a{2,3}?",
    r"^(?:a|)*$",
    r"\x{1F600}",
    r"[\]\-]",
    r"^$",
    r"\z",
    r"x*",
    r"(a|b|)+c",
    r"{",
    r"a{,2}",
    r"[a-]",
    r"\141",
    r"(?P<n>a)(?<m>b)",
)
#: (pattern, the character to repeat): exponential and polynomial for who goes back and tries again.
SLOW = (
    ("^(a+)+$", "a"),
    ("^(a|aa)+$", "a"),
    ("^([a-z]+-?)*$", "a"),
    ("(x*)*y", "x"),
    ("^a*a*a*a*a*a*b$", "a"),
    (r"^(\w+\s?)*$", "w"),
    (r"(.*)*,(.*)*;", "."),
    (r"^[\s]*[\s]*[\s]*[\s]*x$", " "),
    ("(a?){60}a{60}c", "a"),
)


def patterns_of(node: Any) -> Iterator[str]:
    """The patterns of a schema."""
    if isinstance(node, dict):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        for inner in node.values():
            yield from patterns_of(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from patterns_of(inner)
