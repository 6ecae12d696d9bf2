"""The kinds that installed operators provide, one tile each."""

from dataclasses import replace
from typing import Any

from django.test import Client

from kube.client import ClusterClient
from operatorhub.csv import Api
from operatorhub.running.installed_operators import Operator
from operatorhub.views import installed_operators

CACHE = Api(
    group="cache.example.com",
    version="v1",
    plural="memcacheds",
    kind="Memcached",
    title="Memcached",
    description="A cache",
)
TICKET = Api(
    group="flights.com",
    version="v1",
    plural="flighttickets",
    kind="FlightTicket",
    title="Flight ticket",
    description="A seat",
)


def operator(title: str, namespace: str, *apis: Api, **more: Any) -> Operator:
    made = Operator(
        uid="1",
        namespace=namespace,
        csv=f"{title}.v1",
        title=title,
        version="1.0.0",
        provider="",
        state="done",
        word="",
        reason="",
        apis=apis,
        subscription="",
        package="",
        channel="",
        created="",
    )
    return replace(made, **more)


def test_a_kind_is_one_tile_whoever_provides_it() -> None:
    installs = [operator("Memcached", name, CACHE, TICKET) for name in ("one", "two")]
    found = installed_operators.services_of([*installs, operator("Other", "three", CACHE, icon_name="abc")])
    assert [item.api.title for item in found] == ["Flight ticket", "Memcached"]
    assert found[1].titles == ("Memcached", "Other")
    assert found[1].icon_name == "abc"


def test_all_words_are_looked_for() -> None:
    installs = [operator("Memcached", "one", CACHE), operator("Flights", "one", TICKET)]
    assert [service.api for service in installed_operators.services_of(installs, "flights seat")] == [TICKET]
    assert installed_operators.services_of(installs, "flights cache") == ()


def test_what_is_not_served_says_so_and_what_is_has_a_button(client: ClusterClient) -> None:
    maps = Api(group="", version="v1", plural="configmaps", kind="ConfigMap", title="Config map")
    found = installed_operators.with_types(
        client, installed_operators.services_of([operator("Demo", "one", CACHE, maps)]), "default"
    )
    by_kind = {item.api.kind: item for item in found}
    assert by_kind["ConfigMap"].type is not None
    assert by_kind["ConfigMap"].refused == ""


def test_the_page(client: ClusterClient, db: None) -> None:
    page = Client().get("/operators/services/?q=nothing-is-called-so").content.decode()
    assert "Operator-backed services" in page
    assert 'value="nothing-is-called-so"' in page
    assert "hub-tile-title" not in page
