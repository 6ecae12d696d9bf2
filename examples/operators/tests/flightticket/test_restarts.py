"""The operator is killed, as by a power failure of its node, and resumes from what it finds in the cluster."""

from examples.operators.tests.flightticket.clusters import Tickets
from examples.operators.tests.places import Operator, condition


def test_killed_at_every_step_of_a_life(tickets: Tickets, operator: Operator) -> None:
    uid = tickets.create("cat")["metadata"]["uid"]
    operator.restart()
    tickets.asked("cat")
    operator.restart()
    first = tickets.booked("cat")["status"]["bookingReference"]
    tickets.change("cat", to="Porto")
    operator.restart()
    tickets.asked("cat")
    operator.restart()
    assert tickets.booked("cat")["status"]["bookingReference"] != first
    tickets.change("cat", to="Monaco")
    tickets.asked("cat")
    operator.restart()
    tickets.rejected("cat")
    tickets.delete("cat")
    operator.restart()
    assert tickets.api.get(f"{tickets.home}/cat").status == 404
    assert {"Booked", "Rejected"} <= set(tickets.events(uid, "Rejected")) <= {"Pending", "Booked", "Rejected"}


def test_what_changes_while_it_is_away_is_done_when_it_is_back(tickets: Tickets, operator: Operator) -> None:
    for name in ("kept", "changed", "noted", "going"):
        tickets.create(name)
    unchanged, *rest = (tickets.booked(name)["status"] for name in ("kept", "changed", "noted", "going"))
    tickets.create("under-way")
    tickets.asked("under-way")
    operator.kill()
    tickets.change("changed", to="Monaco")
    tickets.change("noted", note="mine")
    tickets.delete("going")
    tickets.create("new")
    assert tickets.api.get(f"{tickets.home}/going").status == 404
    operator.start()
    tickets.rejected("changed")
    for name in ("under-way", "new"):
        tickets.booked(name)
    noted = tickets.booked("noted")["status"]
    assert (noted["bookingReference"], noted["observedGeneration"]) == (rest[1]["bookingReference"], 2)
    assert tickets.get("kept")["status"] == unchanged
    tickets.clear()


def test_what_happens_is_told_once(tickets: Tickets, operator: Operator) -> None:
    """A ticket created or changed while the operator was away is new for two reasons, and is booked once."""
    uid = tickets.create("once")["metadata"]["uid"]
    tickets.booked("once")
    operator.kill()
    tickets.change("once", to="Porto")
    operator.start()
    found = tickets.booked("once")
    path = tickets.path("events") + f"?fieldSelector=involvedObject.uid%3D{uid}"
    message = condition(found, "Booked")["message"]
    tickets.api.until(path, lambda body: message in [event["message"] for event in body["items"]])
    tickets.create("marker")
    tickets.booked("marker")
    messages = [event["message"] for event in tickets.api.get(path).json["items"]]
    assert len(messages) == len(set(messages)) == 4, messages
    tickets.clear()


def test_a_look_at_nothing_writes_nothing(tickets: Tickets, operator: Operator) -> None:
    tickets.create("calm")
    tickets.create("no", to="Monaco")
    tickets.booked("calm")
    tickets.rejected("no")
    tickets.create("settled")
    tickets.booked("settled")
    before = [tickets.get(name) for name in ("calm", "no")]
    operator.restart()
    tickets.create("marker")
    tickets.booked("marker")
    assert [tickets.get(name) for name in ("calm", "no")] == before
    tickets.clear()


def test_the_installed_operators_pod_is_killed(installed: Tickets) -> None:
    """Its Deployment starts another one, which finds all that it needs in the tickets."""
    installed.create("steady")
    steady = installed.booked("steady")["status"]
    installed.create("under-way")
    installed.asked("under-way")
    (old,) = [
        pod["metadata"]["name"] for pod in installed.listed("pods", "app.kubernetes.io/name=flightticket-operator")
    ]
    installed.kill_pod(old)
    installed.api.until_gone(installed.path("pods", old))
    installed.create("meanwhile")
    installed.booked("under-way")
    installed.booked("meanwhile")
    assert installed.get("steady")["status"] == steady
