"""Pipe and KudoOperator tasks on the really running engine: a Pod makes a file, which later steps know by its key; a
package installs another.
"""

import base64
import subprocess
from pathlib import Path

import pytest
import yaml

from examples.operators.kudo import pipes
from examples.operators.kudo.version import Pipe
from examples.operators.tests.kudo.engines import Instances, apply, at, config_map, ended, plan, step, uid
from examples.operators.tests.places import Object

FILE = {"file": "/made/cluster.key", "kind": "Secret", "key": "fileKey"}


def pod(role: str = "key") -> str:
    """The template of a Pod that writes /made/cluster.key, if its role is the right one."""
    mounts = [{"name": "made", "mountPath": "/made"}, {"name": "kept", "mountPath": "/kept"}]
    init = {"name": "make", "image": "operator-console.dev/galera-node:1.0.0", "args": [role], "volumeMounts": mounts}
    volumes = [{"name": "made", "emptyDir": {}}, {"name": "kept", "configMap": {"name": "none", "optional": True}}]
    return yaml.safe_dump(
        {"apiVersion": "v1", "kind": "Pod", "spec": {"volumes": volumes, "initContainers": [init]}}, width=1000
    )


def package(instances: Instances, name: str, template: str, *files: Object) -> None:
    """deploy makes the files and tells their objects' names; ``again`` tells them without making any."""
    task = {"name": "make", "kind": "Pipe", "spec": {"pod": "pod.yaml", "pipe": list(files) or [FILE]}}
    plans = {"deploy": plan(("make", ["make"]), ("tell", ["told"])), "again": plan(("tell", ["told"]))}
    report = config_map("told", file="{{ .Pipes.fileKey }}", plan="{{ .PlanName }}")
    instances.package(name, plans, [task, apply("told")], {"pod": template, "told": report})


def test_a_file_becomes_a_secret_that_later_steps_know(instances: Instances) -> None:
    package(instances, "files-1.0.0", pod(), FILE, {**FILE, "kind": "ConfigMap", "key": "Other_Key"})
    instances.new("tube", "files-1.0.0")
    first = instances.until("tube", ended("deploy"))
    name = "tube.deploy.all.make.make.filekey"
    assert instances.data("tube-told") == {"file": name, "plan": "deploy"}
    secret = instances.api.get(instances.path("secrets", name)).json
    content = base64.b64decode(secret["data"]["cluster.key"])
    assert len(content) > 40
    assert secret["metadata"]["ownerReferences"][0]["name"] == "tube"
    assert instances.data("tube.deploy.all.make.make.otherkey") == {"cluster.key": content.decode()}
    assert instances.left("tube") == [
        "configmaps/tube-told",
        "configmaps/tube.deploy.all.make.make.otherkey",
        f"secrets/{name}",
    ]

    instances.run("tube", "again")
    instances.until("tube", ended("again"))
    assert instances.data("tube-told") == {"file": name, "plan": "again"}, "other plans know what deploy has made"
    assert instances.api.get(instances.path("secrets", name)).json["data"] == secret["data"]
    instances.run("tube", "deploy")
    instances.until("tube", ended("deploy", since=uid(first, "deploy")))
    assert instances.api.get(instances.path("secrets", name)).json["data"] != secret["data"], (
        "another execution makes it anew"
    )
    instances.delete("tube")
    instances.gone("tube")
    instances.api.until_gone(instances.path("secrets", name))


def test_a_pod_that_fails_says_why_and_is_mended(instances: Instances) -> None:
    package(instances, "broken-1.0.0", pod("dance"))
    instances.new("jam", "broken-1.0.0")
    found = instances.until("jam", at("deploy", "make", "at last it said"))
    message = step(found, "deploy", "make")["message"]
    assert (
        "Pod jam.deploy.all.make.make.pipepod: Pending: the Pod jam.deploy.all.make.make.pipepod does not start"
        in message
    )
    assert "one role is needed: key, node, check, backup, restore, load" in message
    instances.mend("broken-1.0.0", pod=pod())
    found = instances.until("jam", lambda body: ended("deploy")(body) or ended("deploy", "FATAL_ERROR")(body))
    assert ended("deploy")(found), step(found, "deploy", "make")
    instances.delete("jam")


