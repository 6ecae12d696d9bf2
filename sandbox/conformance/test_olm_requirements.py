"""OLM: what a ClusterServiceVersion requires, and how it tells that something is missing"""

import pytest

from tests.api import Api, custom_resource_definition

from .observations import Seen
from .olm import CRDS, Olm, csv_spec, history

NAME = "tea.v1.0.0"
OWN = ("OwnNamespace", "AllNamespaces")
RULES = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]


def csv(olm: Olm, **spec: object) -> None:
    """A group and a CSV in it."""
    assert olm.group().status == 201
    assert olm.make("clusterserviceversions", NAME, csv_spec(*OWN, **spec)).status == 201


def with_rights(kind: str, account: str = "brewer") -> dict:
    """An install strategy with rights for an account."""
    install = csv_spec()["install"]
    install["spec"][kind] = [{"serviceAccountName": account, "rules": RULES}]
    return install


def missing(olm: Olm) -> list:
    """The requirementStatus of the CSV once it has been found wanting."""
    found = olm.csv_because(NAME, "RequirementsNotMet")
    assert found["status"]["phase"] == "Pending"
    return found["status"]["requirementStatus"]


def test_nothing_is_required(seen: Seen, olm: Olm) -> None:
    """A CSV that needs nothing is installed at once"""
    csv(olm)
    found = olm.csv(NAME, "Succeeded")
    seen.value("csv", found, without=["status.conditions"])
    seen.value("phases", history(found))


def test_min_kube_version(seen: Seen, olm: Olm) -> None:
    """A CSV for a Kubernetes of the future waits"""
    csv(olm, minKubeVersion="99.0.0")
    seen.value("requirements", missing(olm))
    found = olm.csv(NAME, "Pending")
    seen.value("status", found["status"], only=["phase", "reason", "message"])


def test_min_kube_version_that_is_met(seen: Seen, olm: Olm) -> None:
    """A CSV for an older Kubernetes is content"""
    csv(olm, minKubeVersion="1.20.0")
    seen.value("requirements", olm.csv(NAME, "Succeeded")["status"]["requirementStatus"])


def test_min_kube_version_that_is_none(seen: Seen, olm: Olm) -> None:
    """A minKubeVersion that can not be read"""
    csv(olm, minKubeVersion="soon")
    seen.value("requirements", missing(olm))


def test_native_apis(seen: Seen, olm: Olm) -> None:
    """Native APIs must be served"""
    absent = {"group": "absent.example", "version": "v1", "kind": "Absent"}
    csv(olm, nativeAPIs=[absent, {"group": "apps", "version": "v1", "kind": "Deployment"}])
    seen.value("requirements", missing(olm))


@pytest.mark.parametrize("which", ["owned", "required"])
def test_absent_kind(seen: Seen, olm: Olm, group: str, which: str) -> None:
    """A kind that is owned or required must be there; when it comes, the operator is installed"""
    crd = {"name": f"leaves.{group}", "kind": "Leaf", "version": "v1"}
    csv(olm, customresourcedefinitions={which: [crd]})
    seen.value("requirements", missing(olm))
    assert olm.api.post(CRDS, custom_resource_definition(group, "leaves", "Leaf")).status == 201
    found = olm.csv(NAME, "Succeeded")
    seen.value("then", found["status"]["requirementStatus"])
    olm.api.delete(f"{CRDS}/leaves.{group}")


def test_version_that_is_not_served(seen: Seen, olm: Olm, group: str) -> None:
    """The kind must be served in the version that the CSV names"""
    assert olm.api.post(CRDS, custom_resource_definition(group, "leaves", "Leaf")).status == 201
    olm.api.until(f"{CRDS}/leaves.{group}", lambda crd: (crd.get("status") or {}).get("conditions"))
    crd = {"name": f"leaves.{group}", "kind": "Leaf", "version": "v2"}
    csv(olm, customresourcedefinitions={"required": [crd]})
    seen.value("requirements", missing(olm))
    olm.api.delete(f"{CRDS}/leaves.{group}")


