"""Secrets of type service-account-token: each gets a token without expiry, and is deleted with its ServiceAccount."""

from __future__ import annotations

import base64

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from ..objects import Object

TYPE = "kubernetes.io/service-account-token"
_NAME = "kubernetes.io/service-account.name"
_UID = "kubernetes.io/service-account.uid"


async def run(cluster: Cluster, context: Context) -> None:
    """Checks each Secret, and all of a namespace when an account is created or deleted there."""
    async for event in cluster.watch("serviceaccounts", "secrets"):
        namespace = event.object["metadata"]["namespace"]
        if event.resource == "secrets":
            if event.type != "DELETED" and event.object.get("type") == TYPE:
                _reconcile(cluster, context, event.object)
        elif event.type in ("ADDED", "DELETED"):
            for secret in cluster.list("secrets", namespace):
                if secret.get("type") == TYPE:
                    _reconcile(cluster, context, secret)


def _reconcile(cluster: Cluster, context: Context, secret: Object) -> None:
    metadata = secret["metadata"]
    annotations = metadata.get("annotations") or {}
    namespace, name = metadata["namespace"], annotations.get(_NAME, "")
    try:
        account = cluster.get("serviceaccounts", name, namespace)
        if annotations.get(_UID) in (None, "", account["metadata"]["uid"]):
            _fill(cluster, context, secret, account["metadata"]["uid"])
            return
    except NotFound:
        pass
    try:
        cluster.delete("secrets", metadata["name"], namespace, uid=metadata["uid"])
    except ApiError:
        return


def _fill(cluster: Cluster, context: Context, secret: Object, uid: str) -> None:
    assert context.secret_token is not None
    metadata, data = secret["metadata"], secret.get("data") or {}
    if data.get("token") and data.get("namespace") and "ca.crt" in data:
        return
    authority = context.authority.read_bytes() if context.authority.exists() else b""
    namespace, account = metadata["namespace"], metadata["annotations"][_NAME]
    values = {
        "ca.crt": authority,
        "namespace": namespace.encode(),
        "token": context.secret_token(namespace, account, metadata["name"]).encode(),
    }
    change: Object = {
        "metadata": {"annotations": {_UID: uid}},
        "data": {key: base64.b64encode(value).decode() for key, value in values.items()},
    }
    try:
        cluster.as_manager("kube-controller-manager").patch("secrets", metadata["name"], change, namespace)
    except ApiError:
        return
