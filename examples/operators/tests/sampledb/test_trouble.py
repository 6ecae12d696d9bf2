"""Bad input and bad luck: the right status and message, nothing left over, nothing lost.

All on a really started cluster.
"""

import base64
import os
import time
from typing import Any

import pytest

from examples.operators.tests.places import Operator, condition, phase, says
from examples.operators.tests.sampledb.clusters import Databases
from tests.eventually import until

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"engine": "mysql"}, 'Unsupported value: "mysql"'),
    ({"replicas": 6}, "should be less than or equal to 5"),
    ({"storage": "lots"}, "should match"),
    ({"engine": "valkey", "version": "6.2"}, "valkey begins with version 7.2"),
    ({"backup": {"enabled": True}}, "schedule is required when backups are enabled"),
    ({"backup": {"enabled": True, "schedule": "0 3 * *"}}, "five cron fields are needed"),
    ({"backup": {"enabled": True, "schedule": "60 3 * * *"}}, "the first field is the minute"),
    ({"backup": {"enabled": True, "schedule": "0 24 * * *"}}, "the second field is the hour"),
    ({"backup": {"enabled": True, "schedule": "0 3 0 * *"}}, "the third field is the day of the month"),
    ({"backup": {"enabled": True, "schedule": "0 3 * 13 *"}}, "the fourth field is the month"),
    ({"backup": {"enabled": True, "schedule": "0 3 * * 7"}}, "the fifth field is the day of the week"),
    ({"restoreFrom": {}}, "at least 1 propert"),
    ({"restoreFrom": {"database": "a", "snapshot": "a-backup-20260101T000000Z.rdb"}}, "must have at most 1 item"),
    ({"restoreFrom": {"snapshot": "../../etc/passwd"}}, "should match"),
]


@pytest.mark.parametrize(("spec", "words"), WRONG)
def test_the_api_server_refuses_a_wrong_spec_in_words(installed: Databases, spec: dict[str, Any], words: str) -> None:
    answer = installed.ask("wrong", **spec)
    assert answer.status == 422, answer.raw
    assert words in answer.message


@pytest.mark.parametrize("schedule", ["*/15 0-6,22 1,15 JAN-MAR SUN", "0 3 * * 1-5", "59 23 31 12 6", " 0  3 * * *"])
def test_a_right_schedule_is_taken(installed: Databases, schedule: str) -> None:
    body = {"engine": "redis", "backup": {"enabled": True, "schedule": schedule}}
    meta = {"name": "right", "namespace": installed.namespace}
    object_ = {"apiVersion": "samples.operator-console.dev/v1", "kind": "SampleDB", "metadata": meta, "spec": body}
    assert installed.api.post(f"{installed.home}?dryRun=All", object_).status == 201


def test_what_can_not_change_says_so(databases: Databases) -> None:
    databases.create("fixed", replicas=0, storageClassName="standard")
    for change, words in (
        ({"engine": "valkey"}, "engine is immutable"),
        ({"storageClassName": "other"}, "storageClassName is immutable"),
        ({"restoreFrom": {"database": "x"}}, "restoreFrom can only be given when the database is created"),
    ):
        answer = databases.change("fixed", **change)
        assert (answer.status, words in answer.message) == (422, True), answer.raw
    databases.delete("fixed")


def test_a_secret_that_is_missing_is_waited_for(installed: Databases) -> None:
    installed.create("locked", passwordSecretRef={"name": "mine", "key": "word"}, deletionPolicy="Delete")
    found = installed.until("locked", says("Ready", "SecretMissing"))
    assert found["status"]["phase"] == "Pending"
    assert (
        "the Secret mine of spec.passwordSecretRef is not there; create it with the key word"
        in condition(found, "Ready")["message"]
    )
    secret = base64.b64encode(b"open sesame").decode()
    installed.make("secrets", "mine", data={"password": secret})
    installed.until("locked", lambda item: "has no key word" in condition(item, "Ready")["message"])
    installed.api.patch(installed.path("secrets", "mine"), {"data": {"word": secret}})
    installed.ready("locked")
    installed.events(found["metadata"]["uid"], "SecretMissing", "Ready")
    installed.delete("locked")
    installed.gone("locked")
    assert installed.api.get(installed.path("secrets", "mine")).status == 200, "it is the person's own"


