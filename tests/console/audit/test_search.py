"""Finding acts: words, filters, times, pages; and as files. On any database."""

import csv
import io
import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.audit import bounds, entries, search
from console.audit.models import AuditEntry
from console.audit.scene import Where
from console.audit.search import AuditFilterForm, Scope
from tests.console.audit.conftest import BEGAN, entry

pytestmark = pytest.mark.django_db
ALL = Scope("here")


def numbers(**filters: str) -> list[int]:
    """Minutes of the acts that are found."""
    return [int((row.at - BEGAN).total_seconds()) // 60 for row in search.find(ALL, AuditFilterForm(filters))]


@pytest.fixture
def four() -> None:
    entries.save(
        [
            entry(0),
            entry(1, user="bob", verb="delete", outcome="Forbidden"),
            entry(2, resource="deployments", group="apps", name="web", source="api"),
            entry(3, namespace="lab", verb="Exec", outcome="NotFound", source="worker"),
            entry(4, cluster="elsewhere"),
        ]
    )


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, [3, 2, 1, 0]),
        ({"q": "PAINT"}, [3, 1, 0]),
        ({"q": "paint bob"}, [1]),
        ({"q": "100%"}, []),
        ({"q": "_"}, []),
        ({"user": "bob"}, [1]),
        ({"verb": "delete"}, [1]),
        ({"kind": "deployments.apps"}, [2]),
        ({"kind": "deployments"}, []),
        ({"namespace": "lab"}, [3]),
        ({"name": "web"}, [2]),
        ({"outcome": "ok"}, [2, 0]),
        ({"outcome": "refused"}, [3, 1]),
        ({"outcome": "NotFound"}, [3]),
        ({"source": "api"}, [2]),
        ({"since": "2026-11-01T00:02"}, [3, 2]),
        ({"since": "2026-11-01T00:01:00Z", "until": "2026-11-01T09:01:00+09:00"}, [1]),
        ({"until": "not a time"}, [3, 2, 1, 0]),
        ({"until": "0001-01-01T00:00+23:59"}, [3, 2, 1, 0]),
    ],
)
def test_words_and_filters(four: None, filters: dict[str, str], found: list[int]) -> None:
    assert numbers(**filters) == found


def test_ones_own_alone(four: None) -> None:
    assert {row.user for row in search.find(Scope("here", "bob"), AuditFilterForm({}))} == {"bob"}


def test_an_address_and_back() -> None:
    for name in ("namespace", "ns"):
        form = AuditFilterForm({"q": " a b&c ", name: "shop", "outcome": "ok"})
        assert form.query_string == "q=a+b%26c&ns=shop&outcome=ok"
        assert form.is_valid() and form.cleaned_data["namespace"] == "shop"
    assert [*AuditFilterForm({"since": "x", "until": "2026-11-01"}).errors] == ["since"]


