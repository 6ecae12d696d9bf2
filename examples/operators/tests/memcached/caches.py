"""Memcached objects, their Deployments and Pods, for tests."""

from typing import Any

from examples.operators.memcached.memcached import Memcached, Object, deployment


def memcached(status: Object | None = None, size: int = 3, generation: int = 1, **spec: Any) -> Memcached:
    """A Memcached as the API server has it."""
    meta = {"name": "example", "namespace": "demo", "uid": "0123", "generation": generation}
    return Memcached({"metadata": meta, "spec": {"size": size, "containerPort": 11211, **spec}, "status": status or {}})


def observed(cache: Memcached, ready: int, *conditions: Object, **numbers: int) -> Object:
    """Its Deployment, which has done its work unless ``numbers`` say otherwise."""
    found = deployment(cache)
    found["metadata"]["generation"] = 1
    filled = {"observedGeneration": 1, "replicas": cache.size, "updatedReplicas": cache.size, "readyReplicas": ready}
    found["status"] = {**filled, **numbers, "conditions": list(conditions)}
    return found


def pod(name: str, phase: str = "Running", **meta: Any) -> Object:
    return {"metadata": {"name": name, **meta}, "status": {"phase": phase}}
