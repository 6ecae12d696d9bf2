"""Export of acts for other programs: CSV for spreadsheets, JSON Lines for everything else.

Streamed row by row, so memory doesn't grow with the export.
"""

import csv
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from console.audit.models import AuditEntry

COLUMNS = (
    "id",
    "time",
    "cluster",
    "user",
    "as_user",
    "groups",
    "verb",
    "group",
    "version",
    "resource",
    "kind",
    "namespace",
    "name",
    "subresource",
    "uid",
    "detail",
    "outcome",
    "source",
    "address",
    "request_id",
    "changed",
    "diff",
)
# A spreadsheet takes a cell that begins so for a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_dict(row: AuditEntry) -> dict[str, Any]:
    """One act: what JSON has of it, here and in /api/audit/."""
    found: dict[str, Any] = {name: getattr(row, name) for name in COLUMNS if name not in ("time", "diff")}
    found["time"] = row.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    found["diff"] = [{"path": path, "before": before, "after": after} for path, before, after in row.diff]
    return {name: found[name] for name in COLUMNS}


def json_lines(rows: Iterable[AuditEntry]) -> Iterator[bytes]:
    for row in rows:
        yield msgspec.json.encode(as_dict(row)) + b"\n"


class _Line:
    """A file whose only line is what was written last."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[AuditEntry]) -> Iterator[bytes]:
    """With the mark by which spreadsheets know UTF-8."""
    writer = csv.writer(_Line(), lineterminator="\r\n")
    yield b"\xef\xbb\xbf" + str(writer.writerow(COLUMNS)).encode()
    for row in rows:
        found = as_dict(row)
        found["groups"] = " ".join(row.groups)
        found["diff"] = "\n".join(f"{path}: {old} -> {new}" for path, old, new in row.diff)
        yield str(writer.writerow([guarded(str(found[name])) for name in COLUMNS])).encode()


def guarded(cell: str) -> str:
    """A text that no spreadsheet computes: with an apostrophe before what it would take for a formula."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell
