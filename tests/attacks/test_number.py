"""The numbers of docs/security.md are those of what is tried."""

import re

from tests.attacks import texts
from tests.attacks.input_counts import tried
from tests.deploy.manifests import ROOT


def test_the_document_says_how_many() -> None:
    inputs = len({*texts.FREE, *texts.KEYS, *texts.DEEP, *(pattern for pattern, _text in texts.PATTERNS)})
    counted = {"inputs": inputs, "fields": len(tried()), "pairs": sum(tried().values())}
    document = (ROOT / "docs" / "security.md").read_text().replace(",", "")
    documented = {name: int(number) for number, name in re.findall(r"\*\*(\d+) (inputs|fields|pairs)\*\*", document)}
    assert documented == counted
    assert len({*texts.FREE}) == len(texts.FREE)
