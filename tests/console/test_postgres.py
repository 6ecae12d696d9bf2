"""What strangers write and what the audit keeps, on PostgreSQL."""

from tests import postgres

pytestmark = postgres.LONG


def test_texts_that_it_does_not_take_as_they_are_on_postgresql() -> None:
    postgres.passes("tests/console/test_nul.py", "tests/operatorhub/test_refresh.py::test_a_bundle_with_nul_characters_becomes_a_package")  # fmt: skip
