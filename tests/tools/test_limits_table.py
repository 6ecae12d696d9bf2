"""Each limit on untrusted input is in docs/security.md, with an existing test that exceeds it."""

import re

from kube.limits import all_limits
from tools import limits_table


def test_the_docs_are_current() -> None:
    text = limits_table.DOCS.read_text()
    assert limits_table.BEGIN in text
    assert limits_table.updated(text) == text, "run tools/limits_table.py --write"


def test_each_limit_names_a_test_that_is_there() -> None:
    missing = []
    for name, limit in all_limits().items():
        path, _, test = limit.test.partition("::")
        file = limits_table.ROOT / path
        if not file.is_file() or not re.search(rf"def {re.escape(test)}\(", file.read_text()):
            missing.append(f"{name}: {limit.test}")
    assert not missing
