"""The entry point of the engine image: ``python -m examples.operators.sampledb [ROLE]``.

One image, five roles: ``engine`` runs the database, ``initjob`` sets it up, ``backup`` copies its data out, ``restore``
brings such a copy into a new one, ``upgrade`` prepares it for a newer engine. A Pod names the role as its argument;
without one it is the engine.
"""

from __future__ import annotations

import importlib
import logging
import sys

ROLES = ("engine", "initjob", "backup", "restore", "upgrade")


def main(arguments: list[str]) -> int:
    """Runs one role; 2 when there is no such role."""
    role = arguments[0] if arguments else "engine"
    if role not in ROLES:
        print(f"sampledb: there is no role {role!r}; choose one of {', '.join(ROLES)}", file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stdout)
    return int(importlib.import_module(f"examples.operators.sampledb.{role}").main())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
