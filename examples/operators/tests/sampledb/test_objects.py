"""The objects of a database: what they are called, what they hold, and that they go with it."""

import base64

from examples.operators.kubeapi import contains
from examples.operators.sampledb import connection, jobs, workload

from .databases import database


def test_everything_belongs_to_the_database() -> None:
    db = database(replicas=2, backup={"enabled": True, "schedule": "0 3 * * *"})
    objects = [
        *connection.services(db),
        connection.config_map(db, "7.2"),
        connection.secret(db, None),
        *workload.claims(db),
        workload.stateful_set(db, "7.2"),
        jobs.init(db, "7.2"),
        jobs.backup(db, "7.2"),
    ]
    for obj in objects:
        (owner,) = obj["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["uid"], owner["controller"]) == (
            "SampleDB",
            "example",
            "0123",
            True,
        )
        assert obj["metadata"]["namespace"] == "demo"
        assert obj["metadata"]["labels"]["samples.operator-console.dev/database"] == "example"


def test_one_claim_for_each_pod_under_the_name_that_the_stateful_set_expects() -> None:
    db = database(replicas=3, storage="5Gi", storageClassName="fast")
    found = workload.claims(db)
    assert [item["metadata"]["name"] for item in found] == ["data-example-0", "data-example-1", "data-example-2"]
    assert found[0]["spec"]["resources"]["requests"]["storage"] == "5Gi"
    assert found[0]["spec"]["storageClassName"] == "fast"
    (template,) = workload.stateful_set(db, "7.2")["spec"]["volumeClaimTemplates"]
    assert template["metadata"]["name"] == "data"


def test_data_can_be_brought_into_a_database_without_pods() -> None:
    assert workload.claims(database(replicas=0)) == []
    (claim,) = workload.claims(database(replicas=0, restoreFrom={"database": "old"}))
    job = jobs.restore(database(replicas=0, restoreFrom={"database": "old"}), "7.2")
    mounted = {
        volume["name"]: volume["persistentVolumeClaim"]["claimName"]
        for volume in job["spec"]["template"]["spec"]["volumes"]
    }
    assert mounted == {"snapshots": "sampledb-snapshots", "data": claim["metadata"]["name"]}


def test_the_service_leads_to_the_pod_that_takes_writes() -> None:
    main, pods = connection.services(database(port=7000))
    assert main["spec"]["selector"]["statefulset.kubernetes.io/pod-name"] == "example-0"
    assert main["spec"]["ports"][0]["port"] == 7000
    assert pods["spec"]["clusterIP"] == "None"


def test_a_port_by_name_is_the_well_known_one() -> None:
    assert database(port="valkey").port == 6379


def test_passwords_are_made_once() -> None:
    db = database(users=[{"name": "shop"}])
    first = connection.secret(db, None)
    assert set(first["data"]) == {"password", "username", "user-shop"}
    assert base64.b64decode(first["data"]["username"]) == b"default"
    assert connection.secret(db, first)["data"] == first["data"]
    without = connection.secret(database(), first)["data"]
    assert without["user-shop"] is None
    assert without["password"] == first["data"]["password"]


def test_a_password_of_the_persons_own() -> None:
    db = database(passwordSecretRef={"name": "mine", "key": "word"})
    assert "password" not in connection.secret(db, None)["data"]
    reference = workload.password_variable(db)["valueFrom"]["secretKeyRef"]
    assert reference == {"name": "mine", "key": "word"}


def test_no_password_is_in_a_pod_template() -> None:
    db = database(users=[{"name": "shop"}])
    values = [entry for entry in workload.engine_variables(db) if "PASSWORD" in entry["name"]]
    assert len(values) == 2
    assert all("value" not in entry for entry in values)


def test_the_memory_limit_bounds_the_data() -> None:
    db = database(resources={"limits": {"memory": "256Mi"}}, memoryFraction=0.5)
    variables = {entry["name"]: entry.get("value") for entry in workload.engine_variables(db)}
    assert variables["SAMPLEDB_MAX_MEMORY"] == str(128 * 2**20)
    assert [workload.bytes_of(text) for text in ("1Gi", "1.5M", 100, "x")] == [2**30, 1_500_000, 100, 0]


def test_a_changed_spec_changes_the_stateful_set() -> None:
    key = "samples.operator-console.dev/spec-hash"
    annotation = workload.stateful_set(database(nodeSelector={"a": "b"}), "7.2")["metadata"]["annotations"][key]
    other = workload.stateful_set(database(), "7.2")["metadata"]["annotations"][key]
    assert annotation != other


def test_backups_keep_what_is_asked_for() -> None:
    db = database(backup={"enabled": True, "schedule": "0 3 * * *", "retention": 7})
    spec = jobs.backup(db, "7.2")["spec"]
    pod = spec["jobTemplate"]["spec"]["template"]["spec"]
    assert spec["schedule"] == "0 3 * * *"
    assert {"name": "SAMPLEDB_RETENTION", "value": "7"} in pod["containers"][0]["env"]
    assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == "sampledb-snapshots"


def test_the_snapshot_volume_outlives_the_database() -> None:
    assert "ownerReferences" not in jobs.snapshot_claim(database())["metadata"]


def test_set_up_runs_again_for_another_script_or_version() -> None:
    other = database(initScript="SET a b")
    assert len({database().set_up_hash("7.2"), database().set_up_hash("8.0"), other.set_up_hash("7.2")}) == 3


def test_contains_ignores_what_others_added() -> None:
    assert contains({"a": 1, "b": [{"c": 1, "d": 2}]}, {"a": 1, "b": [{"c": 1}]})
    assert not contains({"b": [1, 2]}, {"b": [1]})
    assert contains({}, {"gone": None})
    assert not contains({"gone": 1}, {"gone": None})