def test_an_export_is_whole_in_parts_of_its_own(django_assert_max_num_queries: Any) -> None:
    # Many in the same moment: none may be left out or told twice.
    AuditEntry.objects.bulk_create(entry(number // 700) for number in range(1234))
    with django_assert_max_num_queries(4):
        rows = list(search.each(search.find(ALL, AuditFilterForm({})), 50_000))
    assert len({row.pk for row in rows}) == len(rows) == 1234
    assert [row.at for row in rows] == sorted((row.at for row in rows), reverse=True)
    assert len(list(search.each(search.find(ALL, AuditFilterForm({})), 600))) == 600


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", " =", "＝"])
def test_no_spreadsheet_computes_what_somebody_called_an_object(start: str) -> None:
    text = f'{start}HYPERLINK("http://evil.example","x")'
    row = entry(0, name=text, user="-1+1", detail="plain", diff=[["=1+1", "@SUM(1)", "b\nc"]], changed=1)
    row.pk = 7
    names, cells = csv.reader(io.StringIO(b"".join(search.csv_lines([row])).decode("utf-8-sig")))
    found = dict(zip(names, cells, strict=True))
    assert found["name"] == f"'{text}"
    assert found["user"] == "'-1+1"
    assert found["diff"].startswith("'=1+1: @SUM(1) -> b")
    assert found["detail"] == "plain"
    assert found["time"] == "2026-11-01T00:00:00.000Z"
    (line,) = b"".join(search.json_lines([row])).splitlines()
    assert json.loads(line)["name"] == text
    assert json.loads(line)["diff"] == [{"path": "=1+1", "before": "@SUM(1)", "after": "b\nc"}]


def test_it_is_kept_in_bounds(settings: Any) -> None:
    now = entries.timezone.now()
    for days in (0, 1, 2, 89, 91, 400):
        row = entry()
        row.at = now - timedelta(days=days)
        row.save()
    assert bounds.prune() == 2
    settings.AUDIT_DAYS = 50
    assert bounds.prune() == 1
    settings.AUDIT_ROWS = 2
    assert bounds.prune() == 1
    assert [(now - row.at).days for row in search.find(ALL, AuditFilterForm({}))] == [0, 1]
    assert bounds.prune() == 0


def _acts(user: str, number: int, **more: Any) -> list[AuditEntry]:
    return AuditEntry.objects.bulk_create([entry(minute, user=user, **more) for minute in range(number)])


def _names() -> dict[tuple[str, str], int]:
    """(user, outcome) → number of rows."""
    found: dict[tuple[str, str], int] = {}
    for pair in AuditEntry.objects.values_list("user", "outcome"):
        found[pair] = found.get(pair, 0) + 1
    return found


def test_s8_refused_acts_of_a_viewer_push_nobodys_acts_out(settings: Any) -> None:
    """S8: refusals have a share of their own, and within it each person has one."""
    settings.AUDIT_DAYS, settings.AUDIT_ROWS = 10_000, 40
    _acts("ann", 20)
    _acts("bob", 1, outcome="Forbidden")
    _acts("viewer", 300, outcome="Forbidden")
    bounds.prune()
    assert _names() == {("ann", "ok"): 20, ("bob", "Forbidden"): 1, ("viewer", "Forbidden"): 3}
    left = AuditEntry.objects.filter(user="viewer")
    assert {row.at for row in left} == {BEGAN + timedelta(minutes=minute) for minute in (297, 298, 299)}, "the newest"


def test_s8_each_person_has_a_share_of_what_was_done(settings: Any) -> None:
    """S8: acts that were done and cost nothing (labels, exports) push out one's own only."""
    settings.AUDIT_DAYS, settings.AUDIT_ROWS = 10_000, 40
    _acts("ann", 8)
    _acts("bob", 5, cluster="there")
    _acts("viewer", 300)
    bounds.prune()
    assert _names() == {("ann", "ok"): 8, ("bob", "ok"): 5, ("viewer", "ok"): 27}
    assert bounds.prune() == 0


@pytest.mark.parametrize(
    ("counts", "rows", "found"),
    [
        ({}, 10, {}),
        ({"a": 3}, 10, {"a": 3}),
        ({"a": 30}, 10, {"a": 10}),
        ({"a": 30, "b": 30, "c": 2}, 10, {"a": 4, "b": 4, "c": 2}),
        ({"a": 1, "b": 1}, 0, {"a": 0, "b": 0}),
        ({"a": 1}, -5, {"a": 0}),
    ],
)
def test_s8_shares_are_fair(counts: dict[str, int], rows: int, found: dict[str, int]) -> None:
    """S8: who has few keeps all; the others share evenly."""
    assert bounds.shares(counts, rows) == found


def test_a_row_of_odd_words_is_written() -> None:
    odd = "a\0b" * 400
    row = entries.entry("here", odd, odd, f"core/v1/pods {odd}/{odd}", odd, Where("page", odd, odd), None)
    entries.save([row])
    (saved,) = AuditEntry.objects.all()
    assert "\0" not in saved.user + saved.name + saved.words
    assert len(saved.user) == 512


def test_ten_thousand_stay_quick() -> None:
    """Generous times: what matters is that no search reads all of them where an index has them in order."""
    rows = (
        entry(n, name=f"item-{n % 1000}", user=f"user-{n % 50}", diff=[["spec.a", "1", "2"]] * 20)
        for n in range(10_000)
    )
    AuditEntry.objects.bulk_create(rows, batch_size=500)
    for filters in (
        {},
        {"q": "item-77"},
        {"user": "user-7"},
        {"kind": "configmaps", "namespace": "shop", "name": "item-5"},
    ):
        began = time.perf_counter()
        with CaptureQueriesContext(connection) as asked:
            found = search.find(ALL, AuditFilterForm(filters))
            page, number = list(found.defer("diff", "words")[:50]), found.count()
        assert page
        assert number == {"item-77": 110}.get(filters.get("q", ""), number)
        assert time.perf_counter() - began < 2, asked.captured_queries
    began = time.perf_counter()
    assert search.offered(ALL).kinds == ("configmaps",)
    assert len(list(search.csv_lines(search.each(search.find(ALL, AuditFilterForm({})), 50_000)))) == 10_001
    assert time.perf_counter() - began < 20
    if connection.vendor == "sqlite":
        plan = search.find(ALL, AuditFilterForm({})).explain()
        assert "USING INDEX audit_newest" in plan
        assert "TEMP B-TREE" not in plan
        form = AuditFilterForm({"kind": "configmaps", "namespace": "shop", "name": "a"})
        assert "USING INDEX audit_about" in search.find(ALL, form).explain()
        assert "USING INDEX audit_of" in search.find(Scope("here", "user-7"), AuditFilterForm({})).explain()
