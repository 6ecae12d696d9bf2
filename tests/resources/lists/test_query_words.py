"""What the box of a list understands beside a part of the name."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest
from django.http import QueryDict

from resources.lists.entries import ListEntry, Owner
from resources.lists.listing import Query, filtered
from resources.state.health import Health
from resources.views.filter import Filter, QueryWords, read_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", QueryWords()),
        ("web", QueryWords(name="web")),
        ("label:app=web label:tier!=cache x", QueryWords(name="x", labels="app=web,tier!=cache")),
        ("field:status.phase=Running", QueryWords(fields="status.phase=Running")),
        ("state:degraded", QueryWords(state="Degraded")),
        ("STATE:Ready owner:Job/tick", QueryWords(state="Ready", owner="Job/tick")),
        ("age<1h age>90s", QueryWords(younger_than=3600, older_than=90)),
        ("ns:shop,web namespace:db x", QueryWords(name="x", namespaces=("shop", "web", "db"))),
        ("-ns:kube-system,,olm", QueryWords(not_namespaces=("kube-system", "olm"))),
        ("-NAMESPACE:olm", QueryWords(not_namespaces=("olm",))),
        ("state:", QueryWords(name="state:")),
        ("app:web age<x age<1y", QueryWords(name="app:web age<x age<1y")),
    ],
)
def test_words(text: str, words: QueryWords) -> None:
    assert read_words(text) == words


def test_they_hold_together_with_the_other_filters() -> None:
    asked = QueryDict("q=web+label:app%3Dweb+state:ready&labels=tier%3Ddb&state=Degraded")
    query = Filter.from_query(asked).query()
    assert (query.q, query.labels, query.state) == ("web", "tier=db,app=web", "Ready")
    assert not replace(Query(), younger_than=5).plain


def test_several_namespaces() -> None:
    entries = [
        ListEntry(uid=place, name="web", namespace=place, created="", cells=(), health=Health(state="Ready"))
        for place in ("db", "kube-system", "shop", "web")
    ]

    def places(text: str) -> list[str]:
        return [entry.namespace for entry in filtered(entries, Filter(q=text).query())]

    assert places("ns:shop,web") == ["shop", "web"]
    assert places("-ns:kube-system") == ["db", "shop", "web"]
    assert places("ns:shop,web -ns:web") == ["shop"]
    assert places("ns:sho") == []
    assert not Filter(q="ns:shop").query().plain
    assert not Filter(q="-ns:shop").query().plain


def test_owners_and_ages() -> None:
    def made(name: str, hours: float, owner: Owner | None = None) -> ListEntry:
        then = datetime.now(UTC) - timedelta(hours=hours)
        return ListEntry(
            uid=name,
            name=name,
            namespace="shop",
            created=then.strftime("%Y-%m-%dT%H:%M:%SZ"),
            cells=(),
            health=Health(state="Ready"),
            owner=owner,
        )

    entries = [made("old", 50), made("new", 0.5), made("owned", 5, Owner("batch/v1", "Job", "tick"))]

    def names(text: str) -> list[str]:
        return [entry.name for entry in filtered(entries, Filter(q=text).query())]

    assert names("age<1h") == ["new"]
    assert names("age>1h age<1d") == ["owned"]
    assert names("age>2d") == ["old"]
    assert names("owner:tick") == names("owner:job") == names("owner:Job/tick") == ["owned"]
    assert names("owner:other") == []


def test_each_is_taken_away_alone() -> None:
    asked = Filter(q="web label:app=a state:degraded", labels="tier in (a,b),team=x", owner="Job/one", page=3)
    chips = {chip.text: parse_qs(chip.url.removeprefix("?")) for chip in asked.chips("shop")}
    assert list(chips) == ["label:app=a", "state:degraded", "tier in (a,b)", "team=x", "Owner: Job/one"]
    assert chips["label:app=a"]["q"] == ["web state:degraded"]
    assert chips["team=x"]["labels"] == ["tier in (a,b)"]
    assert "owner" not in chips["Owner: Job/one"] and chips["Owner: Job/one"]["q"] == [asked.q]
    assert all("page" not in query and query["namespace"] == ["shop"] for query in chips.values())
