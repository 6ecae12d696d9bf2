"""The operator is brought from 0.0.1 to 0.1.0 by OLM, and brings its Memcacheds to the newer memcached."""

from examples.operators.tests.memcached.clusters import namespace, settled
from examples.operators.tests.places import OLM, SECONDS, condition
from tests.api import Api
from tests.eventually import until

OLD, NEW = "memcached-operator.v0.0.1", "memcached-operator.v0.1.0"


def test_an_upgrade_of_the_operator_upgrades_what_it_runs(api: Api) -> None:
    """Node by node: there are never fewer ready nodes than asked for, and no user had to change the Memcached."""
    with namespace(api, "aging") as caches:
        plans = f"{OLM}/v1alpha1/namespaces/{caches.namespace}/installplans"
        csvs = f"{OLM}/v1alpha1/namespaces/{caches.namespace}/clusterserviceversions"
        subscription = {
            "name": "memcached",
            "channel": "alpha",
            "source": "samples-catalog",
            "sourceNamespace": "olm",
            "installPlanApproval": "Manual",
            "startingCSV": OLD,
        }
        for version, kind, plural, spec in (
            ("v1", "OperatorGroup", "operatorgroups", {"targetNamespaces": [caches.namespace]}),
            ("v1alpha1", "Subscription", "subscriptions", subscription),
        ):
            body = {"apiVersion": f"operators.coreos.com/{version}", "kind": kind, "metadata": {"name": "ours"}}
            path = f"{OLM}/{version}/namespaces/{caches.namespace}/{plural}"
            assert api.post(path, {**body, "spec": spec}).status == 201

        def approve(csv: str) -> None:
            def waiting() -> list[str]:
                found = api.get(plans).json["items"]
                return [item["metadata"]["name"] for item in found if csv in item["spec"]["clusterServiceVersionNames"]]

            (plan,) = until(waiting, seconds=2 * SECONDS)
            assert api.patch(f"{plans}/{plan}", {"spec": {"approved": True}}).status == 200
            api.until(f"{csvs}/{csv}", lambda item: item.get("status", {}).get("phase") == "Succeeded", 2 * SECONDS)

        def images() -> set[str]:
            pods = [caches.api.get(caches.path("pods", name)).json for name in caches.pods("kept")]
            return {pod["spec"]["containers"][0]["image"].rpartition(":")[2] for pod in pods if "spec" in pod}

        approve(OLD)
        caches.create("kept", size=3)
        before = caches.ready("kept", 3)
        assert images() == {"1.5-alpine"}
        approve(NEW)
        counts = set()

        def upgraded() -> bool:
            counts.add(caches.deployment("kept")["status"].get("readyReplicas", 0))
            return images() == {"1.6-alpine"} and settled(3)(caches.get("kept"))

        until(upgraded, seconds=2 * SECONDS)
        assert min(counts) >= 3, counts
        after = caches.get("kept")
        assert after["metadata"]["generation"] == before["metadata"]["generation"]
        assert not set(after["status"]["nodes"]) & set(before["status"]["nodes"])
        assert (
            condition(after, "Available")["lastTransitionTime"] == condition(before, "Available")["lastTransitionTime"]
        )
        caches.away("kept")
