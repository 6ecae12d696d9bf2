"""Objects that a schema allows, and some that it does not: everything JSON can say, at every place of a kind.

`rnd` is `random.Random`, or Hypothesis's, which shrinks what fails.
"""

from random import Random
from typing import Any

from resources.forms.schema import Node, Schema, kind_of

TEXTS = (
    "",
    " ",
    "a",
    " two  words ",
    "a\nb",
    "\nfirst line empty",
    "a\r\nb\r\n",
    "\r",
    "\x00",
    "\x0b",
    "\x7f",
    "\ud800",
    "\udfffx",
    "\ufeff",
    "\ufffe",
    "null",
    "no",
    "~",
    "true",
    "1",
    "007",
    "-0",
    "1_000",
    "0o17",
    "0x1f",
    "1e3",
    ".inf",
    ".nan",
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "12:30:45",
    "=",
    "<b>&amp;</b>",
    "</textarea><script>",
    "'",
    '"',
    '"quoted"',
    "a: b",
    "# comment",
    "- item",
    "{",
    "&anchor",
    "*alias",
    "!!str x",
    "%YAML 1.1",
    "---",
    "...",
    "\u2028",
    "\u0085",
    "é",
    "e\u0301",
    "한국어",
    "🦀",
    "\U0010ffff",
    "\t tab",
    "trailing ",
    "x" * 3000,
    "line\n" * 40,
    "  indented\n    more\n",
    "a \nb",
)
KEYS = (
    "a",
    "b.c",
    "d/e",
    "~f",
    "~0~1",
    "@g",
    "@0",
    "@n1",
    "@0-5",
    "~2x",
    "",
    " ",
    "-",
    "0",
    "1",
    "true",
    "null",
    "no",
    "key with spaces",
    "a:b",
    "é",
    "한",
    "🦀",
    "x" * 253,
    'q"uote',
    "<i>",
    "a\nb",
    "\r",
    "\x00",
    "\ud83d",
    "o:",
    "metadata",
    "apiVersion",
    "kind",
    "__proto__",
    "%2F",
    "a?b#c",
    "[0]",
    "\ue000",
    "a\ue000",
)
NUMBERS = (
    0,
    -1,
    1,
    80,
    2**31 - 1,
    2**31,
    2**53,
    2**53 + 1,
    -(2**63),
    2**63 - 1,
    2**64,
    10**30,
    0.0,
    -0.0,
    0.5,
    1.0,
    -1.5,
    1e-7,
    1e22,
    1e300,
    5e-324,
    0.1 + 0.2,
)


class Generator:
    """`budget` values at most."""

    def __init__(self, schema: Schema, rnd: Random, budget: int = 60, odd: float = 0.06) -> None:
        self.schema = schema
        self.rnd = rnd
        self.budget = budget
        self.odd = odd

    def object(self, begun: dict[str, Any]) -> dict[str, Any]:
        """A whole object, with the metadata that it was begun with and some of the rest."""
        root = self.schema.node(self.schema.root)
        made = dict(begun)
        for name, node in self.schema.properties(root):
            if name not in ("apiVersion", "kind", "metadata", "status") and self.often(0.95):
                made[name] = self.value(node, 0)
        if not root.get("properties"):
            made["spec"] = self.anything(0)
        texts = {key: self.rnd.choice(TEXTS) for key in self.keys(3)}
        made["metadata"] = {**begun["metadata"], "name": self.rnd.choice(TEXTS[2:]), "labels": texts}
        if self.often(self.odd):
            made[self.rnd.choice(("data", "Spec", "a/b", "@0"))] = self.anything(0)
        return made

    def often(self, share: float) -> bool:
        return self.rnd.random() < share

    def value(self, node: Node, depth: int) -> Any:
        self.budget -= 1
        if self.often(self.odd):
            return None if self.often(0.6) else self.anything(depth)
        kind = kind_of(node)
        if kind == "object":
            return self.properties(node, depth)
        if self.budget < 0 and kind in ("array", "map", "any"):
            return [] if kind == "array" else {}
        if kind == "array":
            items = self.schema.items(node)
            return [self.value(items, depth + 1) for _ in range(self.rnd.choice((0, 1, 1, 2, 3)))]
        if kind == "map":
            entry = self.schema.entry(node)
            return {key: self.value(entry, depth + 1) for key in self.keys(3)}
        return self.anything(depth) if kind == "any" else self.scalar(kind, node)

    def properties(self, node: Node, depth: int) -> dict[str, Any]:
        required = set(node.get("required") or ())
        found = list(self.schema.properties(node))
        share = 0.0 if self.budget < 0 or depth > 12 else min(0.9, max(0.05, self.budget / (len(found) + 1) / 4))
        made = {
            name: self.value(child, depth + 1)
            for name, child in found
            if self.often(0.9 if name in required and depth < 40 else share)
        }
        if self.often(self.odd):
            made |= {key: self.anything(depth + 1) for key in self.keys(1)}
        return made

    def keys(self, most: int) -> list[str]:
        return [self.rnd.choice(KEYS) for _ in range(self.rnd.randint(0, most))]

    def scalar(self, kind: str, node: Node) -> Any:
        if kind == "enum":
            return self.rnd.choice(list(node["enum"]))
        if kind == "boolean":
            return self.often(0.5)
        if kind == "integer":
            return self.rnd.choice([number for number in NUMBERS if isinstance(number, int)])
        if kind == "number":
            return self.rnd.choice(NUMBERS)
        if kind == "int-or-string":
            return self.rnd.choice((*NUMBERS, *TEXTS, "80", "500m", "50%"))
        return self.rnd.choice(TEXTS)

    def anything(self, depth: int) -> Any:
        self.budget -= 1
        what = self.rnd.randrange(8 if depth < 6 and self.budget > 0 else 5)
        if what < 2:
            return self.rnd.choice(TEXTS)
        if what < 5:
            return (self.rnd.choice(NUMBERS), self.often(0.5), None)[what - 2]
        if what == 5:
            return [self.anything(depth + 1) for _ in range(self.rnd.randint(0, 3))]
        return {key: self.anything(depth + 1) for key in self.keys(3)}
