"""SampleDB objects for tests."""

from typing import Any

from examples.operators.sampledb.database import Database


def database(status: dict[str, Any] | None = None, name: str = "example", **spec: Any) -> Database:
    """A SampleDB with the defaults that the API server fills in."""
    filled = {"engine": "redis", "version": "7.2", "replicas": 1, "storage": "1Gi", "port": 6379, **spec}
    meta = {"name": name, "namespace": "demo", "uid": "0123", "generation": 1}
    return Database({"apiVersion": "v1", "kind": "SampleDB", "metadata": meta, "spec": filled, "status": status or {}})
