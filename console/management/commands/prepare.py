"""`manage.py prepare`: bring the database's tables up to date, however many processes ask for it at once.

One of them migrates, holding a lock of the database (PostgreSQL: an advisory lock; SQLite: a file beside the database's
own); the others wait for it and find nothing left to do. `--wait` never migrates: it returns once all migrations are
there, for processes that must not meet old tables.
"""

import fcntl
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

# Any number that no other program uses on this database: "console" as digits of base 36.
LOCK = 27504416078
_PAUSE_SECONDS = 1.0


class Command(BaseCommand):
    help = "Migrate the database once, whoever else tries at the same time; or wait until somebody has (--wait)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--wait", action="store_true", help="change nothing; return when all migrations are there")
        parser.add_argument("--seconds", type=float, default=300.0, help="give up after so long (default: 300)")

    def handle(self, *args: Any, **options: Any) -> None:
        until = time.monotonic() + options["seconds"]
        reported = ""
        while True:
            try:
                if options["wait"]:
                    missing = _missing()
                    if not missing:
                        return
                    problem = f"{missing} migrations are still to come: is `manage.py prepare` running?"
                else:
                    with _locked():
                        call_command("migrate", interactive=False, verbosity=options["verbosity"])
                    return
            except DatabaseError as error:
                problem = f"the database does not answer: {str(error).strip().splitlines()[0]}. Check DATABASE_URL"
                connection.close()
            if time.monotonic() > until:
                raise CommandError(problem)
            if problem != reported:
                reported = problem
                sys.stderr.write(f"prepare: {problem}\n")
            time.sleep(_PAUSE_SECONDS)


def _missing() -> int:
    """How many migrations this code has and the database has not."""
    connection.close()
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


@contextmanager
def _locked() -> Iterator[None]:
    """Locks the database against concurrent migrations. Raises DatabaseError."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
        return
    # Beside the database, not in DATA_DIR: two consoles may have a folder each and one database.
    database = Path(connection.settings_dict["NAME"])
    database.parent.mkdir(parents=True, exist_ok=True)
    with database.with_name(f"{database.name}.migrate.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