def test_a_setting_that_the_engine_does_not_know(databases: Databases) -> None:
    databases.create("odd", config={"no-such-setting": "1"}, deletionPolicy="Delete")
    found = databases.until("odd", says("Ready", "CrashLoopBackOff"))
    assert found["status"]["phase"] == "Pending"
    assert "Bad directive or wrong number of arguments" in condition(found, "Ready")["message"]
    assert databases.change("odd", config={"no-such-setting": None}).status == 200
    databases.ready("odd")
    databases.delete("odd")


def test_a_storage_class_that_there_is_not(databases: Databases) -> None:
    databases.create("homeless", storageClassName="nowhere")
    found = databases.until("homeless", says("StorageReady", "Unbound"))
    databases.until("homeless", lambda item: item["status"]["phase"] in ("Creating", "Pending"))
    assert "kubectl describe pvc data-homeless-0" in condition(found, "StorageReady")["message"]
    databases.delete("homeless")
    databases.gone("homeless")
    assert databases.left("homeless") == []


def test_a_set_up_that_fails_names_the_line_and_changes_nothing(installed: Databases) -> None:
    installed.create("typo", initScript="SET first done\nSTE second done", deletionPolicy="Delete")
    found = installed.until("typo", lambda item: "line 2" in condition(item, "Ready").get("message", ""))
    assert condition(found, "Initialized")["status"] == "False"
    assert installed.call("typo", "DBSIZE") == 0
    installed.change("typo", initScript="SET first done\nSET second done")
    installed.ready("typo")
    assert installed.call("typo", "GET", "second") == b"done"
    installed.delete("typo")


def test_a_name_that_is_taken_is_left_to_its_owner(databases: Databases) -> None:
    pod = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "a", "image": "mine"}]}}
    spec = {"replicas": 0, "serviceName": "x", "selector": {"matchLabels": {"app": "x"}}, "template": pod}
    made = databases.make("statefulsets", "taken", spec=spec)
    databases.create("taken")
    found = databases.until("taken", says("Ready", "NameTaken"))
    assert found["status"]["phase"] == "Failed"
    assert (
        "a StatefulSet named taken exists already and does not belong to this database"
        in condition(found, "Ready")["message"]
    )
    databases.delete("taken")
    databases.gone("taken")
    assert databases.api.get(databases.path("statefulsets", "taken")).json["metadata"]["uid"] == made["metadata"]["uid"]
    databases.api.delete(databases.path("statefulsets", "taken"))


def test_one_name_in_two_namespaces_is_two_databases(two: tuple[Databases, Databases], databases: Databases) -> None:
    first, second = two
    for place, words in ((first, "here"), (second, "there")):
        place.create("twin", initScript=f"SET where {words}")
    for place, words in ((first, b"here"), (second, b"there")):
        place.ready("twin")
        assert place.call("twin", "GET", "where") == words
    first.delete("twin")
    first.gone("twin")
    assert second.get("twin")["status"]["phase"] == "Ready"
    assert second.call("twin", "GET", "where") == b"there"
    assert [name for name in first.snapshots() if name.startswith("twin-")]
    assert not [name for name in second.snapshots() if name.startswith("twin-")]
    second.delete("twin")


@pytest.mark.parametrize(
    "moment",
    ["", "secrets/hasty-credentials", "persistentvolumeclaims/data-hasty-0", "statefulsets/hasty", "jobs/hasty-init"],
)
def test_a_database_that_is_deleted_while_it_is_made_leaves_nothing(databases: Databases, moment: str) -> None:
    databases.create("hasty", initScript="SET a b")
    if moment:
        plural, name = moment.split("/")
        until(lambda: databases.api.get(databases.path(plural, name)).status == 200)
    databases.delete("hasty")
    databases.gone("hasty")
    assert databases.left("hasty") == databases.pods("hasty") == []
    time.sleep(1)
    assert databases.left("hasty") == databases.pods("hasty") == [], "a controller made something of it once more"


def test_a_name_is_free_at_once(databases: Databases) -> None:
    """A new database of the same name finds nothing of the old one, and loses nothing to its garbage collection."""
    databases.create("again", initScript="SET old yes", deletionPolicy="Delete")
    databases.ready("again")
    databases.delete("again")
    databases.gone("again")
    databases.create("again", initScript="SET new yes", deletionPolicy="Delete")
    databases.ready("again")
    assert databases.call("again", "GET", "old") is None
    assert databases.call("again", "GET", "new") == b"yes"
    databases.delete("again")


