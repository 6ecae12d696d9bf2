"""The operator is killed, as a node that loses its power does it, and goes on from what it finds in the cluster."""

from examples.operators.tests.places import Operator, condition, phase
from examples.operators.tests.sampledb.clusters import Databases
from tests.eventually import until


def reaches(place: Databases, plural: str, name: str) -> None:
    """Returns when the object is there."""
    until(lambda: place.api.get(place.path(plural, name)).status == 200)


def test_killed_at_every_step_of_a_life(one: Databases, operator: Operator) -> None:
    name = "cat"
    one.create(name, version="6.2", initScript="INCR runs", users=[{"name": "mouse"}])
    for plural, step in (("secrets", "cat-credentials"), ("statefulsets", "cat"), ("jobs", "cat-init")):
        reaches(one, plural, step)
        operator.restart()
    one.ready(name)
    assert one.call(name, "GET", "runs") == b"1"
    password = one.api.get(one.path("secrets", "cat-credentials")).json["data"]

    one.change(name, version="7.2")
    reaches(one, "jobs", "cat-upgrade-7-2")
    operator.restart()
    one.until(name, lambda body: phase("Ready")(body) and body["status"]["deployedVersion"] == "7.2")
    assert one.call(name, "GET", "runs") == b"1"
    assert one.api.get(one.path("secrets", "cat-credentials")).json["data"] == password

    one.delete(name)
    until(lambda: one.pods(name, "snapshot"))
    operator.restart()
    one.api.until_gone(one.path("statefulsets", name), 60)
    operator.restart()
    one.gone(name)
    assert one.left(name) == []
    snapshots = [key for key in one.snapshots() if key.startswith("cat-snapshot-")]
    assert len(snapshots) == 1, "one life, one snapshot"


def test_killed_while_it_restores(one: Databases, operator: Operator) -> None:
    one.create("origin", initScript="SET a b")
    one.ready("origin")
    one.delete("origin")
    one.gone("origin")
    one.create("heir", restoreFrom={"database": "origin"}, deletionPolicy="Delete")
    for plural, step in (("jobs", "heir-restore"), ("statefulsets", "heir")):
        reaches(one, plural, step)
        operator.restart()
    found = one.ready("heir")
    assert found["status"]["restoredFrom"].startswith("origin-snapshot-")
    assert one.call("heir", "GET", "a") == b"b"
    one.delete("heir")


def test_what_changes_while_it_is_away_is_done_when_it_is_back(one: Databases, operator: Operator) -> None:
    backup = {"enabled": True, "schedule": "0 0 1 1 *"}
    one.create("grown", deletionPolicy="Delete")
    one.create("going", initScript="SET a b")
    one.create("saved", backup=backup, deletionPolicy="Delete")
    for name in ("grown", "going", "saved"):
        one.ready(name)
    before = one.get("saved")
    operator.kill()
    one.change("grown", replicas=2)
    one.delete("going")
    one.create("new", deletionPolicy="Delete")
    job = one.back_up("saved")
    one.api.until(one.path("jobs", job), lambda body: (body.get("status") or {}).get("succeeded"))
    assert not one.get("saved")["status"].get("lastBackup")
    assert one.get("going")["metadata"]["deletionTimestamp"]
    operator.start()
    grown = one.until("grown", lambda body: phase("Ready")(body) and body["status"]["readyReplicas"] == 2)
    assert condition(grown, "Ready")["message"] == "2 of 2 Pods are ready"
    one.gone("going")
    assert [key for key in one.snapshots() if key.startswith("going-snapshot-")]
    one.ready("new")
    saved = one.until("saved", lambda body: body["status"].get("lastBackup"))
    assert saved["status"]["lastBackup"]["name"] in one.snapshots()
    assert saved["metadata"]["generation"] == before["metadata"]["generation"]
    for name in ("grown", "new", "saved"):
        one.delete(name)


def test_an_upgrade_that_was_asked_for_too_far_while_it_was_away(one: Databases, operator: Operator) -> None:
    """Before a status says what is deployed, the CRD's rule can not know it; the operator refuses it, and there is a
    way out.
    """
    one.create("leap", version="6.2", initScript="SET a b")
    reaches(one, "statefulsets", "leap")
    operator.kill()
    one.api("PATCH", f"{one.home}/leap/status", {"status": None}, "application/merge-patch+json")
    assert one.change("leap", version="8.0").status == 200
    operator.start()
    found = one.until("leap", lambda body: condition(body, "Progressing").get("reason") == "UpgradeRefused")
    assert found["status"]["phase"] == "Failed"
    message = "the database runs 6.2; set spec.version to 7.2 first, then to 8.0"
    assert condition(found, "Progressing")["message"] == message
    found = one.until("leap", lambda body: condition(body, "Ready").get("status") == "True")
    assert found["status"]["phase"] == "Failed", "the database runs, what was wished for does not"
    assert one.call("leap", "GET", "a") == b"b"
    assert one.change("leap", version="7.2").status == 200
    one.until("leap", lambda body: phase("Ready")(body) and body["status"]["deployedVersion"] == "7.2")
    one.delete("leap")


def test_a_look_at_nothing_writes_nothing(one: Databases, operator: Operator) -> None:
    one.create("calm", deletionPolicy="Delete")
    before = one.ready("calm")
    operator.restart()
    one.create("marker", deletionPolicy="Delete", replicas=0)
    one.until("marker", phase("Stopped"))
    assert one.get("calm")["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    for name in ("calm", "marker"):
        one.delete(name)
