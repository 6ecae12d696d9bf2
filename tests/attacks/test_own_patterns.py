"""S4: patterns of schemas are untrusted, and so are the texts that the product's own patterns are matched against."""

import time

import pytest

from operatorhub import olm
from operatorhub.find import facets
from tests.attacks import own_patterns

#: Patterns that take long on long texts, and what keeps the texts short.
SHORT_TEXTS: dict[str, str] = {
    "operatorhub.find.facets._TAIL": "provider names are cut at 200 characters",
}


def test_s4_no_pattern_of_ours_takes_long() -> None:
    """S4: the links of an icon took half an hour, texts of digits or blanks minutes."""
    found = {name: (pattern, methods) for name, pattern, methods in own_patterns.patterns()}
    assert len(found) > 80
    assert {*SHORT_TEXTS} <= {*found}
    slow = {name: own_patterns.slow(*found[name]) for name in found if name not in SHORT_TEXTS}
    assert {name: text for name, text in slow.items() if text} == {}


@pytest.mark.parametrize("pattern", [r"\d+x", r"\s+x$", r"\[[^\]]*\]"])
def test_a_pattern_that_takes_long_is_seen(pattern: str) -> None:
    """Otherwise the test above would prove nothing."""
    assert own_patterns.slow(own_patterns.re.compile(pattern), frozenset({"search"}))


def test_s4_names_of_a_catalog_take_no_time() -> None:
    """Where a limit on the text or a call without a compiled pattern stands against it."""
    began = time.process_time()
    assert olm.version_in("-1.1" * 100_000 + "\nx")
    for name in (" " * 500_000, "x" + " inc" * 100_000, "x" + "\u00a0," * 100_000):
        facets.provider_key(name)
        facets.provider_label([name])
    assert time.process_time() - began < 3
