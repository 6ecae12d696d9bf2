"""Installs OLM v1's kinds and its namespace."""

from __future__ import annotations

from pathlib import Path

import yaml

from ..cluster import Cluster
from ..context import Context
from .names import CRDS, NAMESPACE, SERVICE

FILE = Path(__file__).with_name("crds.yaml")


async def run(cluster: Cluster, context: Context) -> None:
    """Returns when everything exists."""
    cluster.apply("namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    for crd in yaml.load_all(FILE.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        cluster.apply(CRDS, crd)
    port = {"name": "https", "port": 443, "protocol": "TCP", "targetPort": 8443}
    meta = {"name": SERVICE, "namespace": NAMESPACE, "labels": {"app.kubernetes.io/name": "catalogd"}}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"ports": [port]}}
    cluster.apply("services", service)
