"""What is special about the bundle: its packages, what its engine may do.

The rest: examples/operators/tests/test_bundles.py.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from examples.operators.kubeapi import PATHS
from examples.operators.kudo import package, pipes
from examples.operators.kudo.instance import Instance
from examples.operators.kudo.parameters import resolve
from examples.operators.kudo.render import Moment, Render
from examples.operators.kudo.version import OperatorVersion, read

ROOT = Path(__file__).resolve().parents[4]
BUNDLE = ROOT / "examples" / "operators" / "packages" / "galera" / "1.0.0"
VERSIONS = [read(item.version) for item in package.shipped("galera/kudo", ROOT / "examples" / "operators").values()]
MARIADB = package.load(ROOT / "examples" / "operators" / "galera" / "mariadb")


@pytest.fixture(scope="module")
def csv() -> dict[str, Any]:
    return dict(yaml.safe_load((BUNDLE / "csv.yaml").read_text()))


@pytest.fixture(scope="module")
def allowed(csv: dict[str, Any]) -> dict[str, list[str]]:
    """resource.group → verbs."""
    install = csv["spec"]["install"]["spec"]
    assert "clusterPermissions" not in install
    (permission,) = install["permissions"]
    return {
        f"{resource}.{group}".rstrip("."): rule["verbs"]
        for rule in permission["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def test_the_examples_are_packages_and_an_instance_of_one_that_comes_along(csv: dict[str, Any]) -> None:
    examples = {load["kind"]: load for load in json.loads(csv["metadata"]["annotations"]["alm-examples"])}
    version = next(item for item in VERSIONS if item.name == examples["Instance"]["spec"]["operatorVersion"]["name"])
    assert resolve(version, examples["Instance"]["spec"]["parameters"])["NODE_COUNT"] == 3
    greeter = read(examples["OperatorVersion"])
    assert greeter.operator == examples["Operator"]["metadata"]["name"]


def test_the_engine_may_do_what_it_does_and_no_more(allowed: dict[str, list[str]]) -> None:
    made = ["get", "create", "patch", "delete"]
    watched = ["get", "list", "watch", "create", "patch", "delete"]
    assert allowed == {
        "instances.kudo.dev": watched,
        "instances/status.kudo.dev": ["patch"],
        "instances/finalizers.kudo.dev": ["update"],
        **dict.fromkeys(("operators.kudo.dev", "operatorversions.kudo.dev"), watched[:-1]),
        **dict.fromkeys(("deployments.apps", "statefulsets.apps", "jobs.batch", "cronjobs.batch"), watched),
        **dict.fromkeys(("services", "configmaps", "secrets", "persistentvolumeclaims"), made),
        "poddisruptionbudgets.policy": made,
        "pods": ["get", "list", "create", "patch", "delete"],
        "pods/log": ["get"],
        "pods/exec": ["get", "create"],
        "events": ["create"],
        "leases.coordination.k8s.io": ["get", "create", "patch"],
    }


@pytest.mark.parametrize("version", VERSIONS, ids=lambda item: item.name)
def test_every_template_can_be_applied_and_its_images_are_named(
    version: OperatorVersion, csv: dict[str, Any], allowed: dict[str, list[str]]
) -> None:
    images = {image["image"] for image in csv["spec"]["relatedImages"]}
    assert set() < applied(version, allowed) <= images


def test_k11_mariadb_begins_with_a_node_that_goes_again(allowed: dict[str, list[str]]) -> None:
    """K11: a plan with a bootstrap node and its removal; the engine may make all that the package asks for."""
    version = read(MARIADB.version)
    assert applied(version, allowed) == {"docker.io/library/mariadb:11.8", "docker.io/library/busybox:1.37.0"}
    phases = {phase.name: [step.name for step in phase.steps] for phase in version.plans["deploy"].phases}
    assert list(phases) == ["prepare", "bootstrap", "nodes", "cleanup"]
    assert phases["cleanup"][0] == "bootstrap"
    assert version.tasks["remove-bootstrap"].resources == version.tasks["bootstrap"].resources
    (first,) = rendered(version).objects("bootstrap.yaml")
    (nodes,) = rendered(version).objects("statefulset.yaml")
    (clients, *_) = rendered(version).objects("services.yaml")
    labels = [each["spec"]["template"]["metadata"]["labels"].items() for each in (first, nodes)]
    assert [clients["spec"]["selector"].items() <= each for each in labels] == [False, True]


def test_another_number_of_nodes_changes_nothing_that_would_replace_those_of_mariadb() -> None:
    version = read(MARIADB.version)
    config = [rendered(version, NODE_COUNT=count).objects("config.yaml") for count in ("3", "5")]
    three, five = (rendered(version, NODE_COUNT=count).objects("statefulset.yaml")[0] for count in ("3", "5"))
    assert config[0] == config[1]
    assert three["spec"]["template"] == five["spec"]["template"]
    assert (three["spec"]["replicas"], five["spec"]["replicas"]) == (3, 5)
    surplus = [rendered(version, NODE_COUNT=count).objects("surplus.yaml") for count in ("3", "5")]
    assert [[claim["metadata"]["name"] for claim in found] for found in surplus] == [["data-g-3", "data-g-4"], []]


def rendered(version: OperatorVersion, **parameters: str) -> Render:
    instance = Instance({"metadata": {"name": "g", "namespace": "demo", "uid": "1"}})
    return Render(instance, version, Moment("deploy", "1", "a", "b"), resolve(version, parameters))


def applied(version: OperatorVersion, allowed: dict[str, list[str]]) -> set[str]:
    """The images that a version's templates name; fails if the bundle doesn't permit one of their objects."""
    pods = {file for task in version.tasks.values() if task.kind == "Pipe" for file in task.resources}
    render = rendered(version)
    found = [item for file in version.templates if file not in pods for item in render.objects(file)]
    for obj in found:
        prefix, plural = PATHS[obj["kind"]]
        group = prefix.split("/")[1] if prefix.startswith("apis/") else ""
        assert {"get", "create", "patch", "delete"} <= set(allowed[f"{plural}.{group}".rstrip(".")])
    written = [*found, *(item for file in pods for item in render.documents(file))]
    return set(re.findall(r'"image": "([^"]+)"', json.dumps(written)))


def test_the_engine_is_told_which_image_waits(csv: dict[str, Any]) -> None:
    (deployment,) = csv["spec"]["install"]["spec"]["deployments"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    given = next(item["value"] for item in container["env"] if item["name"] == "RELATED_IMAGE_WAITER")
    assert given == pipes.IMAGE
    assert given in [image["image"] for image in csv["spec"]["relatedImages"]]
