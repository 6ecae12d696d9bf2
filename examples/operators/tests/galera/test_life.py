"""The package on a really started cluster: installed through OLM's objects, carried out by the engine's process."""

import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.api import Api

OLM = "/apis/operators.coreos.com"
KUDO = "kudo.dev/v1beta1"
SLOW = 120.0
pytestmark = pytest.mark.timeout(600)


def create(api: Api, path: str, api_version: str, kind: str, name: str, **rest: Any) -> dict[str, Any]:
    answer = api.post(path, {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **rest})
    assert answer.status == 201, answer.raw
    return dict(answer.json)


@pytest.fixture(scope="module")
def namespace(api: Api) -> Iterator[str]:
    """A namespace with the operator in it, through a Subscription."""
    name = f"galera-{uuid4().hex[:6]}"
    create(api, "/api/v1/namespaces", "v1", "Namespace", name)
    groups, subscriptions = (
        f"{OLM}/{version}/namespaces/{name}/{plural}"
        for version, plural in (("v1", "operatorgroups"), ("v1alpha1", "subscriptions"))
    )
    create(api, groups, "operators.coreos.com/v1", "OperatorGroup", "group", spec={"targetNamespaces": [name]})
    wanted = {"name": "galera", "source": "samples-catalog", "sourceNamespace": "olm"}
    create(api, subscriptions, "operators.coreos.com/v1alpha1", "Subscription", "galera", spec=wanted)
    path = f"{OLM}/v1alpha1/namespaces/{name}/clusterserviceversions/galera-operator.v1.0.0"
    api.until(path, lambda csv: csv.get("status", {}).get("phase") == "Succeeded", SLOW)
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def instances(namespace: str) -> str:
    return f"/apis/{KUDO}/namespaces/{namespace}/instances"


@pytest.fixture
def core(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}"


@pytest.fixture
def sets(namespace: str) -> str:
    return f"/apis/apps/v1/namespaces/{namespace}/statefulsets"


@pytest.fixture
def jobs(namespace: str) -> str:
    return f"/apis/batch/v1/namespaces/{namespace}/jobs"


def new(api: Api, instances: str, name: str, version: str = "galera-1.0.0", **parameters: str) -> dict[str, Any]:
    spec = {"operatorVersion": {"name": version}, "parameters": parameters}
    return create(api, instances, KUDO, "Instance", name, spec=spec)


def ended(plan: str, word: str = "COMPLETE", since: str = "") -> Callable[[dict[str, Any]], bool]:
    """Whether a plan has ended so, in another execution than ``since``, and nothing runs."""

    def holds(found: dict[str, Any]) -> bool:
        status = ((found.get("status") or {}).get("planStatus") or {}).get(plan) or {}
        idle = not found["spec"].get("planExecution")
        return idle and status.get("status") == word and status["uid"] != since

    return holds


def change(api: Api, path: str, **spec: Any) -> None:
    answer = api.patch(path, {"spec": spec})
    assert answer.status == 200, answer.raw


def wait(api: Api, path: str, holds: Callable[[dict[str, Any]], bool], seconds: float = SLOW) -> dict[str, Any]:
    """The Instance as soon as it is so; else an error that shows its plans, the nodes' logs and the engine's."""
    try:
        return dict(api.until(path, holds, seconds))
    except AssertionError:
        found = api.get(path).json
        core = path.replace(f"/apis/{KUDO}", "/api/v1").rpartition("/instances")[0]
        report = [json.dumps(found["spec"]), json.dumps((found.get("status") or {}).get("planStatus"))[:6000]]
        for pod in api.get(f"{core}/pods").json["items"]:
            name = pod["metadata"]["name"]
            log = api.get(f"{core}/pods/{name}/log").raw.decode()[-1500:]
            report.append(f"-- {name} {pod['status'].get('phase')}\n{log}")
        pytest.fail("\n".join([f"not as wanted after {seconds} s", *report]), pytrace=False)


