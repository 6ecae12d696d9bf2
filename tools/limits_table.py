#!/usr/bin/env python3
"""The table of limits in docs/security.md, printed from kube/limits.py: `tools/limits_table.py --write` brings it up
to date.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kube.limits import Limit, all_limits  # noqa: E402 - the tree isn't installed in the environment

DOCS = ROOT / "docs/security.md"
BEGIN, END = "<!-- limits: printed by tools/limits_table.py --write -->", "<!-- end of limits -->"


def shown(limit: Limit) -> str:
    """The value as people read it."""
    if limit.unit == "bytes":
        for size, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
            if limit.value >= size and limit.value % size == 0:
                return f"{limit.value // size} {unit}"
    return f"{limit.value:,} {limit.unit}"


def table() -> str:
    rows = [
        f"| `{name}` | {limit.subject} | {shown(limit)} | {limit.over} | `{limit.test}` |"
        for name, limit in all_limits().items()
    ]
    return "\n".join(["| limit | of what | value | beyond it | shown by |", "|---|---|---|---|---|", *rows])


def updated(text: str) -> str:
    """The document with the table as it is now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    if "--write" in sys.argv:
        DOCS.write_text(updated(DOCS.read_text()))
    else:
        print(table())
