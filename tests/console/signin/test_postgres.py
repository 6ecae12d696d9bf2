"""Sessions, favourites and uninstalls on PostgreSQL; the audit, the history, undo and the index are where their other tests are."""

from tests import postgres

pytestmark = postgres.LONG


def test_sign_in_and_what_belongs_to_a_person_on_postgresql() -> None:
    signin = "tests/console/signin"
    postgres.passes(f"{signin}/test_session.py", f"{signin}/test_way_in.py", "tests/resources/views/test_favourites.py", "tests/operatorhub/test_uninstall.py")  # fmt: skip
