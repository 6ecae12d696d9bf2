"""What the console keeps, on PostgreSQL: where its SQL, its texts or its locks differ from SQLite's.

One server and one process for all of them. `make test-postgres` runs whole folders there.
"""

from tests import postgres

pytestmark = postgres.LONG
FILES = (
    "tests/console/test_nul.py",
    "tests/console/audit/test_search.py",
    "tests/console/signin/test_session.py",
    "tests/operatorhub/test_index.py",
    "tests/operatorhub/test_refresh.py",
    "tests/resources/history/test_store.py",
    "tests/resources/history/test_lease.py",
    "tests/resources/views/test_favourites.py",
    "tests/resources/views/test_undo.py",
)


def test_what_is_kept_on_postgresql() -> None:
    postgres.passes(*FILES)
