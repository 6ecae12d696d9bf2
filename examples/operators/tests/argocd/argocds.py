"""ArgoCD objects, their workloads and Pods, for tests."""

from typing import Any

from examples.operators.argocd.argocd import ArgoCD, Object
from examples.operators.argocd.parts import ComponentSpec, enabled
from examples.operators.argocd.workloads import workload

DEX = {"provider": "dex", "dex": {"config": "connectors: []"}}


def argocd(status: Object | None = None, **spec: Any) -> ArgoCD:
    """One as the API server has it."""
    meta = {"name": "example-argocd", "namespace": "argocd", "uid": "1", "generation": 2}
    body = {"apiVersion": "argoproj.io/v1beta1", "kind": "ArgoCD", "metadata": meta, "spec": spec}
    return ArgoCD({**body, "status": status or {}})


def observed(cd: ArgoCD, part: ComponentSpec, ready: int, *conditions: Object) -> Object:
    """A component's workload, of which so many Pods are ready."""
    found = workload(cd, part)
    numbers = {"readyReplicas": ready, "updatedReplicas": part.replicas(cd), "observedGeneration": 1}
    found["metadata"]["generation"] = 1
    return {**found, "status": {**numbers, "conditions": list(conditions)}}


def running(cd: ArgoCD) -> dict[str, Object]:
    """All of its workloads, well."""
    return {part.workload(cd): observed(cd, part, part.replicas(cd)) for part in enabled(cd)}
