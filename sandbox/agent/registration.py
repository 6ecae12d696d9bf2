"""The Node object, its heartbeat and its lease: what tells the cluster that Pods can come here, and that it still
lives.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import platform
from typing import Any

from ..client import Client
from ..errors import AlreadyExists, ApiError
from ..objects import Object, dig, now, now_micro
from ..runtime.recorder import EventRecorder

log = logging.getLogger("sandbox.node")

#: Pods that are to run here tolerate this taint and select this label.
RUNS, PROGRAMS = "operator-console.dev/runs", "programs"
_LEASE_SECONDS, _RENEW_SECONDS, _STATUS_EVERY = 40, 10.0, 30
_CAPACITY = {"cpu": "32", "memory": "64Gi", "pods": "500", "ephemeral-storage": "100Gi"}
_CONDITIONS = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


class Registration:
    """The Node ``name``, whose kubelet answers at ``port``."""

    def __init__(self, cluster: Client, name: str, port: int):
        self._cluster = cluster.as_manager("kubelet")
        self._recorder = EventRecorder(cluster, "kubelet", name)
        self._name = name
        self._port = port

    async def run(self) -> None:
        """Renews the Node and its lease until cancelled; both are created again after a deletion."""
        beats = 0
        while True:
            try:
                if not beats % _STATUS_EVERY:
                    self._register(first=not beats)
                self._renew()
                beats += 1
            except ApiError as problem:
                log.warning("the node's heartbeat: %s; trying again", problem)
                beats = 0
                await asyncio.sleep(1.0)
                continue
            await asyncio.sleep(_RENEW_SECONDS)

    def _register(self, *, first: bool) -> None:
        with contextlib.suppress(AlreadyExists):
            self._cluster.create("nodes", self._node())
        node = self._cluster.patch("nodes", self._name, {"metadata": {"labels": self._labels()}})
        status = self._status(dig(node, "status", "conditions") or [])
        node = self._cluster.patch("nodes", self._name, {"status": status}, subresource="status")
        if first:
            self._recorder.normal(node, "Starting", "Starting kubelet.")

    def _renew(self) -> None:
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": "kube-node-lease"},
            "spec": {"holderIdentity": self._name, "leaseDurationSeconds": _LEASE_SECONDS, "renewTime": now_micro()},
        }
        self._cluster.apply("leases.coordination.k8s.io", lease, manager="kubelet")

    def _labels(self) -> dict[str, str]:
        architecture = _ARCHITECTURES.get(platform.machine(), platform.machine())
        return {
            RUNS: PROGRAMS,
            "kubernetes.io/hostname": self._name,
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": architecture,
            # The kubelet still sets these, and operators select nodes by them.
            "beta.kubernetes.io/os": "linux",
            "beta.kubernetes.io/arch": architecture,
        }

    def _node(self) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": self._name, "labels": self._labels()},
            "spec": {"taints": [{"key": RUNS, "value": PROGRAMS, "effect": "NoSchedule"}]},
        }

    def _status(self, before: list[Object]) -> dict[str, Any]:
        """``before``: the Node's current conditions; one that does not change keeps its transition time."""
        moment = now()
        since = {(item["type"], item["status"]): item["lastTransitionTime"] for item in before}
        return {
            "capacity": _CAPACITY,
            "allocatable": _CAPACITY,
            "conditions": [
                {
                    "type": kind,
                    "status": status,
                    "reason": reason,
                    "message": message,
                    "lastHeartbeatTime": moment,
                    "lastTransitionTime": since.get((kind, status), moment),
                }
                for kind, status, reason, message in _CONDITIONS
            ],
            "addresses": [
                {"type": "InternalIP", "address": "127.0.0.1"},
                {"type": "Hostname", "address": self._name},
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self._port}},
            "nodeInfo": {
                "kubeletVersion": "v1.36.3+processes",
                "kubeProxyVersion": "",
                "osImage": "Operator Console programs",
                "operatingSystem": "linux",
                "architecture": self._labels()["kubernetes.io/arch"],
                "kernelVersion": platform.release(),
                "containerRuntimeVersion": "processes://1",
                "machineID": self._name,
                "systemUUID": self._name,
                "bootID": self._name,
            },
        }
