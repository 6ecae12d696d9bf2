"""FlightTickets on a really started sandbox: installed through OLM's objects, booked by the operator's process."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.api import Api

OLM = "/apis/operators.coreos.com"


@pytest.fixture(scope="module")
def namespace(api: Api) -> Iterator[str]:
    """A namespace with the operator in it, through a Subscription."""
    name = f"flights-{uuid4().hex[:6]}"
    made = [
        ("/api/v1/namespaces", {"metadata": {"name": name}}),
        (
            f"{OLM}/v1/namespaces/{name}/operatorgroups",
            {"metadata": {"name": "group"}, "spec": {"targetNamespaces": [name]}},
        ),
        (
            f"{OLM}/v1alpha1/namespaces/{name}/subscriptions",
            {
                "metadata": {"name": "flightticket"},
                "spec": {"name": "flightticket", "source": "samples-catalog", "sourceNamespace": "olm"},
            },
        ),
    ]
    for path, body in made:
        kind = {"namespaces": "Namespace", "operatorgroups": "OperatorGroup", "subscriptions": "Subscription"}
        plural = path.rpartition("/")[2]
        group = path.removeprefix("/apis/").partition("/namespaces")[0] if path.startswith("/apis") else "v1"
        answer = api.post(path, {"apiVersion": group, "kind": kind[plural], **body})
        assert answer.status == 201, answer.raw
    path = f"{OLM}/v1alpha1/namespaces/{name}/clusterserviceversions/flightticket-operator.v1.1.0"
    api.until(path, lambda csv: csv.get("status", {}).get("phase") == "Succeeded", 120)
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def tickets(namespace: str) -> str:
    return f"/apis/flights.com/v1/namespaces/{namespace}/flighttickets"


def ticket(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "flights.com/v1",
        "kind": "FlightTicket",
        "metadata": {"name": name},
        "spec": {"from": "Seoul", "to": "Lisbon", "number": 2, **spec},
    }


def settled(*phases: str, generation: int = 1) -> Any:
    def holds(found: dict[str, Any]) -> bool:
        status = found.get("status") or {}
        return status.get("observedGeneration") == generation and status.get("phase") in phases

    return holds


def test_it_is_pending_then_booked(api: Api, tickets: str) -> None:
    with api.watch(f"{tickets}?watch=1&fieldSelector=metadata.name%3Done") as watch:
        made = api.post(tickets, ticket("one")).json
        assert made["spec"]["class"] == "Economy"
        phases: list[str] = []
        for event in watch:
            found = event["object"]
            phase = (found.get("status") or {}).get("phase")
            if phase and phase not in phases:
                phases.append(phase)
            if phase == "Booked":
                break
    assert phases == ["Pending", "Booked"]
    (condition,) = found["status"]["conditions"]
    reference = found["status"]["bookingReference"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Booked", "True", "SeatsReserved")
    assert condition["message"] == f"2 seats from Seoul to Lisbon: booked as {reference}"
    assert "finalizers" not in found["metadata"]


def test_what_happened_is_recorded(api: Api, namespace: str, tickets: str) -> None:
    uid = api.post(tickets, ticket("told")).json["metadata"]["uid"]
    events = f"/api/v1/namespaces/{namespace}/events?fieldSelector=involvedObject.uid%3D{uid}"
    found = api.until(events, lambda body: len(body["items"]) >= 2)
    assert {(one["type"], one["reason"]) for one in found["items"]} == {("Normal", "Pending"), ("Normal", "Booked")}


def test_a_change_is_booked_again(api: Api, tickets: str) -> None:
    api.post(tickets, ticket("changed"))
    first = api.until(f"{tickets}/changed", settled("Booked"))
    assert api.patch(f"{tickets}/changed", {"metadata": {"labels": {"team": "sales"}}}).status == 200
    api.patch(f"{tickets}/changed", {"spec": {"to": "Monaco"}})
    refused = api.until(f"{tickets}/changed", settled("Rejected", generation=2))
    assert "bookingReference" not in refused["status"]
    assert refused["status"]["conditions"][0]["reason"] == "NoAirport"
    api.patch(f"{tickets}/changed", {"spec": {"to": "Nice"}})
    again = api.until(f"{tickets}/changed", settled("Booked", generation=3))
    assert again["status"]["bookingReference"] != first["status"]["bookingReference"]


def test_a_change_while_it_is_pending(api: Api, tickets: str) -> None:
    api.post(tickets, ticket("hasty"))
    api.until(f"{tickets}/hasty", settled("Pending"))
    api.patch(f"{tickets}/hasty", {"spec": {"number": 3}})
    found = api.until(f"{tickets}/hasty", settled("Booked", generation=2))
    assert found["status"]["conditions"][0]["message"].startswith("3 seats")


def test_a_restart_loses_nothing(api: Api, namespace: str, tickets: str) -> None:
    api.post(tickets, ticket("kept"))
    kept = api.until(f"{tickets}/kept", settled("Booked"))
    api.post(tickets, ticket("under-way"))
    api.until(f"{tickets}/under-way", settled("Pending"))
    pods = f"/api/v1/namespaces/{namespace}/pods"
    (old,) = [one["metadata"]["name"] for one in api.get(pods).json["items"]]
    api.delete(f"{pods}/{old}", {"gracePeriodSeconds": 0})
    api.until_gone(f"{pods}/{old}")
    api.post(tickets, ticket("meanwhile"))
    for name in ("under-way", "meanwhile"):
        api.until(f"{tickets}/{name}", settled("Booked"), 60)
    assert api.get(f"{tickets}/kept").json["status"] == kept["status"]


def test_it_goes_at_once(api: Api, tickets: str) -> None:
    api.post(tickets, ticket("gone"))
    api.until(f"{tickets}/gone", settled("Pending", "Booked"))
    api.delete(f"{tickets}/gone")
    assert api.get(f"{tickets}/gone").status == 404


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"number": 11}, "spec.number", "should be less than or equal to 10"),
        ({"number": 0}, "spec.number", "should be greater than or equal to 1"),
        ({"to": "Seoul"}, "spec.to", "to must differ from from"),
        ({"from": " Seoul"}, "spec.from", "should match"),
        ({"class": "Roof"}, "spec.class", 'supported values: "Economy", "Business", "First"'),
    ],
)
def test_the_api_server_refuses(api: Api, tickets: str, spec: dict[str, Any], field: str, message: str) -> None:
    answer = api.post(tickets, ticket("bad", **spec))
    assert answer.status == 422
    assert field in [cause[0] for cause in answer.causes]
    assert message in answer.message


def test_the_table_of_a_list(api: Api, tickets: str) -> None:
    api.post(tickets, ticket("shown"))
    found = api.until(f"{tickets}/shown", settled("Booked"))
    table = api.get(tickets, accept="application/json;as=Table;v=v1;g=meta.k8s.io").json
    names = ["Name", "From", "To", "Number", "Phase", "Reference", "Age"]
    assert [one["name"] for one in table["columnDefinitions"]] == names
    (row,) = [row["cells"] for row in table["rows"] if row["cells"][0] == "shown"]
    assert row[1:6] == ["Seoul", "Lisbon", 2, "Booked", found["status"]["bookingReference"]]
