"""``python -m examples.operators.galera ROLE``: what the image galera-node runs.

Roles: key, node, check, backup, restore, load.
"""

from __future__ import annotations

import logging
import sys

from . import client, clusterkey, node

ROLES = {
    "key": clusterkey.make,
    "node": node.main,
    "check": client.check,
    "backup": client.backup,
    "restore": client.restore,
    "load": client.load,
}


def main(arguments: list[str]) -> int:
    """The role's exit code; 2 when there is no such role."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    if len(arguments) != 1 or arguments[0] not in ROLES:
        print(f"one role is needed: {', '.join(ROLES)}", file=sys.stderr)
        return 2
    return ROLES[arguments[0]]()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
