"""The operator is killed, as a node that loses its power does it, and goes on from what it finds in the cluster."""

from examples.operators.tests.flightticket.clusters import Tickets
from examples.operators.tests.places import Operator, condition


def test_killed_at_every_step_of_a_life(one: Tickets, operator: Operator) -> None:
    uid = one.create("cat")["metadata"]["uid"]
    operator.restart()
    one.asked("cat")
    operator.restart()
    first = one.booked("cat")["status"]["bookingReference"]
    one.change("cat", to="Porto")
    operator.restart()
    one.asked("cat")
    operator.restart()
    assert one.booked("cat")["status"]["bookingReference"] != first
    one.change("cat", to="Monaco")
    one.asked("cat")
    operator.restart()
    one.rejected("cat")
    one.delete("cat")
    operator.restart()
    assert one.api.get(f"{one.home}/cat").status == 404
    assert {"Booked", "Rejected"} <= set(one.events(uid, "Rejected")) <= {"Pending", "Booked", "Rejected"}


def test_what_changes_while_it_is_away_is_done_when_it_is_back(one: Tickets, operator: Operator) -> None:
    for name in ("kept", "changed", "noted", "going"):
        one.create(name)
    kept, *rest = (one.booked(name)["status"] for name in ("kept", "changed", "noted", "going"))
    one.create("under-way")
    one.asked("under-way")
    operator.kill()
    one.change("changed", to="Monaco")
    one.change("noted", note="mine")
    one.delete("going")
    one.create("new")
    assert one.api.get(f"{one.home}/going").status == 404
    operator.start()
    one.rejected("changed")
    for name in ("under-way", "new"):
        one.booked(name)
    noted = one.booked("noted")["status"]
    assert (noted["bookingReference"], noted["observedGeneration"]) == (rest[1]["bookingReference"], 2)
    assert one.get("kept")["status"] == kept
    one.clear()


def test_what_happens_is_told_once(one: Tickets, operator: Operator) -> None:
    """A ticket that was changed while nobody looked is new to the operator for two reasons, and is booked for one."""
    uid = one.create("once")["metadata"]["uid"]
    one.booked("once")
    operator.kill()
    one.change("once", to="Porto")
    operator.start()
    found = one.booked("once")
    path = one.path("events") + f"?fieldSelector=involvedObject.uid%3D{uid}"
    message = condition(found, "Booked")["message"]
    one.api.until(path, lambda body: message in [event["message"] for event in body["items"]])
    one.create("marker")
    one.booked("marker")
    told = [event["message"] for event in one.api.get(path).json["items"]]
    assert len(told) == len(set(told)) == 4, told
    one.clear()


def test_a_look_at_nothing_writes_nothing(one: Tickets, operator: Operator) -> None:
    one.create("calm")
    one.create("no", to="Monaco")
    one.booked("calm")
    one.rejected("no")
    one.create("settled")
    one.booked("settled")
    before = [one.get(name) for name in ("calm", "no")]
    operator.restart()
    one.create("marker")
    one.booked("marker")
    assert [one.get(name) for name in ("calm", "no")] == before
    one.clear()


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
