"""The engine is killed, and Instances are deleted, in the middle of plans: it resumes at the step, once, and leaves
nothing.
"""

import json
from collections.abc import Callable, Iterator

import pytest

from examples.operators.tests.kudo.engines import Instances, apply, at, config_map, ended, plan, step, uid
from examples.operators.tests.places import Operator, condition, says
from tests.eventually import until

TAKEN = "is there already and belongs to something else"
PARAMETERS = [
    {"name": "WORD", "default": "a", "trigger": "update"},
    {"name": "TUNE", "default": "a", "trigger": "tune"},
]


class Gates:
    """Objects of another owner that block a step until they are deleted."""

    def __init__(self, place: Instances):
        self._place = place
        self._holder = place.make("configmaps", "holder")["metadata"]["uid"]

    def shut(self, name: str) -> None:
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "holder", "uid": self._holder, "controller": True}
        meta = {"name": name, "ownerReferences": [owner]}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"whose": "ours"}}
        assert self._place.api.post(self._place.path("configmaps"), body).status == 201

    def open(self, name: str) -> None:
        assert self._place.data(name) == {"whose": "ours"}, "nobody touches what is somebody else's"
        self._place.api.delete(self._place.path("configmaps", name))


@pytest.fixture(scope="module")
def gates(two: tuple[Instances, Instances]) -> Iterator[Gates]:
    """In the first namespace; with a package, in two versions, each of whose plans goes through a gate of its own."""
    steps = plan(("first", ["first"]), ("gate", ["gate"]), ("last", ["last"]))
    templates = {
        "first": config_map("first", plan="{{ .PlanName }}"),
        "gate": config_map("gate-{{ .PlanName }}"),
        "last": config_map("last", plan="{{ .PlanName }}", word="{{ .Params.WORD }}", tune="{{ .Params.TUNE }}"),
    }
    tasks = [apply(name) for name in templates]
    plans = dict.fromkeys(("deploy", "update", "tune", "upgrade", "backup", "cleanup"), steps)
    for name in ("gated-1", "gated-2"):
        two[0].package(name, plans, tasks, templates, parameters=PARAMETERS)
    yield Gates(two[0])


def test_killed_in_the_middle_of_each_plan(instances: Instances, engine: Operator, gates: Gates) -> None:
    """Several Instances at once. Each resumes the same execution, and doesn't repeat what was complete."""
    begin: dict[str, Callable[[str], object]] = {
        "deploy": lambda name: instances.new(name, "gated-1"),
        "update": lambda name: instances.set(name, WORD="b"),
        "upgrade": lambda name: instances.change(name, operatorVersion={"name": "gated-2"}),
        "backup": lambda name: instances.run(name, "backup"),
        "cleanup": instances.delete,
    }
    for name in begin:
        gates.shut(f"{name}-gate-{name}")
        if name != "deploy":
            instances.new(name, "gated-1")
            instances.until(name, ended("deploy"))
        begin[name](name)
    before = {name: instances.until(name, at(name, "gate", TAKEN)) for name in begin}
    assert {name: found["spec"]["planExecution"]["planName"] for name, found in before.items()} == {n: n for n in begin}
    engine.kill()
    for name in begin:
        instances.api.delete(instances.path("configmaps", f"{name}-first"))
        gates.open(f"{name}-gate-{name}")
    engine.start()
    for name in ("deploy", "update", "upgrade", "backup"):
        found = instances.until(name, ended(name))
        assert uid(found, name) == uid(before[name], name)
        assert instances.data(f"{name}-first") is None, "a step that was complete is not done again"
        assert (instances.data(f"{name}-last") or {})["plan"] == name
        assert [condition["status"] for condition in found["status"]["conditions"]] == ["True", "True"]
        instances.delete(name)
    instances.gone("cleanup")
    until(lambda: not instances.left("cleanup"))


def test_what_changes_while_it_is_away_is_done_when_it_is_back(
    instances: Instances, engine: Operator, gates: Gates
) -> None:
    for name in ("changed", "going"):
        instances.new(name, "gated-1")
    before = instances.until("changed", ended("deploy"))
    instances.until("going", ended("deploy"))
    engine.kill()
    instances.set("changed", WORD="b")
    instances.set("changed", WORD="c", TUNE="b")
    instances.delete("going")
    instances.new("coming", "gated-1", WORD="d")
    engine.start()
    found = instances.until("changed", lambda body: ended("update")(body) and ended("tune")(body))
    assert instances.data("changed-last") == {"plan": "update", "word": "c", "tune": "b"}, "one plan, then the other"
    assert uid(found, "deploy") == uid(before, "deploy")
    instances.gone("going")
    until(lambda: not instances.left("going"))
    instances.until("coming", ended("deploy"))
    assert (instances.data("coming-last") or {})["word"] == "d"
    for name in ("changed", "coming"):
        instances.delete(name)


