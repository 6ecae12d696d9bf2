"""Who keeps an object as it is, by the marks that are on it."""

from typing import Any

import pytest

from resources.types.manager import Manager, manager

OLM = {"olm.owner": "etcd.v1", "olm.owner.namespace": "apps", "olm.owner.kind": "ClusterServiceVersion"}


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({}, None),
        ({"labels": {"app": "web"}, "annotations": None}, None),
        ({"ownerReferences": [{"kind": "ReplicaSet", "name": "web-1"}]}, None),
        (
            {
                "ownerReferences": [
                    {"kind": "Job", "name": "a"},
                    {"kind": "ReplicaSet", "name": "b", "controller": True},
                ]
            },
            Manager("ReplicaSet", "b"),
        ),
        ({"labels": OLM}, Manager("ClusterServiceVersion", "etcd.v1", "apps")),
        (
            {"namespace": "here", "labels": {"olm.owner": "etcd.v1"}},
            Manager("ClusterServiceVersion", "etcd.v1", "here"),
        ),
        ({"labels": OLM | {"olm.owner.kind": "Subscription"}}, None),
        ({"annotations": {"meta.helm.sh/release-name": "shop"}}, Manager("Helm", "shop")),
        ({"annotations": {"argocd.argoproj.io/tracking-id": "shop:apps/Deployment:a/b"}}, Manager("Argo CD", "shop")),
        ({"labels": {"kustomize.toolkit.fluxcd.io/name": "shop"}}, Manager("Flux Kustomization", "shop")),
        ({"labels": ["no mapping"], "ownerReferences": "nor a list"}, None),
    ],
)
def test_by_its_marks(metadata: dict[str, Any], found: Manager | None) -> None:
    assert manager({"kind": "Deployment", "metadata": metadata}) == found


def test_the_owner_counts_more_than_a_label() -> None:
    owned = {"ownerReferences": [{"kind": "ArgoCD", "name": "example", "controller": True}], "labels": OLM}
    assert manager({"metadata": owned}) == Manager("ArgoCD", "example")
