"""A plan's way through its phases and steps, which plan a change asks for, and what parameters are worth."""

from pathlib import Path
from typing import Any

import pytest

from examples.operators.kudo import package, plans, trigger
from examples.operators.kudo.health import health
from examples.operators.kudo.instance import Instance, Snapshot
from examples.operators.kudo.parameters import ParameterError, resolve
from examples.operators.kudo.plans import COMPLETE, ERROR, FATAL_ERROR, IN_PROGRESS, PENDING, TaskOutcome
from examples.operators.kudo.reconcile import Current, current
from examples.operators.kudo.version import OperatorVersion, PackageError, read

GALERA = Path(__file__).resolve().parents[2] / "galera" / "kudo"


def version(strategy: str = "serial", **spec: Any) -> OperatorVersion:
    """A plan deploy of two phases with two steps each."""
    phases = [
        {"name": name, "strategy": strategy, "steps": [{"name": step, "tasks": ["t"]} for step in ("one", "two")]}
        for name in ("a", "b")
    ]
    made = {
        "operator": {"name": "x"},
        "version": "1",
        "tasks": [{"name": "t", "kind": "Dummy", "spec": {}}],
        "plans": {"deploy": {"strategy": strategy, "phases": phases}},
        **spec,
    }
    return read({"metadata": {"name": "x-1"}, "spec": made})


def names(found: OperatorVersion, status: dict[str, Any]) -> list[str]:
    return [f"{phase.name}/{step.name}" for phase, step in plans.open_steps(found.plans["deploy"], status)]


def test_serial_opens_one_step_after_the_other() -> None:
    found = version()
    status = plans.fresh(found.plans["deploy"], "1")
    for at in ("a/one", "a/two", "b/one", "b/two"):
        assert names(found, status) == [at]
        plans.note(status, *at.split("/"), TaskOutcome(COMPLETE))
    assert (names(found, status), status["status"]) == ([], COMPLETE)


def test_parallel_opens_all_at_once() -> None:
    found = version("parallel")
    status = plans.fresh(found.plans["deploy"], "1")
    assert names(found, status) == ["a/one", "a/two", "b/one", "b/two"]
    plans.note(status, "b", "two", TaskOutcome(COMPLETE))
    assert names(found, status) == ["a/one", "a/two", "b/one"]


def test_the_worst_word_rises_with_its_message() -> None:
    found = version("parallel")
    status = plans.fresh(found.plans["deploy"], "1")
    assert (status["status"], status["phases"][1]["status"]) == (PENDING, PENDING)
    plans.note(status, "a", "one", TaskOutcome(IN_PROGRESS, "waiting"))
    assert (status["status"], status["message"]) == (IN_PROGRESS, "a: one: waiting")
    plans.note(status, "b", "one", TaskOutcome(ERROR, "no right"))
    assert (status["status"], status["message"]) == (ERROR, "b: one: no right")
    plans.note(status, "a", "two", TaskOutcome(FATAL_ERROR, "x" * 5000))
    assert status["status"] == FATAL_ERROR and len(status["message"]) == plans.LONGEST


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"plans": {}}, "it has no plan “deploy”"),
        ({"tasks": []}, "step deploy/a/one names the task “t”, which there is not"),
        (
            {"tasks": [{"name": "t", "kind": "Dance"}]},
            "task t is of kind “Dance”; this engine knows Apply, Delete, Toggle, Pipe, KudoOperator, Dummy",
        ),
        ({"tasks": [{"name": "t", "kind": "Pipe"}]}, "task t must name the template of a pod, and files in pipe"),
        (
            {"tasks": [{"name": "t", "kind": "KudoOperator", "spec": {"package": "y"}}]},
            "task t must name a package and its operatorVersion",
        ),
        (
            {
                "tasks": [
                    {"name": "t", "kind": "Pipe", "spec": {"pod": "p.yaml", "pipe": [{"kind": "Pod", "key": "k"}]}}
                ],
                "templates": {"p.yaml": ""},
            },
            "each pipe of task t needs file or envFile, kind Secret or ConfigMap, and a key",
        ),
        (
            {
                "tasks": [
                    {
                        "name": "t",
                        "kind": "Pipe",
                        "spec": {"pod": "p.yaml", "pipe": [{"file": "/a/b", "kind": "Secret", "key": "k"}]},
                    }
                ],
                "templates": {"p.yaml": ""},
            },
            "deploy makes .Pipes.k twice",
        ),
        ({"plans": {"deploy": {"phases": [{"name": "a"}, {"name": "a"}]}}}, "deploy has “a” twice"),
        (
            {"plans": {"deploy": {"phases": [{"name": "a", "steps": [{"name": "b"}, {"name": "b"}]}]}}},
            "deploy/a has “b” twice",
        ),
        (
            {"tasks": [{"name": "t", "kind": "Apply", "spec": {"resources": ["x.yaml"]}}]},
            "task t names the template “x.yaml”",
        ),
        (
            {"tasks": [{"name": "t", "kind": "Toggle", "spec": {"parameter": "P"}}]},
            "task t toggles by the parameter “P”",
        ),
        (
            {"parameters": [{"name": "P", "trigger": "dance"}]},
            "parameter P triggers the plan “dance”, which there is not",
        ),
        ({"plans": {"deploy": {"strategy": "sideways"}}}, "deploy has the strategy “sideways”"),
    ],
)
def test_a_package_that_makes_no_sense(spec: dict[str, Any], wanted: str) -> None:
    with pytest.raises(PackageError) as found:
        version(**spec)
    assert wanted in str(found.value)


