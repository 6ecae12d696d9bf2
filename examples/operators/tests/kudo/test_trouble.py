"""Bad input on the really running engine: what is refused and in which words, and how a correction gets things going
again.
"""

import pytest
import yaml

from examples.operators.tests.kudo.engines import Instances, apply, at, config_map, ended, plan, step, uid
from examples.operators.tests.places import Operator, condition
from tests.eventually import until

SETTINGS = [
    {"name": "NEEDED", "trigger": "deploy"},
    {"name": "COUNT", "value-type": "integer", "default": "1"},
    {"name": "MODE", "enum": ["slow", "fast"], "default": "slow", "trigger": "tune"},
    {"name": "PLACE", "default": "here", "immutable": True},
]


def settings(instances: Instances, name: str) -> None:
    """A package of parameters that end in a ConfigMap; MODE names the plan ``tune``."""
    template = config_map("seen", **{key: f"{{{{ .Params.{key} }}}}" for key in ("NEEDED", "COUNT", "MODE", "PLACE")})
    plans = {key: plan(("write", ["seen"])) for key in ("deploy", "update", "tune")}
    instances.package(name, plans, [apply("seen")], {"seen": template}, parameters=SETTINGS)


def workload(kind: str, image: str = "{{ .Params.IMAGE }}", *args: str, **spec: object) -> str:
    """The template of a Deployment or a Job ``<instance>-work``."""
    container = {"name": "work", "image": image, "args": list(args)}
    labels = {"app": "{{ .Name }}"}
    pods = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    if kind == "Job":
        pods["spec"]["restartPolicy"] = "Never"
    else:
        spec |= {"selector": {"matchLabels": labels}}
    version = {"Job": "batch/v1", "Deployment": "apps/v1"}[kind]
    meta = {"name": "{{ .Name }}-work"}
    return yaml.safe_dump(
        {"apiVersion": version, "kind": kind, "metadata": meta, "spec": {**spec, "template": pods}}, width=1000
    )


def test_parameters_that_make_no_sense_are_refused_and_what_runs_goes_on(instances: Instances) -> None:
    settings(instances, "settings-1.0.0")
    instances.new("set", "settings-1.0.0", COUNT="many")
    found = instances.until("set", ended("deploy", "FATAL_ERROR"))
    assert found["status"]["planStatus"]["deploy"]["message"] == (
        "parameter NEEDED is required and has no default; parameter COUNT: “many” is not a whole number"
    )
    assert (condition(found, "Ready")["status"], condition(found, "Ready")["reason"]) == ("False", "PlanFailed")
    instances.set("set", NEEDED="x", COUNT="2")
    before = instances.until("set", ended("deploy"))
    seen = {"NEEDED": "x", "COUNT": "2", "MODE": "slow", "PLACE": "here"}
    assert instances.data("set-seen") == seen

    for change, reason, message in (
        ({"COUNT": "two"}, "InvalidParameter", "parameter COUNT: “two” is not a whole number"),
        ({"MODE": "wild"}, "InvalidParameter", "parameter MODE: “wild” is none of slow, fast"),
        ({"NEEDED": None}, "InvalidParameter", "parameter NEEDED is required and has no default"),
        (
            {"COLOUR": "red"},
            "InvalidParameter",
            "parameter COLOUR is not known to settings-1.0.0; it has COUNT, MODE, NEEDED, PLACE",
        ),
        ({"PLACE": "there"}, "ImmutableParameter", "PLACE can't be changed any more (PLACE was “here”)"),
    ):
        instances.set("set", **change)
        assert instances.until_accepted("set", reason) == message
        found = instances.get("set")
        assert condition(found, "Ready")["status"] == "True", "what runs is as it was"
        instances.set("set", NEEDED="x", COUNT="2", MODE=None, COLOUR=None, PLACE=None)
        instances.until_accepted("set", "Accepted")
    found = instances.get("set")
    assert found["status"]["planStatus"] == before["status"]["planStatus"], "no plan has run for any of it"
    assert instances.data("set-seen") == seen
    events = instances.events(found["metadata"]["uid"], "InvalidParameter", "ImmutableParameter")
    assert events["ImmutableParameter"] == "PLACE can't be changed any more (PLACE was “here”)"

    instances.set("set", MODE="fast")
    found = instances.until("set", ended("tune"))
    assert instances.data("set-seen") == {**seen, "MODE": "fast"}
    assert found["status"]["planStatus"]["update"]["status"] == "NEVER_RUN"
    instances.delete("set")


