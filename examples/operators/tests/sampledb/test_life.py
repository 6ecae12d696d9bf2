"""A database from its creation to its end, on a really started cluster: the operator is installed through OLM, the
engine runs.
"""

import pytest

from examples.operators.sampledb import resp
from examples.operators.tests.places import condition, phase, says
from examples.operators.tests.sampledb.clusters import Databases
from tests.eventually import until

SCRIPT = "# first data\nSET greeting hello\nINCR runs\n"


@pytest.fixture(scope="module")
def shop(installed: Databases) -> Databases:
    installed.create("shop", initScript=SCRIPT, users=[{"name": "reader", "role": "reader"}])
    installed.ready("shop")
    return installed


def test_everything_is_made(shop: Databases) -> None:
    found = shop.ready("shop")
    assert found["metadata"]["finalizers"] == ["samples.operator-console.dev/finalizer"]
    status = found["status"]
    assert status["endpoint"] == f"shop.{shop.namespace}.svc:6379"
    assert status["version"].count(".") == 2
    assert (status["deployedVersion"], status["replicas"], status["readyReplicas"]) == ("7.2", 1, 1)
    values = {condition["type"]: (condition["status"], condition["reason"]) for condition in status["conditions"]}
    assert values == {
        "Ready": ("True", "DatabaseReady"),
        "Progressing": ("False", "Settled"),
        "Initialized": ("True", "JobComplete"),
        "StorageReady": ("True", "Bound"),
    }
    assert set(shop.left("shop")) == {
        "statefulsets/shop",
        "jobs/shop-init",
        "persistentvolumeclaims/data-shop-0",
        "services/shop",
        "services/shop-pods",
        "configmaps/shop-connection",
        "secrets/shop-credentials",
    }
    events = shop.events(found["metadata"]["uid"], "Provisioning", "Ready")
    assert events["Provisioning"] == "Making 1 Pod(s) of redis 7.2 with 64Mi each"


def test_the_database_really_runs_and_was_set_up_once(shop: Databases) -> None:
    assert shop.call("shop", "GET", "greeting") == b"hello"
    assert shop.call("shop", "GET", "runs") == b"1"


def test_the_data_survive_a_pod(shop: Databases) -> None:
    shop.call("shop", "SET", "kept", "through it")
    (pod,) = shop.pods("shop")
    shop.kill_pod("shop-0")
    shop.api.until(shop.path("pods", "shop-0"), lambda new: new["metadata"]["uid"] != pod["metadata"]["uid"])
    shop.ready("shop")
    assert shop.call("shop", "GET", "kept") == b"through it"


def test_it_grows_and_shrinks_and_stops(shop: Databases) -> None:
    assert shop.api.patch(f"{shop.home}/shop/scale", {"spec": {"replicas": 2}}).status == 200
    shop.until("shop", lambda item: phase("Ready")(item) and item["status"]["readyReplicas"] == 2)
    with shop.connect("shop") as leader:
        leader.call("SET", "shared", "yes")
        assert leader.call("WAIT", 1, 30_000) == 1
    with shop.connect("shop", 1) as follower, pytest.raises(resp.RefusedError, match="READONLY"):
        follower.call("SET", "a", "b")
    shop.change("shop", replicas=0)
    stopped = shop.until("shop", phase("Stopped"))
    assert condition(stopped, "Ready")["message"].endswith("its volumes are kept")
    shop.change("shop", replicas=1)
    shop.ready("shop")
    assert shop.call("shop", "GET", "shared") == b"yes"
    claims = {item for item in shop.left("shop") if item.startswith("persistentvolumeclaims/")}
    assert claims == {"persistentvolumeclaims/data-shop-0", "persistentvolumeclaims/data-shop-1"}


def test_its_volumes_grow_but_never_shrink(shop: Databases) -> None:
    assert shop.change("shop", storage="128Mi").status == 200
    path = shop.path("persistentvolumeclaims", "data-shop-0")
    shop.api.until(path, lambda claim: claim["status"].get("capacity", {}).get("storage") == "128Mi")
    found = shop.until("shop", lambda item: condition(item, "StorageReady").get("message") == "1 volume(s) of 128Mi")
    assert condition(found, "StorageReady")["status"] == "True"
    refused = shop.change("shop", storage="64Mi")
    assert (refused.status, "can grow, but not shrink" in refused.message) == (422, True)


