"""The operator is killed, as by a power failure of its node, and resumes from what it finds in the cluster."""

from examples.operators.tests.places import Operator, condition, phase
from examples.operators.tests.sampledb.clusters import Databases
from tests.eventually import until


def reaches(place: Databases, plural: str, name: str) -> None:
    """Returns when the object is there."""
    until(lambda: place.api.get(place.path(plural, name)).status == 200)


def test_killed_at_every_step_of_a_life(databases: Databases, operator: Operator) -> None:
    name = "cat"
    databases.create(name, version="6.2", initScript="INCR runs", users=[{"name": "mouse"}])
    for plural, step in (("secrets", "cat-credentials"), ("statefulsets", "cat"), ("jobs", "cat-init")):
        reaches(databases, plural, step)
        operator.restart()
    databases.ready(name)
    assert databases.call(name, "GET", "runs") == b"1"
    password = databases.api.get(databases.path("secrets", "cat-credentials")).json["data"]

    databases.change(name, version="7.2")
    reaches(databases, "jobs", "cat-upgrade-7-2")
    operator.restart()
    databases.until(name, lambda body: phase("Ready")(body) and body["status"]["deployedVersion"] == "7.2")
    assert databases.call(name, "GET", "runs") == b"1"
    assert databases.api.get(databases.path("secrets", "cat-credentials")).json["data"] == password

    databases.delete(name)
    until(lambda: databases.pods(name, "snapshot"))
    operator.restart()
    databases.api.until_gone(databases.path("statefulsets", name), 60)
    operator.restart()
    databases.gone(name)
    assert databases.left(name) == []
    snapshots = [key for key in databases.snapshots() if key.startswith("cat-snapshot-")]
    assert len(snapshots) == 1, "one life, one snapshot"


def test_killed_while_it_restores(databases: Databases, operator: Operator) -> None:
    databases.create("origin", initScript="SET a b")
    databases.ready("origin")
    databases.delete("origin")
    databases.gone("origin")
    databases.create("heir", restoreFrom={"database": "origin"}, deletionPolicy="Delete")
    for plural, step in (("jobs", "heir-restore"), ("statefulsets", "heir")):
        reaches(databases, plural, step)
        operator.restart()
    found = databases.ready("heir")
    assert found["status"]["restoredFrom"].startswith("origin-snapshot-")
    assert databases.call("heir", "GET", "a") == b"b"
    databases.delete("heir")


def test_what_changes_while_it_is_away_is_done_when_it_is_back(databases: Databases, operator: Operator) -> None:
    backup = {"enabled": True, "schedule": "0 0 1 1 *"}
    databases.create("grown", deletionPolicy="Delete")
    databases.create("going", initScript="SET a b")
    databases.create("saved", backup=backup, deletionPolicy="Delete")
    for name in ("grown", "going", "saved"):
        databases.ready(name)
    before = databases.get("saved")
    operator.kill()
    databases.change("grown", replicas=2)
    databases.delete("going")
    databases.create("new", deletionPolicy="Delete")
    job = databases.back_up("saved")
    databases.api.until(databases.path("jobs", job), lambda body: (body.get("status") or {}).get("succeeded"))
    assert not databases.get("saved")["status"].get("lastBackup")
    assert databases.get("going")["metadata"]["deletionTimestamp"]
    operator.start()
    grown = databases.until("grown", lambda body: phase("Ready")(body) and body["status"]["readyReplicas"] == 2)
    assert condition(grown, "Ready")["message"] == "2 of 2 Pods are ready"
    databases.gone("going")
    assert [key for key in databases.snapshots() if key.startswith("going-snapshot-")]
    databases.ready("new")
    saved = databases.until("saved", lambda body: body["status"].get("lastBackup"))
    assert saved["status"]["lastBackup"]["name"] in databases.snapshots()
    assert saved["metadata"]["generation"] == before["metadata"]["generation"]
    for name in ("grown", "new", "saved"):
        databases.delete(name)


def test_an_upgrade_that_was_asked_for_too_far_while_it_was_away(databases: Databases, operator: Operator) -> None:
    """Before a status says what is deployed, the CRD's rule can not know it; the operator refuses it, and there is a
    way out.
    """
    databases.create("leap", version="6.2", initScript="SET a b")
    reaches(databases, "statefulsets", "leap")
    operator.kill()
    databases.api("PATCH", f"{databases.home}/leap/status", {"status": None}, "application/merge-patch+json")
    assert databases.change("leap", version="8.0").status == 200
    operator.start()
    found = databases.until("leap", lambda body: condition(body, "Progressing").get("reason") == "UpgradeRefused")
    assert found["status"]["phase"] == "Failed"
    message = "the database runs 6.2; set spec.version to 7.2 first, then to 8.0"
    assert condition(found, "Progressing")["message"] == message
    found = databases.until("leap", lambda body: condition(body, "Ready").get("status") == "True")
    assert found["status"]["phase"] == "Failed", "the database runs, what was wished for does not"
    assert databases.call("leap", "GET", "a") == b"b"
    assert databases.change("leap", version="7.2").status == 200
    databases.until("leap", lambda body: phase("Ready")(body) and body["status"]["deployedVersion"] == "7.2")
    databases.delete("leap")


def test_a_look_at_nothing_writes_nothing(databases: Databases, operator: Operator) -> None:
    databases.create("calm", deletionPolicy="Delete")
    before = databases.ready("calm")
    operator.restart()
    databases.create("marker", deletionPolicy="Delete", replicas=0)
    databases.until("marker", phase("Stopped"))
    assert databases.get("calm")["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    for name in ("calm", "marker"):
        databases.delete(name)