def test_an_immutable_parameter_stays_so_while_deploy_is_run_again(instances: Instances) -> None:
    settings(instances, "still-1.0.0")
    instances.new("still", "still-1.0.0", NEEDED="x")
    instances.until("still", ended("deploy"))
    instances.mend("still-1.0.0", seen="{{ .Params.NOTHING }}")
    instances.run("still", "deploy")
    instances.until("still", ended("deploy", "FATAL_ERROR"))
    instances.set("still", PLACE="there")
    instances.until_accepted("still", "ImmutableParameter")
    instances.delete("still")


@pytest.mark.parametrize(
    ("name", "template", "wanted"),
    [
        ("value", "a: 1\nb: {{ .Params.WHO }}\n", "templates/bad.yaml, line 2: there is no .Params.WHO"),
        ("yaml", "a: 1\nb: [\n", "templates/bad.yaml, line 3 of what was rendered: not YAML any more after rendering"),
        ("form", "a: 1\n", "templates/bad.yaml: each document needs apiVersion, kind and metadata.name"),
        (
            "kind",
            "{apiVersion: v1, kind: Node, metadata: {name: x}}",
            "templates/bad.yaml: this engine can't apply a Node; it knows ArgoCD",
        ),
        ("pipe", "a: {{ .Pipes.key }}\n", "templates/bad.yaml, line 1: there is no .Pipes.key"),
        (
            "field",
            "{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 700000}]}}",
            'Service x: Service "x" is invalid: [spec.ports[0].port: Invalid value: 700000',
        ),
    ],
)
def test_a_template_that_fails_names_file_and_line(instances: Instances, name: str, template: str, wanted: str) -> None:
    package = f"bad{name}-1.0.0"
    instances.package(package, {"deploy": plan(("write", ["bad"]))}, [apply("bad")], {"bad": template})
    instances.new(f"bad{name}", package)
    found = instances.until(f"bad{name}", ended("deploy", "FATAL_ERROR"))
    assert wanted in step(found, "deploy", "write")["message"]
    instances.mend(package, bad=config_map("good"))
    instances.run(f"bad{name}", "deploy")
    instances.until(f"bad{name}", ended("deploy"))
    instances.delete(f"bad{name}")


def test_a_package_that_makes_no_sense_is_waited_for(instances: Instances) -> None:
    instances.package("odd-1.0.0", {"deploy": plan(("write", ["nothing"]))}, [], {})
    instances.new("odd", "odd-1.0.0")
    message = instances.until_accepted("odd", "InvalidOperatorVersion")
    assert (
        message
        == "OperatorVersion odd-1.0.0 can't be used: step deploy/all/write names the task “nothing”, which there is not"
    )
    instances.api.patch(
        f"{instances.versions}/odd-1.0.0", {"spec": {"tasks": [{"name": "nothing", "kind": "Dummy", "spec": {}}]}}
    )
    found = instances.until("odd", ended("deploy"))
    assert condition(found, "Accepted")["status"] == "True"
    instances.delete("odd")


def test_a_step_that_never_becomes_healthy_says_which_and_why(instances: Instances) -> None:
    image = [{"name": "IMAGE", "default": "operator-console.dev/Nothing:1"}]
    plans = {
        key: plan(("before", ["before"]), ("work", ["work"]), ("after", ["after"])) for key in ("deploy", "update")
    }
    templates = {"work": workload("Deployment"), "before": config_map("before"), "after": config_map("after")}
    instances.package(
        "stuck-1.0.0", plans, [apply("before"), apply("work"), apply("after")], templates, parameters=image
    )
    instances.new("stuck", "stuck-1.0.0")
    found = instances.until("stuck", at("deploy", "work", "does not start"))
    message = step(found, "deploy", "work")["message"]
    assert message.startswith("Deployment stuck-work: 0 of 1 Pods ready: the Pod stuck-work-")
    assert "operator-console.dev/Nothing:1" in message
    assert [step(found, "deploy", item)["status"] for item in ("before", "after")] == ["COMPLETE", "PENDING"]
    assert condition(found, "Ready")["message"] == f"all: work: {message}"
    instances.set("stuck", IMAGE="busybox")
    instances.until("stuck", ended("deploy"))

    instances.set("stuck", IMAGE="operator-console.dev/Nothing:2")
    instances.until("stuck", at("update", "work", "operator-console.dev/Nothing:2"))
    instances.set("stuck", IMAGE="busybox")
    instances.until("stuck", ended("update"))
    instances.delete("stuck")