def test_a_folder_that_is_no_package(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"operator\.yaml"):
        package.load(tmp_path)
    (tmp_path / "operator.yaml").write_text("name: x\n")
    (tmp_path / "params.yaml").write_text("parameters: []\n")
    with pytest.raises(PackageError, match="operatorVersion, plans, tasks must be set"):
        package.load(tmp_path)


def test_galera_is_a_package() -> None:
    found = package.shipped("kudo", GALERA.parent)
    assert sorted(found) == ["galera-1.0.0", "galera-2.0.0"]
    for item in found.values():
        parsed = read(item.version)
        assert {"deploy", "update", "backup", "restore", "schedule", "cleanup"} <= parsed.plans.keys()
        assert resolve(parsed, {})["NODE_COUNT"] == 3
        used = {name for task in parsed.tasks.values() for name in task.resources}
        assert used == parsed.templates.keys()
        # A Toggle may delete what it applies: never a volume.
        assert parsed.tasks["schedule"].resources == ("schedule.yaml",)


def test_parameters() -> None:
    found = version(
        parameters=[
            {"name": "NEEDED"},
            {"name": "COUNT", "value-type": "integer", "default": "3"},
            {"name": "ON", "value-type": "boolean", "default": "false"},
            {"name": "LIST", "value-type": "array", "default": "[a]"},
            {"name": "FREE", "required": False},
        ]
    )
    assert resolve(found, {"NEEDED": "x"}) == {"NEEDED": "x", "COUNT": 3, "ON": False, "LIST": ["a"], "FREE": ""}
    with pytest.raises(ParameterError) as problem:
        resolve(found, {"COUNT": "many", "ON": "yes", "LIST": "{", "OTHER": "1"})
    assert str(problem.value).split("; ") == [
        "parameter OTHER is not known to x-1",
        "it has COUNT, FREE, LIST, NEEDED, ON",
        "parameter NEEDED is required and has no default",
        "parameter COUNT: “many” is not a whole number",
        "parameter ON: “yes” is neither true nor false",
        "parameter LIST: this is not YAML of a list",
    ]


def galera(name: str) -> OperatorVersion:
    return read(package.load(GALERA / name).version)


def test_which_plan_a_change_asks_for() -> None:
    found, before = galera("1.0.0"), Snapshot("galera-1.0.0", {"NODE_COUNT": "3"})
    assert trigger.wanted(found, before, before) is None
    first = trigger.wanted(found, Snapshot(), before)
    assert first and first.plan == "deploy"
    both = Snapshot("galera-1.0.0", {"NODE_COUNT": "5", "BACKUP_SCHEDULED": "true"})
    start = trigger.wanted(found, before, both)
    assert start and (start.plan, start.snapshot.parameters) == (
        "schedule",
        {"NODE_COUNT": "3", "BACKUP_SCHEDULED": "true"},
    )
    then = trigger.wanted(found, start.snapshot, both)
    assert then and (then.plan, then.snapshot, then.why) == ("update", both, "NODE_COUNT is “5”")
    early = trigger.wanted(found, before, both, deployed=False)
    assert early and (early.plan, early.snapshot) == ("deploy", both)


