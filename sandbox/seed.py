"""The objects of a first start: namespaces, one Node, a default StorageClass, the well-known roles.

Written through the ordinary verbs; what is there already (a second start, or changed by someone) is left alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from .cluster import Cluster
from .errors import AlreadyExists
from .objects import now

FILE = Path(__file__).with_name("seed.yaml")
NODE = "sandbox"


def seed(cluster: Cluster, without: tuple[str, ...] = ()) -> None:
    """Creates what is missing, but for the namespaces `without`."""
    if cluster.verbs.store.get("namespaces", "", "kube-system") is not None:
        return
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for obj in yaml.load(FILE.read_text(encoding="utf-8"), Loader=loader):  # noqa: S506
        if obj["kind"] == "Namespace" and obj["metadata"]["name"] in without:
            continue
        resource = cluster.resource_for(obj["apiVersion"], obj["kind"])
        assert resource is not None, obj["kind"]
        try:
            cluster.create(resource.key, obj)
        except AlreadyExists:
            continue
    _node(cluster)


def _node(cluster: Cluster) -> None:
    capacity = {"cpu": "8", "memory": "16Gi", "pods": "500", "ephemeral-storage": "100Gi"}
    cluster.create(
        "nodes",
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": NODE,
                "labels": {
                    "kubernetes.io/hostname": NODE,
                    "kubernetes.io/os": "linux",
                    "kubernetes.io/arch": "amd64",
                    "beta.kubernetes.io/os": "linux",
                    "beta.kubernetes.io/arch": "amd64",
                    "node-role.kubernetes.io/control-plane": "",
                },
            },
            "spec": {"podCIDR": "10.244.0.0/24", "podCIDRs": ["10.244.0.0/24"]},
        },
    )
    cluster.patch("nodes", NODE, {"status": _status(capacity)}, subresource="status")


def _status(capacity: dict[str, str]) -> dict[str, Any]:
    moment = now()
    conditions = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ]
    return {
        "capacity": capacity,
        "allocatable": capacity,
        "conditions": [
            {
                "type": kind,
                "status": status,
                "reason": reason,
                "message": message,
                "lastHeartbeatTime": moment,
                "lastTransitionTime": moment,
            }
            for kind, status, reason, message in conditions
        ],
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Hostname", "address": NODE}],
        "nodeInfo": {
            "kubeletVersion": "v1.36.3+sandbox",
            "kubeProxyVersion": "",
            "osImage": "Operator Console embedded cluster",
            "operatingSystem": "linux",
            "architecture": "amd64",
            "kernelVersion": "none",
            "containerRuntimeVersion": "processes://1",
            "machineID": NODE,
            "systemUUID": NODE,
            "bootID": NODE,
        },
    }
