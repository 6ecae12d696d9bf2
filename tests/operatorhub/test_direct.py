"""A bundle as objects: the same that OLM's InstallPlan makes of it, whichever OLM that is."""

import json
from pathlib import Path

import pytest

from kube.client import ClusterClient
from kube.objects import KubeObject
from operatorhub import direct, olm
from operatorhub.bundle.bundles import Bundle
from operatorhub.run import bundle_input
from tests.conftest import ROOT
from tests.eventually import until

PACKAGES = ROOT / "examples" / "operators" / "packages"


def bundle(package: str = "sampledb", version: str = "1.0.0") -> Bundle:
    found = bundle_input.files_of(PACKAGES / package / version)
    return found.bundles[0]


def names(objects: tuple[KubeObject, ...]) -> list[tuple[str, str]]:
    return [(item["kind"], item["metadata"]["name"]) for item in objects]


def test_the_order_lets_each_be_made_after_those_before() -> None:
    kinds = [kind for kind, _name in names(direct.objects(bundle(), "apps"))]
    assert kinds[0] == "CustomResourceDefinition"
    assert kinds[-1] == "ClusterServiceVersion"
    assert kinds.index("ServiceAccount") < kinds.index("ClusterRole") < kinds.index("ClusterRoleBinding")


def test_everything_goes_into_the_namespace_but_what_has_none() -> None:
    for app in direct.objects(bundle(), "apps"):
        placed = app["metadata"].get("namespace")
        assert placed == (None if not direct.namespaced(app) else "apps"), app["kind"]


def test_the_authors_replaces_is_the_catalogs_business() -> None:
    csv = direct.objects(bundle("flightticket", "1.1.0"), "apps")[-1]
    assert "replaces" not in csv["spec"]
    assert direct.objects(bundle("flightticket", "1.1.0"), "apps", replaces="ft.v1")[-1]["spec"]["replaces"] == "ft.v1"


def test_no_csv_no_objects() -> None:
    assert (
        direct.objects(Bundle(name="x", package="x", version="1.0.0", image="", csv={}, crds=(), others=()), "apps")
        == ()
    )


def test_an_operator_group_for_what_it_watches() -> None:
    assert direct.group("apps", ())["spec"] == {}
    assert direct.group("apps", ("apps",))["spec"] == {"targetNamespaces": ["apps"]}
    assert [direct.mode("apps", targets) for targets in ((), ("apps",), ("a",), ("a", "b"))] == [
        "AllNamespaces",
        "OwnNamespace",
        "SingleNamespace",
        "MultiNamespace",
    ]


@pytest.mark.parametrize("package", ["sampledb", "memcached"])
def test_the_installplan_has_the_same_objects(client: ClusterClient, package: str) -> None:
    """Names with their digests, rules, subjects and labels, of a real InstallPlan that stays unapproved."""
    namespace = f"direct-{package}"
    spaces, plans = client.find("", "v1", "namespaces"), olm.type_of(client, olm.PLANS)
    manifest = next(
        item
        for item in client.list(client.find("packages.operators.coreos.com", "v1", "packagemanifests"), "olm").items
        if item["metadata"]["name"] == package
    )
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    try:
        client.create(olm.type_of(client, "operatorgroups"), direct.group(namespace, (namespace,)), namespace)
        status = manifest["status"]
        spec = {
            "name": package,
            "channel": status["defaultChannel"],
            "source": status["catalogSource"],
            "sourceNamespace": status["catalogSourceNamespace"],
            "installPlanApproval": "Manual",
        }
        head = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription"}
        client.create(
            olm.type_of(client, olm.SUBSCRIPTIONS),
            {**head, "metadata": {"name": package, "namespace": namespace}, "spec": spec},
            namespace,
        )
        made = until(
            lambda: [item for item in client.list(plans, namespace).items if item.get("status", {}).get("plan")],
            seconds=40,
        )
        steps = {
            (step["resource"]["kind"], step["resource"]["name"]): json.loads(step["resource"]["manifest"])
            for step in made[0]["status"]["plan"]
            if step["resource"]["manifest"].startswith("{") and "namespace" in step["resource"]["manifest"]
        }
        version = next(name for name in made[0]["spec"]["clusterServiceVersionNames"]).rpartition(".v")[2]
        ours = {
            (item["kind"], item["metadata"]["name"]): item
            for item in direct.objects(bundle(package, version), namespace)
        }
        roles = {key for key in steps if key[0] in ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")}
        assert roles
        assert roles <= ours.keys()
        for key in roles:
            if "rules" in steps[key]:
                assert steps[key]["rules"] == ours[key]["rules"]
            for label in ("olm.owner", "olm.owner.namespace", "olm.owner.kind", direct.HASH):
                assert steps[key]["metadata"]["labels"][label] == ours[key]["metadata"]["labels"][label], (key, label)
    finally:
        client.delete(olm.type_of(client, olm.SUBSCRIPTIONS), package, namespace)
        client.delete(spaces, namespace)


def test_the_real_bundles_become_objects(real_catalog: Path) -> None:
    """Every tenth of the 268: nothing is lost, nothing is there twice, every reference holds."""
    for folder in sorted(real_catalog.iterdir())[::20]:
        for item in bundle_input.files_of(folder).bundles[:1]:
            found = names(direct.objects(item, "apps"))
            assert len(found) == len(set(found)), folder.name
            assert found[-1][0] == "ClusterServiceVersion"