@pytest.mark.parametrize("kind", ["permissions", "clusterPermissions"])
def test_absent_account(seen: Seen, olm: Olm, kind: str) -> None:
    """The ServiceAccount of a permission must be there"""
    csv(olm, install=with_rights(kind))
    seen.value("requirements", missing(olm))


@pytest.mark.parametrize("kind", ["permissions", "clusterPermissions"])
def test_account_without_rights(seen: Seen, olm: Olm, kind: str) -> None:
    """An account without the permissions does not meet the requirement, and each missing rule is listed"""
    olm.api.post(olm.core("serviceaccounts"), {"metadata": {"name": "brewer"}})
    csv(olm, install=with_rights(kind))
    seen.value("requirements", missing(olm))


def test_given_rights(seen: Seen, olm: Olm) -> None:
    """An account that has the rights already, by whatever role, will do"""
    body = {"metadata": {"name": "brewer"}}
    olm.api.post(olm.core("serviceaccounts"), body)
    olm.api.post(olm.core("roles", group="rbac.authorization.k8s.io/v1"), {**body, "rules": RULES})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "brewer"}
    subject = {"kind": "ServiceAccount", "name": "brewer", "namespace": olm.namespace}
    binding = {**body, "roleRef": role, "subjects": [subject]}
    olm.api.post(olm.core("rolebindings", group="rbac.authorization.k8s.io/v1"), binding)
    csv(olm, install=with_rights("permissions"))
    seen.value("requirements", olm.csv(NAME, "Succeeded")["status"]["requirementStatus"])


def test_kind_that_goes_away(seen: Seen, olm: Olm, group: str) -> None:
    """An operator whose kind is deleted fails, and waits for it again"""
    assert olm.api.post(CRDS, custom_resource_definition(group, "leaves", "Leaf")).status == 201
    csv(olm, customresourcedefinitions={"required": [{"name": f"leaves.{group}", "kind": "Leaf", "version": "v1"}]})
    olm.csv(NAME, "Succeeded")
    olm.api.delete(f"{CRDS}/leaves.{group}")
    olm.api.until_gone(f"{CRDS}/leaves.{group}")
    found = olm.csv_after_a_look(
        NAME, lambda item: (item["phase"], item["reason"]) == ("Pending", "RequirementsNotMet")
    )
    lines = [f"{condition['phase']}, {condition['reason']}" for condition in found["status"]["conditions"]]
    after = lines[[line.startswith("Succeeded") for line in lines].index(True) + 1 :]
    seen.value("phases", after)


def test_deployment_that_is_changed(seen: Seen, olm: Olm) -> None:
    """A deleted Deployment is created again"""
    csv(olm)
    olm.csv(NAME, "Succeeded")
    path = olm.core("deployments", "tea", "apps/v1")
    first = olm.api.get(path).json["metadata"]["uid"]
    olm.api.delete(path)
    olm.api.until(path, lambda item: item["metadata"]["uid"] != first)
    found = olm.csv(NAME, "Succeeded")
    reasons = [f"{condition['phase']}, {condition['reason']}" for condition in found["status"]["conditions"]]
    assert "Failed, ComponentUnhealthy" in reasons
    seen.value("last phases", [line for line in reasons if "InstallWaiting" not in line][-5:])


def test_validation(seen: Seen, api: Api, olm: Olm) -> None:
    """What a CSV must have is checked"""
    whole = csv_spec(*OWN)
    for name, spec in {
        "no spec": None,
        "no install": {key: value for key, value in whole.items() if key != "install"},
        "no displayName": {key: value for key, value in whole.items() if key != "displayName"},
        "no strategy": {**whole, "install": {"spec": whole["install"]["spec"]}},
        "a mode without supported": {**whole, "installModes": [{"type": "OwnNamespace"}]},
        "keywords that are a text": {**whole, "keywords": "tea"},
    }.items():
        body = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion"}
        body |= {"metadata": {"name": "bad"}} | ({"spec": spec} if spec else {})
        answer = api.post(olm.path("clusterserviceversions"), body)
        seen(name, answer, only=["reason", "message", "details.causes"] if answer.status > 299 else ["kind"])
        api.delete(olm.path("clusterserviceversions", "bad"))