def test_one_plan_at_a_time(instances: Instances, gates: Gates) -> None:
    """What is asked for by hand meanwhile is refused in words; what is changed waits for its turn, or is taken in by
    the plan that it is for.
    """
    instances.new("busy", "gated-1")
    instances.until("busy", ended("deploy"))
    gates.shut("busy-gate-update")
    instances.set("busy", WORD="b")
    before = instances.until("busy", at("update", "gate", TAKEN))
    instances.run("busy", "backup")
    message = instances.until_accepted("busy", "PlanRunning")
    assert message == "plan backup can't be run while update is; ask again when it has ended"
    found = instances.until("busy", lambda body: body["spec"]["planExecution"]["planName"] == "update")
    assert uid(found, "update") == uid(before, "update")

    instances.set("busy", TUNE="b")
    instances.set("busy", WORD="c")
    found = instances.until("busy", lambda body: uid(body, "update") != uid(before, "update"))
    assert found["status"]["planStatus"]["tune"]["status"] == "NEVER_RUN"
    gates.open("busy-gate-update")
    found = instances.until("busy", lambda body: ended("update")(body) and ended("tune")(body))
    assert instances.data("busy-last") == {"plan": "tune", "word": "c", "tune": "b"}
    assert found["status"]["planStatus"]["backup"]["status"] == "NEVER_RUN"
    instances.run("busy", "backup")
    found = instances.until("busy", ended("backup"))
    assert condition(found, "Accepted")["status"] == "True"
    instances.run("busy", "dance")
    found = instances.until("busy", says("Accepted", "UnknownPlan"))
    assert "it has backup, deploy, tune, update, upgrade" in condition(found, "Accepted")["message"]
    instances.delete("busy")


def test_deleted_at_each_step_of_deploy_it_leaves_nothing(instances: Instances, gates: Gates) -> None:
    """While a Pipe task's Pod runs, while a Job does, while a Deployment waits, while nothing of its own is done;
    with a cleanup and without.
    """
    image = "operator-console.dev/galera-node:1.0.0"
    mounts = [{"name": "made", "mountPath": "/made"}]
    init = {"name": "make", "image": image, "args": ["key"], "volumeMounts": mounts}
    pod = {"spec": {"initContainers": [init], "volumes": [{"name": "made", "emptyDir": {}}]}}
    labels = {"app": "{{ .Name }}"}
    load = {"name": "w", "image": image, "args": ["load"], "env": [{"name": "GALERA_INSTANCE", "value": "none"}]}
    job = {"template": {"spec": {"containers": [load], "restartPolicy": "Never"}}}
    waits = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "w", "image": "operator-console.dev/Nothing:1"}]},
    }
    work = {"template": waits, "selector": {"matchLabels": labels}}
    meta = {"name": "{{ .Name }}"}
    templates = {
        "pod": json.dumps({"apiVersion": "v1", "kind": "Pod", **pod}),
        "job": json.dumps({"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": job}),
        "work": json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": work}),
        "first": config_map("first"),
    }
    pipe = [{"file": "/made/cluster.key", "kind": "Secret", "key": "key"}]
    tasks = [
        *(apply(name) for name in ("first", "job", "work")),
        {"name": "pipe", "kind": "Pipe", "spec": {"pod": "pod.yaml", "pipe": pipe}},
        {"name": "never", "kind": "Dummy", "spec": {"done": False}},
        apply("away", "first", kind="Delete"),
    ]
    names = ("pipe", "job", "work", "never")
    for last in names:
        plans = {"deploy": plan(("first", ["first"]), ("last", [last]))}
        if last in ("pipe", "work"):
            plans["cleanup"] = plan(("away", ["away"]))
        instances.package(f"ends-{last}", plans, tasks, templates)
        instances.new(f"ends-{last}", f"ends-{last}")
    for last in names:
        instances.until(f"ends-{last}", at("deploy", "last"))
        instances.delete(f"ends-{last}")
    for last in names:
        instances.gone(f"ends-{last}")
        until(lambda last=last: not instances.left(f"ends-{last}"))


def test_a_look_at_nothing_writes_nothing(instances: Instances, engine: Operator, gates: Gates) -> None:
    instances.new("calm", "gated-1")
    before = instances.until("calm", ended("deploy"))
    engine.restart()
    instances.new("marker", "gated-1")
    instances.until("marker", ended("deploy"))
    found = instances.get("calm")
    assert found["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert step(found, "deploy", "last")["status"] == "COMPLETE"
    for name in ("calm", "marker"):
        instances.delete(name)