def words(status: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {phase["name"]: {step["name"]: step["status"] for step in phase["steps"]} for phase in status["phases"]}


def record(api: Api, core: str, job: str) -> dict[str, Any]:
    """The last line of a Job's Pod that has succeeded."""
    found = api.until(
        f"{core}/pods?labelSelector=job-name%3D{job}",
        lambda body: [pod for pod in body["items"] if pod["status"].get("phase") == "Succeeded"],
        SLOW,
    )["items"]
    (pod,) = [item["metadata"]["name"] for item in found if item["status"].get("phase") == "Succeeded"]
    return dict(json.loads(api.get(f"{core}/pods/{pod}/log").raw.splitlines()[-1]))


class Load:
    """A client as a Pod, which writes and reads without end."""

    def __init__(self, api: Api, core: str, instance: str):
        self.api, self.core, self.name = api, core, f"{instance}-load"
        env = [
            {"name": "GALERA_INSTANCE", "value": instance},
            {"name": "GALERA_NAMESPACE", "value": core.rpartition("/")[2]},
        ]
        image = "operator-console.dev/galera-node:1.0.0"
        container = {"name": "load", "image": image, "args": ["load"], "env": env}
        create(api, f"{core}/pods", "v1", "Pod", self.name, spec={"containers": [container], "restartPolicy": "Never"})
        self.wait(20)

    def counts(self) -> dict[str, Any]:
        lines = self.api.get(f"{self.core}/pods/{self.name}/log").raw.splitlines()
        # Before it runs the answer is a Status, and a line may be half written.
        found = [line for line in lines if line.startswith(b'{"reads"') and line.endswith(b"}")]
        return dict(json.loads(found[-1])) if found else {"reads": 0, "writes": 0}

    def wait(self, more: int) -> None:
        """Until so many more values have been read."""
        begin = self.counts()["reads"]
        path = f"{self.core}/pods/{self.name}"
        self.api.until(path, lambda _: self.counts()["reads"] >= begin + more, SLOW)

    def end(self) -> dict[str, Any]:
        self.wait(20)
        found = self.counts()
        self.api.delete(f"{self.core}/pods/{self.name}")
        return found


def test_a_life(api: Api, instances: str, core: str, sets: str, jobs: str) -> None:
    """Deployed, scaled 3, 5, 3 and upgraded under load, backed up and restored, deleted: no request fails, nothing
    stays.
    """
    new(api, instances, "life", NODE_COUNT="3")
    found = wait(api, f"{instances}/life", ended("deploy"), SLOW)
    assert words(found["status"]["planStatus"]["deploy"]) == {
        "network": {"services": "COMPLETE", "cluster-key": "COMPLETE"},
        "nodes": {"start": "COMPLETE", "forget-last": "COMPLETE", "check": "COMPLETE"},
        "extras": {"backup-volume": "COMPLETE", "schedule": "COMPLETE"},
    }
    assert found["status"]["planStatus"]["backup"]["status"] == "NEVER_RUN"
    conditions = {condition["type"]: condition["status"] for condition in found["status"]["conditions"]}
    assert conditions == {"Ready": "True", "Accepted": "True"}
    assert record(api, core, "life-check")["members"] == [f"life-node-{number}" for number in range(3)]

    load, last = Load(api, core, "life"), ""
    for count in (5, 3):
        change(api, f"{instances}/life", parameters={"NODE_COUNT": str(count)})
        found = wait(api, f"{instances}/life", ended("update", since=last), SLOW * 2)
        last = found["status"]["planStatus"]["update"]["uid"]
        assert api.get(f"{sets}/life").json["status"]["readyReplicas"] == count
        assert len(record(api, core, "life-check")["members"]) == count
        load.wait(20)
    services = [obj["metadata"]["name"] for obj in api.get(f"{core}/services").json["items"]]
    assert [service for service in services if service.startswith("life-node")] == [
        f"life-node-{number}" for number in range(3)
    ]

    change(api, f"{instances}/life", planExecution={"planName": "backup"})
    wait(api, f"{instances}/life", ended("backup"), SLOW)
    assert record(api, core, "life-backup")["keys"] == 1

    change(api, f"{instances}/life", operatorVersion={"name": "galera-2.0.0"})
    found = wait(api, f"{instances}/life", ended("upgrade"), SLOW * 3)
    assert set(words(found["status"]["planStatus"]["upgrade"])["nodes"].values()) == {"COMPLETE"}
    image = api.get(f"{sets}/life").json["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "operator-console.dev/galera-node:2.0.0"
    counts = load.end()
    requests = counts["reads"] + counts["writes"]
    print(f"{requests} requests, longest {counts['longest_ms']} ms, failed {counts['failed']}, wrong {counts['wrong']}")
    assert (counts["failed"], counts["wrong"]) == (0, 0), counts["problem"]

    change(api, f"{instances}/life", planExecution={"planName": "restore"})
    wait(api, f"{instances}/life", ended("restore"), SLOW)
    assert record(api, core, "life-restore")["keys"] == 1

    api.delete(f"{instances}/life")
    api.until_gone(f"{instances}/life", SLOW)
    api.until_gone(f"{sets}/life", SLOW)
    for path in ("persistentvolumeclaims/data-life-0", "persistentvolumeclaims/life-backup", "services/life"):
        api.until_gone(f"{core}/{path}", SLOW)


def test_two_instances_do_not_know_each_other(api: Api, instances: str, core: str) -> None:
    for name in ("one", "two"):
        new(api, instances, name, NODE_COUNT="1")
    for name in ("one", "two"):
        wait(api, f"{instances}/{name}", ended("deploy"), SLOW)
        assert record(api, core, f"{name}-check")["members"] == [f"{name}-node-0"]
    for name in ("one", "two"):
        api.delete(f"{instances}/{name}")
        api.until_gone(f"{instances}/{name}", SLOW)


def test_a_toggle_and_the_plan_that_a_parameter_names(api: Api, namespace: str, instances: str) -> None:
    cron = f"/apis/batch/v1/namespaces/{namespace}/cronjobs"
    new(api, instances, "timed", NODE_COUNT="1")
    found = wait(api, f"{instances}/timed", ended("deploy"), SLOW)
    assert api.get(f"{cron}/timed-backup").status == 404
    change(api, f"{instances}/timed", parameters={"BACKUP_SCHEDULED": "true", "BACKUP_SCHEDULE": "0 4 * * *"})
    found = wait(api, f"{instances}/timed", ended("schedule"), SLOW)
    assert api.get(f"{cron}/timed-backup").json["spec"]["schedule"] == "0 4 * * *"
    assert found["status"]["planStatus"]["update"]["status"] == "NEVER_RUN"
    uid = found["status"]["planStatus"]["schedule"]["uid"]
    change(api, f"{instances}/timed", parameters={"BACKUP_SCHEDULED": "false"})
    wait(api, f"{instances}/timed", ended("schedule", since=uid), SLOW)
    api.until_gone(f"{cron}/timed-backup")
    api.delete(f"{instances}/timed")
    api.until_gone(f"{instances}/timed", SLOW)


def condition(found: dict[str, Any], type_: str) -> dict[str, str]:
    conditions = (found.get("status") or {}).get("conditions") or []
    return next((condition for condition in conditions if condition["type"] == type_), {})


def test_what_makes_no_sense_is_said(api: Api, instances: str) -> None:
    """Each is reported in the status, and fixed by another change."""
    new(api, instances, "wrong", NODE_COUNT="many", COLOUR="red")
    found = wait(api, f"{instances}/wrong", ended("deploy", "FATAL_ERROR"), SLOW)
    message = found["status"]["planStatus"]["deploy"]["message"]
    assert "parameter COLOUR is not known to galera-1.0.0; it has AUTOPILOT, BACKUP_SCHEDULE" in message
    assert "parameter NODE_COUNT: “many” is none of 1, 3, 5, 7" in message
    change(api, f"{instances}/wrong", parameters={"NODE_COUNT": "1", "COLOUR": None})
    wait(api, f"{instances}/wrong", ended("deploy"), SLOW)

    change(api, f"{instances}/wrong", planExecution={"planName": "dance"})
    found = wait(
        api, f"{instances}/wrong", lambda item: condition(item, "Accepted").get("reason") == "UnknownPlan", SLOW
    )
    assert "there is no plan “dance” in galera-1.0.0" in condition(found, "Accepted")["message"]
    assert "it has autopilot, backup, deploy, restore" in condition(found, "Accepted")["message"]

    change(api, f"{instances}/wrong", parameters={"STORAGE": "2Gi"})
    found = wait(
        api, f"{instances}/wrong", lambda item: condition(item, "Accepted").get("reason") == "ImmutableParameter", SLOW
    )
    assert "STORAGE can't be changed any more (STORAGE was “1Gi”)" in condition(found, "Accepted")["message"]
    api.delete(f"{instances}/wrong")
    api.until_gone(f"{instances}/wrong", SLOW)


def test_an_unknown_version_is_waited_for_and_a_bad_template_named(api: Api, namespace: str, instances: str) -> None:
    new(api, instances, "later", version="greeter-1.0.0", WHOM="you")
    found = wait(
        api, f"{instances}/later", lambda item: condition(item, "Accepted").get("reason") == "NoOperatorVersion", SLOW
    )
    assert (
        f"there is no OperatorVersion “greeter-1.0.0” in namespace {namespace}"
        in condition(found, "Accepted")["message"]
    )
    template = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Name }}\ndata:\n  greeting: {{ .Params.WHO }}\n"
    step = {"name": "greet", "tasks": ["greet"]}
    spec = {
        "operator": {"name": "greeter"},
        "version": "1.0.0",
        "parameters": [{"name": "WHOM", "required": True, "trigger": "deploy"}],
        "tasks": [{"name": "greet", "kind": "Apply", "spec": {"resources": ["greeting.yaml"]}}],
        "plans": {
            "deploy": {"strategy": "serial", "phases": [{"name": "greet", "strategy": "serial", "steps": [step]}]}
        },
        "templates": {"greeting.yaml": template},
    }
    versions = f"/apis/{KUDO}/namespaces/{namespace}/operatorversions"
    create(api, versions, KUDO, "OperatorVersion", "greeter-1.0.0", spec=spec)
    found = wait(api, f"{instances}/later", ended("deploy", "FATAL_ERROR"), SLOW)
    step = found["status"]["planStatus"]["deploy"]["phases"][0]["steps"][0]
    assert step == {
        "name": "greet",
        "status": "FATAL_ERROR",
        "message": "templates/greeting.yaml, line 6: there is no .Params.WHO",
    }
    mended = {"spec": {"templates": {"greeting.yaml": template.replace("WHO ", "WHOM ")}}}
    assert api.patch(f"{versions}/greeter-1.0.0", mended).status == 200
    change(api, f"{instances}/later", planExecution={"planName": "deploy"})
    wait(api, f"{instances}/later", ended("deploy"), SLOW)
    path = f"/api/v1/namespaces/{namespace}/configmaps/later"
    assert api.get(path).json["data"] == {"greeting": "you"}
    api.delete(f"{instances}/later")
    api.until_gone(path, SLOW)


