"""The index and its pages on PostgreSQL."""

from tests import postgres

pytestmark = postgres.LONG


def test_index_and_pages_on_postgresql() -> None:
    postgres.passes(*(f"tests/operatorhub/test_{name}.py" for name in ("index", "pages", "refresh")))