@pytest.mark.parametrize(
    ("name", "template", "file", "wanted"),
    [
        ("absent", pod(), {**FILE, "file": "/made/nothing"}, "No such file"),
        (
            "lines",
            pod(),
            {"envFile": "/made/cluster.key", "kind": "Secret", "key": "fileKey"},
            "/made/cluster.key, line 1: this is not KEY=value",
        ),
        (
            "away",
            pod(),
            {**FILE, "file": "/etc/passwd"},
            "templates/pod.yaml: /etc/passwd is no file in /made, where the volume made is mounted",
        ),
        ("kinds", config_map("x"), FILE, "templates/pod.yaml: a Pipe task needs one Pod, and nothing else"),
    ],
)
def test_a_file_that_can_not_be_taken_is_told(
    instances: Instances, name: str, template: str, file: Object, wanted: str
) -> None:
    package(instances, f"{name}-1.0.0", template, file)
    instances.new(name, f"{name}-1.0.0")
    found = instances.until(name, ended("deploy", "FATAL_ERROR"))
    assert wanted in step(found, "deploy", "make")["message"]
    assert [left for left in instances.left(name) if not left.startswith("pods/")] == []
    instances.delete(name)
    instances.gone(name)
    instances.api.until(instances.path("pods"), lambda body: not instances.left(name))


def test_files_are_read_and_become_objects(tmp_path: Path) -> None:
    """With the very command that runs in the container."""
    pipe = Pipe("/made/a.env", env=True, kind="ConfigMap", key="k")
    (tmp_path / "a.env").write_text("# said aside\n\nHOST=there\nEMPTY=\n")
    command = pipes.reading(pipe, "/made")
    environment = {"PATH": "/bin:/usr/bin", "SANDBOX_MOUNT__MADE": str(tmp_path)}
    content = subprocess.run(command, env=environment, check=True, capture_output=True).stdout
    assert pipes.artifact(pipe, "x", content)["data"] == {"HOST": "there", "EMPTY": ""}
    (tmp_path / "a.env").write_bytes(b"x" * (pipes.LARGEST + 1000))
    content = subprocess.run(command, env=environment, check=True, capture_output=True).stdout
    with pytest.raises(pipes.PipeError, match=r"/made/a\.env is larger than 1048576 bytes"):
        pipes.artifact(pipe, "x", content)
    whole = pipes.artifact(Pipe("/made/a.bin", env=False, kind="ConfigMap", key="k"), "x", b"\xff")
    assert (whole["data"], whole["binaryData"]) == ({}, {"a.bin": "/w=="})


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"containers": [{}], "initContainers": [{}]}, "one init container"),
        ({"initContainers": []}, "one init container"),
        (
            {"initContainers": [{"volumeMounts": []}], "volumes": [{"name": "v", "emptyDir": {}}]},
            "mounted in its init container",
        ),
        ({"initContainers": [{}], "volumes": [{"name": "v", "hostPath": {}}]}, "one volume of the kind emptyDir"),
    ],
)
def test_a_pod_of_another_form_is_refused(spec: Object, wanted: str) -> None:
    with pytest.raises(pipes.PipeError, match=wanted):
        pipes.pod({"spec": spec}, "x", [], pipes.IMAGE)


def test_a_package_installs_another(instances: Instances) -> None:
    """The child is made with the parameters of a template, waited for, changed with its parent, and goes with it."""
    templates = {"greeting": config_map("said", words="{{ .Params.WORDS }}")}
    parameters = [{"name": "WORDS", "trigger": "deploy"}, {"name": "LOUD", "value-type": "boolean", "default": "false"}]
    instances.package(
        "child-1.0.0", {"deploy": plan(("say", ["greeting"]))}, [apply("greeting")], templates, parameters=parameters
    )
    spec = {"package": "child", "operatorVersion": "1.0.0", "instanceName": "kid", "parameterFile": "kid.yaml"}
    task = {"name": "install", "kind": "KudoOperator", "spec": spec}
    whom = [{"name": "WHOM", "default": "you"}]
    file = {"kid": "WORDS: Hello, {{ .Params.WHOM }}\nLOUD: true\n"}
    instances.package("parent-1.0.0", {"deploy": plan(("install", ["install"]))}, [task], file, parameters=whom)
    instances.new("ma", "parent-1.0.0")
    first = instances.until("ma", ended("deploy"))
    kid = instances.get("ma-kid")
    assert (kid["spec"]["parameters"], ended("deploy")(kid)) == ({"WORDS": "Hello, you", "LOUD": "true"}, True)
    assert instances.data("ma-kid-said") == {"words": "Hello, you"}
    instances.set("ma", WHOM="all")
    instances.until("ma", ended("deploy", since=uid(first, "deploy")))
    assert instances.data("ma-kid-said") == {"words": "Hello, all"}

    instances.mend("child-1.0.0", greeting=config_map("said", words="{{ .Params.NOBODY }}"))
    instances.set("ma", WHOM="none")
    found = instances.until("ma", ended("deploy", "FATAL_ERROR"))
    assert (
        "Instance ma-kid: all: say: templates/greeting.yaml, line 3: there is no .Params.NOBODY"
        in step(found, "deploy", "install")["message"]
    )
    instances.delete("ma")
    instances.gone("ma")
    instances.gone("ma-kid")