def test_jobs_that_are_killed_are_done_all_the_same(databases: Databases) -> None:
    databases.create("tough", initScript="INCR runs")
    (pod,) = until(lambda: databases.pods("tough", "init"))
    databases.kill_pod(pod["metadata"]["name"])
    databases.ready("tough")
    assert databases.call("tough", "GET", "runs") == b"1"
    old = databases.api.get(databases.path("jobs", "tough-init")).json["metadata"]["uid"]
    assert databases.api.delete(databases.path("jobs", "tough-init"), {"propagationPolicy": "Background"}).status == 200
    again = until(lambda: [job for job in databases.jobs("tough") if job["metadata"]["uid"] != old])
    databases.api.until(
        databases.path("jobs", again[0]["metadata"]["name"]), lambda job: (job.get("status") or {}).get("succeeded"), 60
    )
    databases.ready("tough")
    assert databases.call("tough", "GET", "runs") == b"1"
    databases.delete("tough")
    (pod,) = until(lambda: databases.pods("tough", "snapshot"))
    databases.kill_pod(pod["metadata"]["name"])
    databases.gone("tough")
    assert [name for name in databases.snapshots() if name.startswith("tough-snapshot-")]


def test_a_snapshot_that_nobody_heard_of_is_written_once_more(databases: Databases, operator: Operator) -> None:
    """Its Pod has gone before the operator could read what it wrote: the data are still there, so they are asked
    again.
    """
    databases.create("unheard", initScript="SET a b")
    databases.ready("unheard")
    databases.delete("unheard")
    (job,) = until(lambda: databases.jobs("unheard", "snapshot"))
    with operator.frozen():
        place = databases.path("jobs", job["metadata"]["name"])
        databases.api.until(place, lambda found: (found.get("status") or {}).get("succeeded"), 60)
        (pod,) = databases.pods("unheard", "snapshot")
        databases.kill_pod(pod["metadata"]["name"])
        databases.api.until_gone(databases.path("pods", pod["metadata"]["name"]))
        (first,) = databases.volume("sampledb-snapshots").glob("unheard-snapshot-*.rdb")
    databases.gone("unheard")
    (listed,) = [name for name in databases.snapshots() if name.startswith("unheard-")]
    assert [path.name for path in first.parent.glob("unheard-*.rdb")] == [listed] != [first.name]


def test_a_database_that_can_not_be_copied_is_kept_until_somebody_decides(installed: Databases) -> None:
    secret = base64.b64encode(b"open sesame").decode()
    installed.make("secrets", "its-own", data={"password": secret})
    installed.create("stays", passwordSecretRef={"name": "its-own"}, initScript="SET a b")
    installed.ready("stays")
    installed.api.delete(installed.path("secrets", "its-own"))
    installed.delete("stays")
    found = installed.until("stays", says("Ready", "CreateContainerConfigError"))
    assert found["status"]["phase"] == "Snapshotting"
    assert "The snapshot waits: " in condition(found, "Ready")["message"]
    assert 'secret "its-own" not found' in condition(found, "Ready")["message"]
    assert len(installed.pods("stays")) == 1
    installed.change("stays", deletionPolicy="Delete")
    installed.gone("stays")
    assert installed.left("stays") == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full: a device that is always full")
def test_a_full_volume_is_told_and_nothing_that_was_written_is_lost(installed: Databases) -> None:
    installed.create("brim", initScript="SET a b", deletionPolicy="Delete")
    uid = installed.ready("brim")["metadata"]["uid"]
    installed.change("brim", replicas=0)
    installed.until("brim", phase("Stopped"))
    until(lambda: not installed.pods("brim"))
    folder = installed.volume("data-brim-0")
    (file,) = [path for path in folder.rglob("appendonly*.aof") if path.name == "appendonly.aof" or "incr" in path.name]
    moved = file.rename(file.with_suffix(".kept"))
    file.symlink_to("/dev/full")
    installed.change("brim", replicas=1)
    installed.ready("brim")
    try:
        installed.call("brim", "SET", "one", "too many")
        found = installed.until("brim", says("Ready", "VolumeFull"))
        assert found["status"]["phase"] == "Degraded"
        assert condition(found, "StorageReady")["status"] == "False"
        assert "the volume data-brim-0 is full" in condition(found, "Ready")["message"]
        assert "raise spec.storage" in condition(found, "Ready")["message"]
        installed.events(uid, "VolumeFull")
    finally:
        installed.change("brim", replicas=0)
        until(lambda: not installed.pods("brim"))
        file.unlink()
        moved.rename(file)
    installed.change("brim", replicas=1)
    installed.ready("brim")
    assert installed.call("brim", "GET", "a") == b"b"
    installed.delete("brim")
