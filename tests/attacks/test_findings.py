"""Each finding of section S has tests that go past it, and they are there."""

import re

import pytest

from tests.attacks.findings import TESTS
from tests.deploy.manifests import ROOT


def test_every_finding_has_attacks() -> None:
    assert [*TESTS] == [f"S{number}" for number in range(1, 18)]
    assert all(TESTS.values())


@pytest.mark.parametrize("finding", TESTS)
def test_its_attacks_are_there(finding: str) -> None:
    for name in TESTS[finding]:
        path, _, test = name.partition("::")
        assert re.search(rf"def {test}\(", (ROOT / path).read_text()), name
