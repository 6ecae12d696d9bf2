"""The installed operators in the navigation: which are shown, and under which their kinds stand."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import DatabaseError
from django.template.loader import render_to_string

from kube.discovery import ResourceType
from kube.errors import Forbidden
from operatorhub.csv import Api
from operatorhub.running.installed_operators import Listed, Operator
from operatorhub.running.updates import Update
from operatorhub.running.workloads import ASKS, DONE, FAILED
from operatorhub.views import navigation

API = Api(group="flights.com", version="v1", plural="flighttickets", kind="FlightTicket", title="Flight ticket")


def _operator(title: str, state: str = DONE, **more: Any) -> Operator:
    facts = {"uid": title, "namespace": "flights", "csv": f"{title.lower()}.v1.0.0", "title": title, "version": "1.0.0"}
    empty = dict.fromkeys(("provider", "word", "reason", "subscription", "package", "channel", "created"), "")
    return Operator(**{**facts, **empty, "state": state, "apis": (API,), **more})


def _topics(_client: Any, *types: Any, namespace: str = "") -> str:
    """As the real ones, without permissions: `plural` or `plural.namespace`."""
    plurals = [type_.plural if isinstance(type_, ResourceType) else type_[2] for type_ in types]
    return " ".join(f"{plural}.{namespace}".rstrip(".") for plural in plurals)


def _read(monkeypatch: pytest.MonkeyPatch, rows: tuple[Operator, ...], path: str = "") -> navigation.CachedOperators:
    monkeypatch.setattr(navigation.olm, "served", lambda _client: True)
    monkeypatch.setattr(navigation.installed_operators, "listed", lambda _client, _namespace: Listed(rows))
    monkeypatch.setattr(navigation.live_topics, "topics", _topics)
    types = (
        ResourceType(group="flights.com", version="v2", plural="flighttickets", kind="FlightTicket", namespaced=True),
    )
    client = SimpleNamespace(host="h", who="w", types=lambda: types, find=lambda *_kind: types[0])
    request: Any = SimpleNamespace(cluster=client, namespace="")
    return navigation.read_operators(request, "en", path)


def test_a_kind_is_linked_in_its_preferred_version(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _read(monkeypatch, (_operator("FlightTicket"),))
    assert [kind.url for kind in found.operators[0].kinds] == ["/resources/flights.com/v2/flighttickets/"]


def test_kinds_stand_below_the_operator_whose_page_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _read(monkeypatch, (_operator("FlightTicket"),))
    kind = "/resources/flights.com/v2/flighttickets/"

    def drawn(path: str) -> str:
        return render_to_string("operatorhub/_navigation.html", navigation.navigation_context(found, path, ask=False))

    assert f'href="{kind}"' in drawn(f"{kind}flights/family/")
    assert f'href="{kind}"' in drawn("/operators/flights/flightticket.v1.0.0/events/")
    assert f'href="{kind}"' not in drawn("/operatorhub/")


def test_kinds_of_the_open_operator_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page asks once for what isn't counted yet; what can't be counted is not asked for again."""
    monkeypatch.setattr(navigation.operands, "count", lambda *_kind: (None, "forbidden"))
    found, kind = _read(monkeypatch, (_operator("FlightTicket"),)), "/resources/flights.com/v2/flighttickets/"
    assert navigation.navigation_context(found, kind, ask=False)["ask"] is True
    assert navigation.navigation_context(found, "/operatorhub/", ask=False)["ask"] is False
    found = _read(monkeypatch, (_operator("FlightTicket"),), kind)
    assert navigation.navigation_context(found, kind, ask=False)["ask"] is False
    monkeypatch.setattr(navigation.operands, "count", lambda *_kind: (42, ""))
    found = _read(monkeypatch, (_operator("FlightTicket"),), kind)
    assert ">42<" in render_to_string(
        "operatorhub/_navigation.html", navigation.navigation_context(found, kind, ask=False)
    )
    # Of another namespace it is another number.
    assert navigation.navigation_context(found, kind, ask=False, namespace="apps")["ask"] is True


def test_the_page_follows_the_operators_and_the_counted_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(navigation.operands, "count", lambda *_kind: (0, ""))
    kind = "/resources/flights.com/v2/flighttickets/"
    found = _read(monkeypatch, (_operator("FlightTicket"),), kind)
    assert navigation.navigation_context(found, kind, ask=False)["topics"] == "clusterserviceversions flighttickets"
    assert navigation.navigation_context(found, "/operatorhub/", ask=False)["topics"] == "clusterserviceversions"
    # Nothing was read: the page has no topics until it has asked.
    assert navigation.navigation_context(None, kind, ask=True)["topics"] == ""


def test_of_many_operators_those_in_trouble_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (*(_operator(f"Operator {number:03}") for number in range(100)), _operator("Zebra", FAILED))
    found = _read(monkeypatch, rows)
    assert (len(found.operators), found.total) == (navigation.SHOWN_OPERATORS, 101)
    assert found.operators[-1].label == "Zebra"
    assert "101" in render_to_string(
        "operatorhub/_navigation.html", navigation.navigation_context(found, "/", ask=False)
    )


def test_an_update_that_waits_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    update = Update(**{**dict.fromkeys(Update.__dataclass_fields__, ""), "state": ASKS, "word": "Update available"})
    found = _read(monkeypatch, (_operator("FlightTicket", update=update),))
    assert (found.operators[0].state, found.operators[0].word) == (ASKS, "Update available")


@pytest.mark.parametrize("error", [Forbidden("no"), DatabaseError("no such table")])
def test_where_nothing_can_be_read_there_are_none(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """A frame is drawn whatever fails: without permission, and without the database that has the icons."""

    def refused(_client: Any, _namespace: str) -> Listed:
        raise error

    monkeypatch.setattr(navigation.olm, "served", lambda _client: True)
    monkeypatch.setattr(navigation.live_topics, "topics", _topics)
    monkeypatch.setattr(navigation.installed_operators, "listed", refused)
    request: Any = SimpleNamespace(cluster=SimpleNamespace(host="x", who="y", types=lambda: ()), namespace="")
    assert navigation.read_operators(request, "en").operators == ()
