"""Search in the audit: words and filters from an address, and the matching acts, newest first; and their export, as CSV
for spreadsheets and JSON Lines for other programs.

An export is streamed row by row, so memory doesn't grow with it.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from console.audit.models import AuditEntry
from kube.discovery import qualified

#: What a page offers to choose from is taken from so many of the newest acts.
_OFFERED = 1000
_CHUNK = 500
# Filters that are equal to a column.
_SAME = ("user", "verb", "namespace", "name", "source")
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


def _cut(value: object) -> str:
    return str(value or "").strip()[:512]


class FilterField(forms.Field):
    """A filter as text: cut, never refused."""

    def to_python(self, value: Any) -> Any:
        return _cut(value)


class TimeField(forms.Field):
    """A time in ISO 8601, UTC without a zone; None without one."""

    def to_python(self, value: Any) -> datetime | None:
        if not (text := _cut(value)):
            return None
        try:
            found = datetime.fromisoformat(text)
            return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            words = _("A time is invalid and was ignored. Use the format 2026-11-22T16:00.")
            raise ValidationError(words) from None


class NamespaceInput(forms.TextInput):
    """Is `ns` in a page's address, where `namespace` is the picked one for all pages."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        return data.get(name) or data.get("ns")


class AuditFilterForm(forms.Form):
    """`q`: words; `kind`: as in kubectl (deployments.apps); `outcome`: ok, refused or a reason."""

    q = FilterField(required=False)
    user = FilterField(required=False)
    verb = FilterField(required=False)
    kind = FilterField(required=False)
    namespace = FilterField(required=False, widget=NamespaceInput)
    name = FilterField(required=False)
    outcome = FilterField(required=False)
    source = FilterField(required=False)
    since = TimeField(required=False)
    until = TimeField(required=False)

    @property
    def pairs(self) -> dict[str, str]:
        """Names and values for pages' addresses and forms."""
        texts = {field.name: _cut(field.data) for field in self}
        return {"ns" if name == "namespace" else name: text for name, text in texts.items() if text}

    @property
    def query_string(self) -> str:
        return urlencode(self.pairs)

    @property
    def more(self) -> bool:
        """Whether there are filters beside the words and the outcome."""
        return bool(self.pairs.keys() - {"q", "outcome"})


def find(scope: Scope, form: AuditFilterForm) -> "QuerySet[AuditEntry]":
    """Newest first. Invalid times leave nothing out."""
    form.is_valid()
    asked = form.cleaned_data
    rows = scope.rows()
    for word in asked["q"].lower().split()[:10]:
        rows = rows.filter(words__contains=word)
    rows = rows.filter(**{key: asked[key] for key in _SAME if asked[key]})
    if asked["kind"]:
        plural, _dot, group = asked["kind"].partition(".")
        rows = rows.filter(resource=plural, group=group)
    if asked["outcome"] == REFUSED:
        rows = rows.exclude(outcome="ok")
    elif asked["outcome"]:
        rows = rows.filter(outcome=asked["outcome"])
    if since := asked.get("since"):
        rows = rows.filter(at__gte=since)
    if until := asked.get("until"):
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
