"""A Memcached as the rest of the operator reads it, and the Deployment that it asks for. Pure functions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from examples.operators.body import Body

Object = dict[str, Any]

GROUP = "cache.example.com"
VERSION = "v1alpha1"
#: The label that says to which Memcached an object belongs.
LABEL = f"{GROUP}/memcached"
#: OLM's way to say which image to use where the Internet is not reached: the variable names it, and the bundle lists
#: it.
IMAGE_VARIABLE = "RELATED_IMAGE_MEMCACHED"
IMAGE = "docker.io/library/memcached:1.6-alpine"
#: The user that the image makes for the server.
USER = 11211


@dataclass(frozen=True, slots=True)
class Memcached(Body):
    """One Memcached."""

    @property
    def generation(self) -> int:
        return int(self.body["metadata"].get("generation", 1))

    @property
    def size(self) -> int:
        return int(self.body["spec"]["size"])

    @property
    def port(self) -> int:
        return int(self.body["spec"].get("containerPort", 11211))

    @property
    def selector(self) -> str:
        """What selects its Pods."""
        return f"{LABEL}={self.name}"

    def owner(self) -> Object:
        """What makes an object go when the Memcached goes: the cluster's garbage collector reads it."""
        return {
            "apiVersion": f"{GROUP}/{VERSION}",
            "kind": "Memcached",
            "name": self.name,
            "uid": self.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }

    def owns(self, obj: Object) -> bool:
        """Whether this Memcached is the object's controller, or the object has our label and no controller."""
        if controller := _controller(obj):
            return bool(controller["uid"] == self.uid)
        return (obj["metadata"].get("labels") or {}).get(LABEL) == self.name

    def succeeds(self, obj: Object) -> bool:
        """Whether the object is of another Memcached that had this name: the garbage collector has not come yet."""
        owner = _controller(obj)
        same = ("apiVersion", "kind", "name")
        return bool(owner) and [owner[key] for key in same] == [self.owner()[key] for key in same]


def _controller(obj: Object) -> Object:
    """The owner reference of the object's controller; empty if there isn't one."""
    owners = obj["metadata"].get("ownerReferences") or []
    return next((dict(owner) for owner in owners if owner.get("controller")), {})


def image() -> str:
    """The image that the nodes run."""
    return os.environ.get(IMAGE_VARIABLE) or IMAGE


def deployment(cache: Memcached) -> Object:
    """The Deployment: a Pod for each node."""
    labels = {
        "app.kubernetes.io/name": "memcached",
        "app.kubernetes.io/instance": cache.name,
        "app.kubernetes.io/managed-by": "memcached-operator",
        LABEL: cache.name,
    }
    pod = {
        "containers": [_container(cache.port)],
        # Nothing is worth waiting for: a cache keeps nothing.
        "terminationGracePeriodSeconds": 5,
        "securityContext": {"runAsNonRoot": True, "runAsUser": USER, "seccompProfile": {"type": "RuntimeDefault"}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": cache.name,
            "namespace": cache.namespace,
            "labels": labels,
            "ownerReferences": [cache.owner()],
        },
        "spec": {
            "replicas": cache.size,
            # A paused Deployment would ignore every change.
            "paused": None,
            "selector": {"matchLabels": {LABEL: cache.name}},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def _container(port: int) -> Object:
    return {
        "name": "memcached",
        "image": image(),
        "command": ["memcached", "--memory-limit=64", f"--port={port}", "--extended=modern"],
        "ports": [{"name": "memcached", "containerPort": port, "protocol": "TCP"}],
        "readinessProbe": {"tcpSocket": {"port": "memcached"}, "periodSeconds": 2},
        "livenessProbe": {"tcpSocket": {"port": "memcached"}, "initialDelaySeconds": 10},
        "resources": {"requests": {"cpu": "10m", "memory": "80Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
