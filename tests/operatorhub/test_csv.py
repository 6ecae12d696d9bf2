"""What is read of a ClusterServiceVersion; nothing an author may write makes it fail."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kube.reader import read, read_list
from kube.types.olm import ClusterServiceVersionSpec, CRDDescription, CSVDescription, InstallMode
from operatorhub import csv

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "kind", "owned", "type", "supported"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def test_apis_are_one_for_each_crd() -> None:
    owned = [
        {"name": "caches.demo.dev", "kind": "Cache", "version": "v1", "displayName": "A cache", "description": "words"},
        {"name": "caches.demo.dev", "kind": "Cache", "version": "v1beta1"},
        {"name": "nodot", "kind": "X", "version": "v1"},
        {"name": "things.demo.dev", "version": "v1"},
    ]
    assert csv.apis(read_list(owned, CRDDescription)) == (
        csv.Api(group="demo.dev", version="v1", plural="caches", kind="Cache", title="A cache", description="words"),
    )


def test_the_kinds_that_people_create_come_first() -> None:
    def kind(name: str, described: int = 0) -> dict[str, object]:
        descriptors = [{"path": str(number)} for number in range(described)]
        return {"name": f"{name.lower()}s.demo.dev", "kind": name, "version": "v1", "specDescriptors": descriptors}

    owned = [kind("Policy"), kind("Backup", 2), kind("Lock", 9), kind("Cluster", 5), kind("Secret")]
    examples = [{"apiVersion": "demo.dev/v1", "kind": name} for name in ("Backup", "Cluster", "Policy")]
    notes = {
        "alm-examples": json.dumps(examples),
        "operators.operatorframework.io/internal-objects": '["secrets.demo.dev"]',
    }
    desc = read({"customresourcedefinitions": {"owned": owned}}, CSVDescription)
    kinds = [api.kind for api in csv.provided(desc, notes)]
    assert kinds == ["Cluster", "Backup", "Policy", "Lock"]
    named = read({"customresourcedefinitions": {"owned": owned}, "displayName": "Demo Policy Operator"}, CSVDescription)
    assert csv.provided(named, notes)[0].kind == "Policy"
    notes["operatorframework.io/initialization-resource"] = json.dumps(examples[0])
    assert csv.provided(desc, notes)[0].kind == "Backup"


ARGOCDS = (
    CRDDescription(name="argocds.argoproj.io", kind="ArgoCD", version="v1alpha1", description="old"),
    CRDDescription(name="argocds.argoproj.io", kind="ArgoCD", version="v1beta1", description="new"),
)


def crd(*versions: dict[str, object]) -> dict[str, object]:
    return {
        "metadata": {"name": "argocds.argoproj.io"},
        "spec": {"versions": [{"served": True, **version} for version in versions]},
    }


def test_of_several_versions_the_newest_is_meant_with_its_own_words() -> None:
    """H1: Argo CD names the deprecated v1alpha1 first."""
    (api,) = csv.apis(ARGOCDS)
    assert (api.version, api.description) == ("v1beta1", "new")


def test_the_definition_decides_which_version_is_meant() -> None:
    """H1: the storage version first, a deprecated one last."""
    stored = crd({"name": "v1alpha1", "storage": True}, {"name": "v1beta1"})
    assert [api.version for api in csv.apis(ARGOCDS, crds=[stored])] == ["v1alpha1"]
    old = crd({"name": "v1alpha1", "storage": True, "deprecated": True}, {"name": "v1beta1"})
    assert [(api.version, api.deprecated) for api in csv.apis(ARGOCDS, crds=[old])] == [("v1beta1", False)]
    unnamed = crd({"name": "v1alpha1", "deprecated": True}, {"name": "v1", "storage": True})
    (api,) = csv.apis(ARGOCDS, crds=[unnamed])
    assert (api.version, api.description) == ("v1", "new")
    alone = crd({"name": "v1alpha1", "deprecated": True, "storage": True})
    assert [api.deprecated for api in csv.apis(ARGOCDS, crds=[alone])] == [True]


@pytest.mark.parametrize(
    ("word", "level"),
    [("Basic Install", 1), ("seamless upgrades", 2), ("Auto Pilot", 5), ("Auto Pilots", 0), (None, 0)],
)
def test_capability_levels(word: str | None, level: int) -> None:
    desc = read({"annotations": {"capabilities": word}}, CSVDescription)
    assert csv.level(desc.annotations) == level


def test_install_modes_are_the_supported_ones() -> None:
    modes = [
        {"type": "MultiNamespace", "supported": True},
        {"type": "AllNamespaces", "supported": True},
        {"type": "OwnNamespace", "supported": False},
    ]
    assert csv.install_modes(read_list(modes, InstallMode)) == ("AllNamespaces", "MultiNamespace")


def test_the_suggested_namespace_is_also_found_in_a_template() -> None:
    assert csv.suggested_namespace({"operatorframework.io/suggested-namespace": "one"}) == "one"
    template = '{"kind": "Namespace", "metadata": {"name": "two"}}'
    assert csv.suggested_namespace({"operatorframework.io/suggested-namespace-template": template}) == "two"
    assert csv.suggested_namespace({"operatorframework.io/suggested-namespace-template": "{broken"}) == ""


def test_features_old_and_new() -> None:
    notes = {
        "features.operators.openshift.io/disconnected": "true",
        "features.operators.openshift.io/cnf": "false",
        "operators.openshift.io/infrastructure-features": '["Disconnected", "proxy-aware"]',
    }
    assert csv.features(notes) == ("disconnected", "proxy-aware")


def test_install_strategy() -> None:
    template = {"spec": {"containers": [{"name": "manager", "image": "example.com/m:1"}, None]}}
    strategy = {
        "deployments": [{"name": "manager", "spec": {"template": template}}, {"spec": {"template": []}}],
        "permissions": [{"serviceAccountName": " a "}, {"rules": []}],
        "clusterPermissions": [{"serviceAccountName": "b"}, {"serviceAccountName": "a"}],
    }
    found = read({"install": {"spec": strategy}}, ClusterServiceVersionSpec).install.spec
    assert found.service_accounts == ("a", "b")
    pods = [deployment.spec.pod_spec for deployment in found.deployments]
    assert [container.image for pod in pods for container in pod.containers] == ["example.com/m:1"]


# No deadline: a busy machine must not fail the test.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ANYTHING)
def test_no_shape_breaks_it(value: object) -> None:
    desc = read({"customresourcedefinitions": value, "installModes": value, "annotations": value}, CSVDescription)
    csv.provided(desc, desc.annotations, [{"metadata": value, "spec": value}])
    csv.install_modes(desc.install_modes)
    csv.level(desc.annotations)
    csv.features(desc.annotations)
    csv.suggested_namespace({"operatorframework.io/suggested-namespace-template": json.dumps(value)})
    csv.internal({"operators.operatorframework.io/internal-objects": json.dumps(value)})
    csv.initialization({"operatorframework.io/initialization-resource": json.dumps(value)})
    csv.objects({"alm-examples": json.dumps(value)})
