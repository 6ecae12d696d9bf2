"""What is read out of a CSV: install modes, properties; and the objects made from it."""

import pytest

from sandbox.olm import rbac
from sandbox.olm.csv import unsupported
from sandbox.olm.deployments import deployments, problem
from sandbox.tests.catalog.bundles import csv, owns

RULES = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]


def with_modes(*modes: str) -> dict:
    found = csv("tea", "1.0.0", installModes=[{"type": mode, "supported": True} for mode in modes])
    found["metadata"]["namespace"] = "home"
    found["metadata"]["uid"] = "u"
    return found


@pytest.mark.parametrize(
    ("modes", "targets", "reason"),
    [
        (["AllNamespaces"], [""], ""),
        (
            ["AllNamespaces"],
            ["home"],
            "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace",
        ),
        (
            ["OwnNamespace"],
            [""],
            "AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces",
        ),
        (
            ["OwnNamespace"],
            ["x"],
            "SingleNamespace InstallModeType not supported, cannot configure to watch one namespace",
        ),
        (
            ["SingleNamespace"],
            ["a", "b"],
            "MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces",
        ),
        (
            ["MultiNamespace"],
            ["a", "home"],
            "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace",
        ),
        (
            ["MultiNamespace"],
            [],
            "operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces",
        ),
    ],
)
def test_install_modes(modes: list[str], targets: list[str], reason: str) -> None:
    assert unsupported(with_modes(*modes), targets) == reason


def operator() -> dict:
    pod = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"serviceAccountName": "tea", "containers": [{"name": "c", "image": "i"}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": pod}
    install = {
        "deployments": [{"name": "tea", "spec": spec}],
        "permissions": [{"serviceAccountName": "tea", "rules": RULES}],
        "clusterPermissions": [{"serviceAccountName": "tea", "rules": RULES}],
    }
    found = with_modes("AllNamespaces")
    found["spec"]["install"]["spec"] = install
    found["spec"]["customresourcedefinitions"] = owns("Pot")
    return found


def test_permissions_become_roles() -> None:
    found = operator()
    assert [item["kind"] for item in rbac.namespaced(found)] == ["Role", "RoleBinding"]
    assert [item["kind"] for item in rbac.cluster_wide(found)] == ["ClusterRole", "ClusterRoleBinding"]
    assert [account["metadata"]["name"] for account in rbac.service_accounts(found)] == ["tea"]
    role, binding = rbac.namespaced(found)
    assert role["metadata"]["ownerReferences"][0]["uid"] == "u"
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "tea", "namespace": "home"}]


def test_roles_in_another_namespace_have_no_owner_there() -> None:
    role, _ = rbac.namespaced(operator(), "away")
    assert role["metadata"]["namespace"] == "away"
    assert "ownerReferences" not in role["metadata"]
    assert role["metadata"]["labels"]["olm.owner"] == "tea"


def test_names_of_roles_stay_short() -> None:
    found = operator()
    found["metadata"]["name"] = "x" * 200
    assert all(len(item["metadata"]["name"]) <= 63 for item in [*rbac.namespaced(found), *rbac.cluster_wide(found)])


def test_deployments_carry_what_olm_adds() -> None:
    (found,) = deployments(operator(), {"env": [{"name": "A", "value": "1"}], "tolerations": [{"key": "k"}]})
    pod = found["spec"]["template"]
    names = {variable["name"]: variable["value"] for variable in pod["spec"]["containers"][0]["env"]}
    assert names == {"A": "1", "OPERATOR_CONDITION_NAME": "tea"}
    assert pod["spec"]["tolerations"] == [{"key": "k"}]
    assert pod["metadata"]["annotations"]["capabilities"] == "Basic Install"
    assert found["metadata"]["labels"]["olm.owner.kind"] == "ClusterServiceVersion"
    assert found["spec"]["revisionHistoryLimit"] == 1


def test_problems_are_told_one_after_the_other() -> None:
    wanted = deployments(operator(), {})
    assert problem(wanted, {}) == ("missing deployment with name=tea", True)
    present = {"tea": {**wanted[0], "metadata": {**wanted[0]["metadata"], "generation": 1}}}
    assert problem(wanted, present)[0].endswith('waiting for spec update of deployment "tea" to be observed...')
    down = {"type": "Available", "status": "False", "message": "Deployment does not have minimum availability."}
    present["tea"]["status"] = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "conditions": [down]}
    text = 'waiting for deployment tea to become ready: deployment "tea" not available: ' + down["message"]
    assert problem(wanted, present) == (text, False)
    down["status"] = "True"
    assert problem(wanted, present) == ("", False)
    present["tea"]["metadata"]["labels"] = {"olm.deployment-spec-hash": "old"}
    assert problem(wanted, present)[1]
