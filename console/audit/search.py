"""Search in the audit: words and filters from an address, and the matching acts, newest first; and their export, as CSV
for spreadsheets and JSON Lines for other programs.

An export is streamed row by row, so memory doesn't grow with it.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.db.models import Q, QuerySet

from console.audit.models import AuditEntry
from kube.discovery import qualified

#: What a page offers to choose from is taken from so many of the newest acts.
_OFFERED = 1000
_CHUNK = 500
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Scope:
    """A cluster's acts that the user can read. `user` '' is all users; `as_user`: only with that impersonation."""

    cluster: str
    user: str = ""
    as_user: str = ""

    def rows(self) -> "QuerySet[AuditEntry]":
        found = AuditEntry.objects.filter(cluster=self.cluster)
        found = found.filter(as_user=self.as_user) if self.as_user else found
        return found.filter(user=self.user) if self.user else found


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditQuery:
    """The filters of an address, as text.

    `q`: words; `kind`: as in kubectl (deployments.apps); `outcome`: ok, refused or a reason.

    `since` and `until`: ISO 8601, UTC without a zone.
    """

    q: str = ""
    user: str = ""
    verb: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    outcome: str = ""
    source: str = ""
    since: str = ""
    until: str = ""

    @classmethod
    def from_query(cls, asked: Mapping[str, str]) -> "AuditQuery":
        """From a page's address, where `namespace` is the picked one for all pages and `ns` is the audit's filter."""
        found = {field_.name: asked.get(field_.name, "").strip()[:512] for field_ in fields(cls)}
        return cls(**{**found, "namespace": found["namespace"] or asked.get("ns", "").strip()[:512]})

    @property
    def wrong(self) -> tuple[str, ...]:
        """Names of fields that say no time."""
        return tuple(key for key in ("since", "until") if getattr(self, key) and time_of(getattr(self, key)) is None)

    @property
    def pairs(self) -> dict[str, str]:
        """Names and values for the page's form."""
        pairs = {
            "ns" if field_.name == "namespace" else field_.name: getattr(self, field_.name) for field_ in fields(self)
        }
        return {key: value for key, value in pairs.items() if value}

    @property
    def query_string(self) -> str:
        """For pages' addresses."""
        return urlencode(self.pairs)

    @property
    def more(self) -> bool:
        """Whether there are filters beside the words and the outcome."""
        return replace(self, q="", outcome="") != AuditQuery()

    @property
    def any(self) -> bool:
        return self != AuditQuery()


def time_of(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def find(scope: Scope, query: AuditQuery) -> "QuerySet[AuditEntry]":
    """Newest first. Times that can't be read leave nothing out."""
    rows = scope.rows()
    for word in query.q.lower().split()[:10]:
        rows = rows.filter(words__contains=word)
    same = {
        "user": query.user,
        "verb": query.verb,
        "namespace": query.namespace,
        "name": query.name,
        "source": query.source,
    }
    rows = rows.filter(**{key: value for key, value in same.items() if value})
    if query.kind:
        plural, _dot, group = query.kind.partition(".")
        rows = rows.filter(resource=plural, group=group)
    if query.outcome == REFUSED:
        rows = rows.exclude(outcome="ok")
    elif query.outcome:
        rows = rows.filter(outcome=query.outcome)
    if since := time_of(query.since):
        rows = rows.filter(at__gte=since)
    if until := time_of(query.until):
        rows = rows.filter(at__lte=until)
    return rows.order_by("-at", "-pk")


def before(rows: "QuerySet[AuditEntry]", row: AuditEntry) -> "QuerySet[AuditEntry]":
    """Those after it in the order: older ones."""
    return rows.filter(Q(at__lt=row.at) | Q(at=row.at, pk__lt=row.pk))


def each(rows: "QuerySet[AuditEntry]", most: int) -> Iterator[AuditEntry]:
    """Part by part, each by a query of its own: a download over a slow line keeps no transaction open."""
    last: AuditEntry | None = None
    while most > 0:
        part = list((before(rows, last) if last else rows)[: min(_CHUNK, most)])
        yield from part
        most -= len(part)
        if len(part) < _CHUNK:
            return
        last = part[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What the newest acts have, for the filters' fields to complete."""

    users: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def offered(scope: Scope) -> Offered:
    rows = list(
        scope.rows()
        .order_by("-at", "-pk")
        .values_list("user", "verb", "resource", "group", "namespace", "outcome")[:_OFFERED]
    )
    kinds = {qualified(plural, group) for _user, _verb, plural, group, *_rest in rows}

    def in_order(values: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(filter(None, values)))

    return Offered(
        users=in_order({row[0] for row in rows}),
        verbs=in_order({row[1] for row in rows}),
        kinds=in_order(kinds),
        namespaces=in_order({row[4] for row in rows}),
        reasons=in_order({row[5] for row in rows} - {"ok"}),
    )


#: Of an act, in JSON and CSV: the model's fields; `words` only serves the search.
COLUMNS = tuple(
    "time" if field.name == "at" else field.name for field in AuditEntry._meta.fields if field.name != "words"
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
        yield str(writer.writerow([_escaped(str(found[name])) for name in COLUMNS])).encode()


def _escaped(cell: str) -> str:
    """A text that no spreadsheet computes: with an apostrophe before what it would take for a formula."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell
