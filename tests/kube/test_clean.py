"""O9: an object without what the server, controllers and tools write, so that it can be applied elsewhere."""

from typing import Any

import pytest

from kube.objects import clean

METADATA = {
    "creationTimestamp": "2026-11-23T00:00:00Z",
    "uid": "u",
    "resourceVersion": "5",
    "generation": 2,
    "selfLink": "/x",
    "managedFields": [{}],
    "ownerReferences": [{}],
    "finalizers": ["x/y"],
    "namespace": "shop",
    "name": "web",
    "labels": {"app": "web", "pod-template-hash": "1"},
    "annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "kopf.zalando.org/last-handled-configuration": "{}",
        "note": "mine",
    },
}
TOKEN = "kube-api-access-abcde"


def object_of(api: str, kind: str, spec: Any = None, **parts: Any) -> dict[str, Any]:
    return {"status": {"phase": "x"}, "metadata": METADATA, "kind": kind, "apiVersion": api, "spec": spec, **parts}


def test_o9_metadata_and_status() -> None:
    """O9: what a person would have written, apiVersion first."""
    found = clean(object_of("x.io/v1", "Thing", {"size": 1}))
    assert found == {
        "apiVersion": "x.io/v1",
        "kind": "Thing",
        "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}, "annotations": {"note": "mine"}},
        "spec": {"size": 1},
    }
    assert [*found][:3] == ["apiVersion", "kind", "metadata"] and [*found["metadata"]][:2] == ["name", "namespace"]
    assert clean(found) == found
    assert METADATA["uid"] == "u", "the object itself is not changed"


@pytest.mark.parametrize(
    ("api", "kind", "spec", "left"),
    [
        ("v1", "Service", {"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ports": []}, {"ports": []}),
        ("v1", "Service", {"clusterIP": "None", "clusterIPs": ["None"]}, {"clusterIP": "None"}),
        ("v1", "PersistentVolumeClaim", {"volumeName": "pv", "accessModes": ["x"]}, {"accessModes": ["x"]}),
        ("batch/v1", "Job", {"selector": {"a": 1}, "completions": 1}, {"completions": 1}),
        (
            "batch/v1",
            "Job",
            {"selector": {"a": 1}, "manualSelector": True},
            {"selector": {"a": 1}, "manualSelector": True},
        ),
        (
            "v1",
            "Pod",
            {
                "nodeName": "n",
                "volumes": [{"name": TOKEN}],
                "containers": [{"name": "c", "volumeMounts": [{"name": TOKEN}]}],
            },
            {"containers": [{"name": "c"}]},
        ),
        (
            "v1",
            "Pod",
            {"volumes": [{"name": "d"}], "containers": [{"name": "c", "volumeMounts": [{"name": "d"}]}]},
            {"volumes": [{"name": "d"}], "containers": [{"name": "c", "volumeMounts": [{"name": "d"}]}]},
        ),
        (
            "apps/v1",
            "Deployment",
            {"template": {"metadata": {"creationTimestamp": None, "labels": {"a": "b"}}}},
            {"template": {"metadata": {"labels": {"a": "b"}}}},
        ),
        (
            "apps/v1",
            "StatefulSet",
            {
                "volumeClaimTemplates": [
                    {"metadata": {"name": "d", "uid": "u"}, "status": {"phase": "Pending"}, "spec": {"a": 1}}
                ]
            },
            {"volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": {"a": 1}}]},
        ),
    ],
)
def test_o9_what_the_cluster_gave_it(api: str, kind: str, spec: dict[str, Any], left: dict[str, Any]) -> None:
    """O9: addresses, nodes, volumes and tokens are of the cluster it comes from."""
    assert clean(object_of(api, kind, spec))["spec"] == left


@pytest.mark.parametrize(
    "odd", [None, "x", 3, [], {"metadata": "x", "spec": []}, {"spec": {"volumes": "x", "template": {"metadata": 3}}}]
)
def test_o9_any_shape_is_read(odd: Any) -> None:
    """O9: what can't be read stays."""
    found = {"apiVersion": "v1", "kind": "Pod", **(odd if isinstance(odd, dict) else {"spec": odd})}
    assert clean(found)["kind"] == "Pod"