def test_a_restart_of_the_engine_loses_nothing(api: Api, instances: str, core: str, sets: str) -> None:
    """Killed in the middle of deploy; what changed meanwhile is done when it is back.

    And deleted in the middle of a plan.
    """
    new(api, instances, "kept", NODE_COUNT="3")
    api.until(f"{sets}/kept", lambda item: item["status"].get("replicas"), SLOW)
    ours = f"{core}/pods?labelSelector=app.kubernetes.io%2Fname%3Dgalera-operator"
    (old,) = [obj["metadata"]["name"] for obj in api.get(ours).json["items"]]
    before = api.get(f"{instances}/kept").json["status"]["planStatus"]["deploy"]["uid"]
    api.delete(f"{core}/pods/{old}", {"gracePeriodSeconds": 0})
    api.until_gone(f"{core}/pods/{old}")
    found = wait(api, f"{instances}/kept", ended("deploy"), SLOW)
    assert found["status"]["planStatus"]["deploy"]["uid"] == before
    change(api, f"{instances}/kept", parameters={"NODE_COUNT": "5"})
    api.until(f"{sets}/kept", lambda item: item["spec"]["replicas"] == 5, SLOW)
    api.delete(f"{instances}/kept")
    api.until_gone(f"{instances}/kept", SLOW)
    api.until_gone(f"{sets}/kept", SLOW)
    api.until_gone(f"{core}/persistentvolumeclaims/data-kept-0", SLOW)


