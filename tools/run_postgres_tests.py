#!/usr/bin/env python3
"""`make test-postgres`: the pages and what is kept, on a PostgreSQL of its own. Arguments go to pytest instead of that choice.

`make test` has some of them on both databases already (tests/postgres.py); the rest says the same on both, so that is asked now and then.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests import postgres  # noqa: E402
from tools.run_tests import SPREAD, run_again  # noqa: E402

# Where the database is used; tests/deploy has a PostgreSQL of its own.
FOLDERS = ("tests/console", "tests/operatorhub", "tests/resources")


def main() -> int:
    if shutil.which("postgres") is None or shutil.which("initdb") is None:
        print("make test-postgres: needs PostgreSQL's initdb and postgres on PATH")
        return 1
    with postgres.server() as url:
        os.environ["TEST_DATABASE_URL"] = url
        code, counts = run_again(sys.argv[1:] or ["-q", "-n", "2", *SPREAD, *FOLDERS])
    bad = counts.get("failed", 0) + counts.get("errors", 0) + counts.get("error", 0)
    print(f"{counts.get('passed', 0)} passed, {bad} failed, {counts.get('skipped', 0)} skipped")
    return 1 if code or not counts.get("passed") else 0


if __name__ == "__main__":
    sys.exit(main())
