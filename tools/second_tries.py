"""Tests that passed only at the second try, each with the days on which it did: tests/second_tries.json, which is
committed.

A test of a process or a browser may meet a busy moment once. One that does so again and again has a fault, or the
product has one.
"""

import json
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

RECORD = Path(__file__).resolve().parent.parent / "tests/second_tries.json"
#: Two runs may end at the same time.
_WRITING = threading.Lock()
#: How often a test may pass at the second try only.
ALLOWED = 2


def note(tests: Iterable[str]) -> list[str]:
    """Adds today to each of these tests, by pytest's node id. Returns those for which it is once too often."""
    today = datetime.now(UTC).date().isoformat()
    noted = sorted(set(tests))
    with _WRITING:
        record: dict[str, list[str]] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
        for test in noted:
            record.setdefault(test, []).append(today)
        if noted:
            RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return [test for test in noted if len(record[test]) > ALLOWED]