def test_an_upgrade_goes_by_a_job_and_one_step_at_a_time(installed: Databases) -> None:
    installed.create("ages", version="6.2", initScript="INCR runs")
    uid = installed.ready("ages")["metadata"]["uid"]
    far = installed.change("ages", version="8.0")
    assert (far.status, "one step at a time" in far.message) == (422, True)
    assert installed.change("ages", version="7.2").status == 200
    found = installed.until("ages", lambda item: phase("Ready")(item) and item["status"]["deployedVersion"] == "7.2")
    assert condition(found, "Ready")["status"] == "True"
    job = installed.api.get(installed.path("jobs", "ages-upgrade-7-2")).json
    assert job["status"]["succeeded"] == 1
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["image"].endswith(":redis-6.2"), "the old engine prepares the data"
    (pod,) = installed.pods("ages")
    assert pod["spec"]["containers"][0]["image"].endswith(":redis-7.2")
    assert installed.call("ages", "GET", "runs") == b"1"
    back = installed.change("ages", version="6.2")
    assert (back.status, "no way back" in back.message) == (422, True)
    assert installed.events(uid, "UpgradeStarted")["UpgradeStarted"] == "Preparing the data of 6.2 for 7.2"
    installed.delete("ages")


def test_it_goes_with_a_snapshot_first_and_leaves_nothing(shop: Databases) -> None:
    folder = shop.volume("data-shop-0")
    uid = shop.get("shop")["metadata"]["uid"]
    keys = shop.call("shop", "DBSIZE")
    shop.delete("shop")
    shop.gone("shop")
    assert shop.left("shop") == []
    assert shop.pods("shop") == []
    until(lambda: not folder.exists())
    (name,) = [snapshot for snapshot in shop.snapshots() if snapshot.startswith("shop-snapshot-")]
    assert (shop.volume("sampledb-snapshots") / name).read_bytes().startswith(b"REDIS")
    events = shop.events(uid, "Snapshotting", "SnapshotWritten", "Deleting")
    assert events["SnapshotWritten"] == f"Wrote {keys} keys to {name}"


def test_a_stopped_database_is_copied_too(installed: Databases) -> None:
    installed.create("idle", initScript="SET a b")
    installed.ready("idle")
    installed.change("idle", replicas=0)
    installed.until("idle", phase("Stopped"))
    installed.delete("idle")
    installed.gone("idle")
    assert [snapshot for snapshot in installed.snapshots() if snapshot.startswith("idle-snapshot-")]


def test_without_a_snapshot_where_none_is_wanted(installed: Databases) -> None:
    installed.create("brief", deletionPolicy="Delete")
    installed.ready("brief")
    installed.delete("brief")
    installed.gone("brief")
    assert installed.left("brief") == []
    assert not [snapshot for snapshot in installed.snapshots() if snapshot.startswith("brief-")]


def test_the_table_of_a_list(installed: Databases) -> None:
    table = installed.api.get(installed.home, accept="application/json;as=Table;v=v1;g=meta.k8s.io").json
    names = [definition["name"] for definition in table["columnDefinitions"] if not definition["priority"]]
    assert names == ["Name", "Phase", "Replicas", "Version", "Last backup", "Age"]


def test_a_wrong_change_takes_it_down_and_the_right_one_brings_it_back(installed: Databases) -> None:
    """Ready is what is so now, not what was true once. And what was written is there again."""
    installed.create("honest", deletionPolicy="Delete", initScript="SET a b")
    uid = installed.ready("honest")["metadata"]["uid"]
    installed.change("honest", config={"maxmemory-policy": "nonsense"})
    found = installed.until("honest", says("Ready", "CrashLoopBackOff"))
    assert (found["status"]["phase"], condition(found, "Ready")["status"]) == ("Degraded", "False")
    assert "0 of 1 Pods are ready; the Pod honest-0 does not start" in condition(found, "Ready")["message"]
    installed.events(uid, "CrashLoopBackOff")
    installed.change("honest", config={"maxmemory-policy": "allkeys-lru"})
    installed.ready("honest")
    assert installed.call("honest", "GET", "a") == b"b"
    installed.delete("honest")
