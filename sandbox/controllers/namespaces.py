"""Namespaces: what each begins with, and their end: everything in it is deleted, then the Namespace lets go.

Conditions are worded as kubernetes/pkg/controller/namespace/deletion does: they show what a deletion waits for.
"""

from __future__ import annotations

from collections import Counter

from ..cluster import Cluster
from ..context import Context
from ..errors import AlreadyExists, ApiError, NotFound
from ..objects import Object, dig
from .conditions import with_condition
from .workqueue import Workqueue

ROOT_CA = "kube-root-ca.crt"
_WHY_ROOT_CA = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the"
    " internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes"
    " clusters."
)
#: Seconds between two passes over a namespace whose content is being deleted.
RETRY_SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0)
#: Pods are the last to be asked: what made them should have gone before.
_LATE = ("pods",)


class Namespaces:
    """One for a cluster."""

    def __init__(self, cluster: Cluster, context: Context):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._context = context
        self._attempts: Counter[str] = Counter()
        self.queue = Workqueue("namespace", self.reconcile)

    def reconcile(self, _: str, name: str) -> None:
        """One pass over a Namespace that is being deleted."""
        try:
            namespace = self._cluster.get("namespaces", name)
        except NotFound:
            self._attempts.pop(name, None)
            return
        if not namespace["metadata"].get("deletionTimestamp"):
            self._furnish(name)
        elif "kubernetes" in (dig(namespace, "spec", "finalizers") or []):
            self._empty(namespace)

    def _furnish(self, name: str) -> None:
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}}
        authority = self._context.authority
        data = {"ca.crt": authority.read_text(encoding="utf-8") if authority.exists() else ""}
        bundle = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": ROOT_CA,
                "namespace": name,
                "annotations": {"kubernetes.io/description": _WHY_ROOT_CA},
            },
            "data": data,
        }
        for resource, obj in (("serviceaccounts", account), ("configmaps", bundle)):
            if self._cluster.verbs.store.get(resource, name, str(dig(obj, "metadata", "name"))) is None:
                try:
                    self._cluster.create(resource, obj)
                except AlreadyExists:
                    continue
        present = self._cluster.get("configmaps", ROOT_CA, name)
        if present.get("data") != data:
            self._cluster.update("configmaps", {**present, "data": data})

    def _empty(self, namespace: Object) -> None:
        name = namespace["metadata"]["name"]
        remaining, failures = self._delete_content(name)
        if not remaining and not failures:
            self._attempts.pop(name, None)
            finalizers = [
                finalizer for finalizer in dig(namespace, "spec", "finalizers") or [] if finalizer != "kubernetes"
            ]
            namespace["spec"]["finalizers"] = finalizers
            self._cluster.update("namespaces", namespace, subresource="finalize")
            return
        self._write_conditions(namespace, remaining, failures)
        attempt = self._attempts[name]
        self._attempts[name] += 1
        self.queue.add_after(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)], "", name)

    def _delete_content(self, name: str) -> tuple[dict[str, list[Object]], list[str]]:
        """Deletes the content. Returns the objects that remain, by resource, and the failures."""
        remaining: dict[str, list[Object]] = {}
        failures: list[str] = []
        namespaced = [resource for resource in self._cluster.served() if resource.namespaced]
        for resource in sorted(namespaced, key=lambda served: served.key in _LATE):
            if "delete" not in resource.verbs or resource.shares:
                continue
            for entry in list(self._cluster.verbs.store.scan(resource.key, name)):
                if b'"deletionTimestamp"' not in entry.data:
                    try:
                        self._cluster.delete(resource.key, entry.name, name)
                    except NotFound:
                        continue
                    except ApiError as refused:
                        failures.append(str(refused))
            left = self._cluster.list(resource.key, name)
            if left:
                remaining[resource.key if resource.group else f"{resource.plural}."] = left
        return remaining, failures

    def _write_conditions(self, namespace: Object, remaining: dict[str, list[Object]], failures: list[str]) -> None:
        finalizers: Counter[str] = Counter()
        for objects in remaining.values():
            finalizers.update(f for obj in objects for f in obj["metadata"].get("finalizers") or [])
        content = ", ".join(
            f"{key} has {len(objects)} resource instances" for key, objects in sorted(remaining.items())
        )
        held = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(finalizers.items()))
        conditions = dig(namespace, "status", "conditions")
        for kind, bad, reason, message, good, fine in (
            (
                "NamespaceDeletionDiscoveryFailure",
                False,
                "",
                "",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
            (
                "NamespaceDeletionGroupVersionParsingFailure",
                False,
                "",
                "",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
            (
                "NamespaceDeletionContentFailure",
                bool(failures),
                "ContentDeletionFailed",
                "; ".join(failures)[:1000],
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
            (
                "NamespaceContentRemaining",
                bool(remaining),
                "SomeResourcesRemain",
                f"Some resources are remaining: {content}",
                "ContentRemoved",
                "All content successfully removed",
            ),
            (
                "NamespaceFinalizersRemaining",
                bool(finalizers),
                "SomeFinalizersRemain",
                f"Some content in the namespace has finalizers remaining: {held}",
                "ContentHasNoFinalizers",
                "All content-preserving finalizers finished",
            ),
        ):
            words = (reason, message) if bad else (good, fine)
            conditions = with_condition(conditions, kind, "True" if bad else "False", *words)
        if conditions != dig(namespace, "status", "conditions"):
            change = {"status": {"conditions": conditions}}
            self._cluster.patch("namespaces", namespace["metadata"]["name"], change, subresource="status")


async def run(cluster: Cluster, context: Context) -> None:
    """Watches Namespaces, and what each must always have."""
    namespaces = Namespaces(cluster, context)
    try:
        async for event in cluster.watch("namespaces", "serviceaccounts", "configmaps"):
            metadata = event.object["metadata"]
            if event.resource == "namespaces":
                namespaces.queue.add("", metadata["name"])
            elif metadata["name"] == ROOT_CA or (event.type == "DELETED" and metadata["name"] == "default"):
                namespaces.queue.add("", metadata["namespace"])
    finally:
        namespaces.queue.close()