def test_a_pod_that_waits_for_a_secret_says_for_which(instances: Instances) -> None:
    work = yaml.safe_load(workload("Deployment", "operator-console.dev/kudo-waiter:1.0.0"))
    work["spec"]["template"]["spec"]["containers"][0]["envFrom"] = [{"secretRef": {"name": "word"}}]
    templates = {"work": yaml.safe_dump(work, width=1000)}
    instances.package("locked-1.0.0", {"deploy": plan(("work", ["work"]))}, [apply("work")], templates)
    instances.new("locked", "locked-1.0.0")
    found = instances.until("locked", at("deploy", "work", "does not start"))
    assert 'secret "word" not found' in step(found, "deploy", "work")["message"]
    instances.make("secrets", "word", data={})
    instances.until("locked", ended("deploy"))
    instances.delete("locked")


def test_an_upgrade_that_is_stuck_has_a_way_back(instances: Instances) -> None:
    plans = {key: plan(("work", ["work"])) for key in ("deploy", "update", "upgrade")}
    for number, image in (("1", "busybox"), ("2", "operator-console.dev/Nothing:2")):
        instances.package(f"way-{number}", plans, [apply("work")], {"work": workload("Deployment", image)})
    instances.new("way", "way-1")
    instances.until("way", ended("deploy"))
    instances.change("way", operatorVersion={"name": "way-2"})
    instances.until("way", at("upgrade", "work", "operator-console.dev/Nothing:2"))
    instances.change("way", operatorVersion={"name": "way-1"})
    found = instances.until("way", ended("upgrade"))
    assert condition(found, "Ready")["status"] == condition(found, "Accepted")["status"] == "True"
    instances.delete("way")


def test_a_job_that_is_killed_or_deleted_is_done_all_the_same(instances: Instances) -> None:
    """Its Pod as a node that is gone kills it; then the Job itself, by a careless hand."""
    plans = {"deploy": plan(("work", ["work"]), ("after", ["after"]))}
    templates = {"work": workload("Job", "busybox", backoffLimit=3), "after": config_map("after")}
    instances.package("work-1.0.0", plans, [apply("work"), apply("after")], templates)
    instances.new("killed", "work-1.0.0")
    instances.new("deleted", "work-1.0.0")
    pod = until(lambda: instances.listed("pods", "job-name=killed-work"))[0]["metadata"]
    instances.kill_pod(pod["name"])
    job = instances.api.get(instances.path("jobs", "deleted-work")).json["metadata"]["uid"]
    instances.api.delete(instances.path("jobs", "deleted-work"), {"propagationPolicy": "Background"})
    instances.until("killed", ended("deploy"))
    assert instances.data("killed-after") == {}
    assert pod["name"] not in [found["metadata"]["name"] for found in instances.listed("pods", "job-name=killed-work")]
    instances.until("deleted", ended("deploy"))
    assert instances.api.get(instances.path("jobs", "deleted-work")).json["metadata"]["uid"] != job
    for name in ("killed", "deleted"):
        instances.delete(name)


def test_a_job_that_gives_up_says_its_last_words(instances: Instances) -> None:
    work = workload("Job", "operator-console.dev/galera-node:1.0.0", "dance", backoffLimit=0)
    plans = {"deploy": plan(("forget", ["forget"]), ("work", ["work"]))}
    instances.package("gives-1.0.0", plans, [apply("forget", "work", kind="Delete"), apply("work")], {"work": work})
    instances.new("gives", "gives-1.0.0")
    found = instances.until("gives", ended("deploy", "FATAL_ERROR"))
    message = step(found, "deploy", "work")["message"]
    assert message.startswith(
        "Job gives-work: it failed: Job has reached the specified backoff limit: the Pod gives-work-"
    )
    assert message.endswith("said at last: one role is needed: key, node, check, backup, restore, load")
    instances.mend("gives-1.0.0", work=workload("Job", "busybox", backoffLimit=0))
    instances.run("gives", "deploy")
    instances.until("gives", ended("deploy", since=uid(found, "deploy")))
    instances.delete("gives")


def test_one_name_in_two_namespaces_is_two_instances(two: tuple[Instances, Instances], engine: Operator) -> None:
    for place in two:
        settings(place, "same-1.0.0")
        place.new("same", "same-1.0.0", NEEDED=place.namespace)
    first, second = two
    for place in two:
        place.until("same", ended("deploy"))
        assert (place.data("same-seen") or {})["NEEDED"] == place.namespace
    first.delete("same")
    first.gone("same")
    first.api.until_gone(first.path("configmaps", "same-seen"))
    assert (second.data("same-seen") or {})["NEEDED"] == second.namespace
    second.delete("same")