def test_what_is_refused() -> None:
    with pytest.raises(trigger.RefusedError, match="STORAGE can't be changed") as found:
        trigger.wanted(galera("1.0.0"), Snapshot("galera-1.0.0"), Snapshot("galera-1.0.0", {"STORAGE": "2Gi"}))
    assert found.value.reason == "ImmutableParameter"
    upgrade = trigger.wanted(galera("2.0.0"), Snapshot("galera-1.0.0"), Snapshot("galera-2.0.0"))
    assert upgrade and upgrade.plan == "upgrade"
    with pytest.raises(trigger.RefusedError, match=r"galera-2\.0\.0 can't follow galera-0\.1\.0"):
        trigger.wanted(galera("2.0.0"), Snapshot("galera-0.1.0"), Snapshot("galera-2.0.0"))


@pytest.mark.parametrize(
    ("execution", "known", "wanted"),
    [
        ({}, {}, Current()),
        ({"planName": "backup"}, {"deploy": (COMPLETE, "1")}, Current(asked="backup")),
        ({"planName": "deploy", "uid": "1"}, {}, Current("deploy", "1")),
        ({"planName": "deploy", "uid": "1"}, {"deploy": (IN_PROGRESS, "1")}, Current("deploy", "1")),
        ({"planName": "deploy", "uid": "2"}, {"deploy": (IN_PROGRESS, "1")}, Current("deploy", "2")),
        ({"planName": "backup", "uid": "1"}, {"deploy": (IN_PROGRESS, "1")}, Current("deploy", "1", "backup")),
        ({"planName": "backup"}, {"deploy": (ERROR, "1")}, Current("deploy", "1", "backup")),
        ({}, {"deploy": (IN_PROGRESS, "1")}, Current("deploy", "1")),
        ({"planName": "deploy", "uid": "1"}, {"deploy": (COMPLETE, "1")}, Current()),
    ],
)
def test_what_runs_is_read_off_what_is_stored(
    execution: dict[str, str], known: dict[str, tuple[str, str]], wanted: Current
) -> None:
    status = {name: {"name": name, "status": word, "uid": uid} for name, (word, uid) in known.items()}
    assert current(Instance({"spec": {"planExecution": execution}, "status": {"planStatus": status}})) == wanted


@pytest.mark.parametrize(
    ("kind", "spec", "status", "wanted"),
    [
        ("ConfigMap", {}, {}, (COMPLETE, "")),
        (
            "StatefulSet",
            {"replicas": 3},
            {"observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "updatedReplicas": 3},
            (COMPLETE, ""),
        ),
        ("StatefulSet", {"replicas": 3}, {}, (IN_PROGRESS, "StatefulSet x: 0 of 3 Pods ready")),
        (
            "StatefulSet",
            {"replicas": 3},
            {"observedGeneration": 1, "replicas": 5, "readyReplicas": 5, "updatedReplicas": 5},
            (IN_PROGRESS, "StatefulSet x: 3 of 3 Pods ready, 2 too many"),
        ),
        (
            "Deployment",
            {"replicas": 1},
            {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1},
            (IN_PROGRESS, "Deployment x: 1 of 1 Pods ready, 1 of an older form"),
        ),
        ("Job", {}, {"conditions": [{"type": "Complete", "status": "True"}]}, (COMPLETE, "")),
        (
            "Job",
            {},
            {"conditions": [{"type": "Failed", "status": "True", "message": "too often"}]},
            (FATAL_ERROR, "Job x: it failed: too often"),
        ),
        ("Job", {}, {"failed": 1}, (IN_PROGRESS, "Job x: running, after 1 failed tries")),
        ("Pod", {}, {"phase": "Pending"}, (IN_PROGRESS, "Pod x: Pending")),
        ("PersistentVolumeClaim", {}, {"phase": "Lost"}, (FATAL_ERROR, "PersistentVolumeClaim x: its volume is lost")),
    ],
)
def test_whether_an_object_does_its_work(
    kind: str, spec: dict[str, Any], status: dict[str, Any], wanted: tuple[str, str]
) -> None:
    found = health({"kind": kind, "metadata": {"name": "x", "generation": 1}, "spec": spec, "status": status})
    assert (found.status, found.message) == wanted