def test_a_node_that_is_killed_while_it_scales_comes_back(api: Api, instances: str, core: str, sets: str) -> None:
    """The step waits for it, and says so; nothing that was written is lost, and every node is a member in the end."""
    new(api, instances, "hurt", NODE_COUNT="3")
    wait(api, f"{instances}/hurt", ended("deploy"), SLOW)
    load = Load(api, core, "hurt")
    old = api.get(f"{core}/pods/hurt-1").json["metadata"]["uid"]
    change(api, f"{instances}/hurt", parameters={"NODE_COUNT": "5"})
    api.until(f"{sets}/hurt", lambda item: item["spec"]["replicas"] == 5, SLOW)
    api.delete(f"{core}/pods/hurt-1", {"gracePeriodSeconds": 0})
    found = wait(api, f"{instances}/hurt", lambda item: "of 5 Pods ready" in json.dumps(item["status"]), SLOW)
    assert found["status"]["planStatus"]["update"]["status"] == "IN_PROGRESS"
    found = wait(api, f"{instances}/hurt", ended("update"), SLOW)
    assert condition(found, "Ready")["status"] == "True"
    assert api.get(f"{core}/pods/hurt-1").json["metadata"]["uid"] != old
    assert record(api, core, "hurt-check")["members"] == [f"hurt-node-{number}" for number in range(5)]
    counts = load.end()
    assert counts["wrong"] == 0, "what was answered is what is read"
    api.delete(f"{instances}/hurt")
    api.until_gone(f"{instances}/hurt", SLOW)
