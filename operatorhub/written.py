"""Spec changes of objects whose status a controller updates every few seconds (OLM: CatalogSources)."""

import contextlib
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Conflict
from kube.objects import KubeObject

_TRIES = 5


def version_of(obj: KubeObject) -> str:
    """A version of the spec only. The resourceVersion changes with the status too."""
    return f"{obj['metadata'].get('uid')}/{obj['metadata'].get('generation')}"


def patch(
    client: ClusterClient,
    type_: ResourceType,
    name: str,
    namespace: str,
    change: dict[str, Any],
    version: str,
    *,
    dry_run: bool,
) -> KubeObject:
    """Merge `change` into the object.

    Raises Conflict if its spec differs from `version`; status changes in between don't count.
    """
    for _again in range(_TRIES):
        found = client.get(type_, name, namespace)
        if version_of(found) != version:
            break
        meta = {**change.get("metadata", {}), "resourceVersion": found["metadata"]["resourceVersion"]}
        with contextlib.suppress(Conflict):
            return client.patch(type_, name, {**change, "metadata": meta}, namespace, dry_run=dry_run)
    raise Conflict(_("“%(name)s” changed since this page was loaded.") % {"name": name})
