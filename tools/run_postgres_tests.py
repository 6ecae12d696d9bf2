#!/usr/bin/env python3
"""`make test-postgres`: the pages and what is kept, on a PostgreSQL of its own.

Arguments go to pytest instead of that choice.

`make test` has some of them on both databases already (tests/postgres.py); the rest says the same on both, so that is
asked now and then.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests import postgres  # noqa: E402
from tools.run_tests import SPREAD, closing, ends_all_it_starts, run_again  # noqa: E402

# Where the database is used; tests/deploy has a PostgreSQL of its own.
FOLDERS = ("tests/console", "tests/operatorhub", "tests/resources")


def main() -> int:
    if shutil.which("postgres") is None or shutil.which("initdb") is None:
        print("make test-postgres: needs PostgreSQL's initdb and postgres on PATH")
        return 1
    ends_all_it_starts()
    # A run for each folder: together they take longer than one run may on a busy machine, and a run that is ended names
    # nothing.
    runs = [sys.argv[1:]] if sys.argv[1:] else [["-q", "-n", "2", *SPREAD, folder] for folder in FOLDERS]
    with postgres.server() as url:
        os.environ["TEST_DATABASE_URL"] = url
        return closing([run_again(arguments) for arguments in runs])


if __name__ == "__main__":
    sys.exit(main())
