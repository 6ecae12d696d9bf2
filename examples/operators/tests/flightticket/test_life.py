"""FlightTickets on a really started cluster: installed through OLM's objects, booked by the operator's process with
the rights of its bundle.
"""

from examples.operators.tests.flightticket.clusters import Tickets
from examples.operators.tests.places import condition
from kube.objects import without_last_applied


def test_it_is_pending_then_booked(installed: Tickets) -> None:
    with installed.api.watch(f"{installed.home}?watch=1&fieldSelector=metadata.name%3Done") as watch:
        made = installed.create("one")
        assert made["spec"]["class"] == "Economy"
        phases: list[str] = []
        for event in watch:
            found = event["object"]
            word = (found.get("status") or {}).get("phase")
            if word and word not in phases:
                phases.append(word)
            if word == "Booked":
                break
    assert phases == ["Pending", "Booked"]
    booked, reference = condition(found, "Booked"), found["status"]["bookingReference"]
    assert (booked["status"], booked["reason"]) == ("True", "SeatsReserved")
    assert booked["message"] == f"2 seats from Seoul to Lisbon: booked as {reference}"
    assert booked["observedGeneration"] == found["status"]["observedGeneration"] == 1
    assert "finalizers" not in found["metadata"]


def test_what_happened_is_recorded(installed: Tickets) -> None:
    uid = installed.create("told")["metadata"]["uid"]
    events = installed.events(uid, "Pending", "Booked")
    assert events["Pending"] == "asking for 2 seats from Seoul to Lisbon"
    assert events["Booked"].startswith("2 seats from Seoul to Lisbon: booked as ")
    installed.change("told", to="Monaco")
    assert installed.events(uid, "Rejected")["Rejected"].startswith("Monaco has no airport; fly to Nice")


def test_ten_seats_and_one(installed: Tickets) -> None:
    """The most and the fewest that the schema takes."""
    installed.create("many", number=10)
    installed.create("alone", number=1)
    for name, words in (("many", "10 seats"), ("alone", "1 seat from")):
        assert condition(installed.booked(name), "Booked")["message"].startswith(words)


def test_one_that_is_begun_from_another_is_booked_too(installed: Tickets) -> None:
    """With kopf's own copy in it, the operator would take it for one that it has seen to."""
    installed.create("first")
    first = installed.booked("first")
    metadata = {
        "name": "first-copy",
        "annotations": without_last_applied(first["metadata"]["annotations"]),
    }
    copy = {key: first[key] for key in ("apiVersion", "kind", "spec")} | {"metadata": metadata}
    made = installed.api.post(installed.home, copy)
    assert made.status == 201, made.json
    second = installed.booked("first-copy")
    assert second["status"]["bookingReference"] != first["status"]["bookingReference"]


def test_it_goes_at_once(installed: Tickets) -> None:
    installed.create("gone")
    installed.booked("gone")
    installed.delete("gone")
    assert installed.api.get(f"{installed.home}/gone").status == 404


def test_the_table_of_a_list(installed: Tickets) -> None:
    installed.create("shown")
    found = installed.booked("shown")
    columns, rows = installed.table()
    names = ["Name", "From", "To", "Number", "Phase", "Reference", "Age"]
    assert [column["name"] for column in columns] == names
    assert rows["shown"][1:6] == ["Seoul", "Lisbon", 2, "Booked", found["status"]["bookingReference"]]
