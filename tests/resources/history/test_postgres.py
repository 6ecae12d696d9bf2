"""The history on PostgreSQL."""

from tests import postgres

pytestmark = postgres.LONG


def test_history_on_postgresql() -> None:
    history = "tests/resources/history"
    postgres.passes(f"{history}/test_store.py", f"{history}/test_lease.py", "tests/resources/views/test_undo.py")
