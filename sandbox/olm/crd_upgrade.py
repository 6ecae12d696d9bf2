"""OLM's check whether a CRD can replace the present one. Pure: nothing is written.

Every object that exists is held against the new schema of its version, without CEL and without Kubernetes' ratcheting;
and a version in which objects may be stored must stay. Source: operator-lifecycle-manager,
pkg/controller/operators/catalog/{step,operator}.go and pkg/lib/crd/storage.go.
"""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..objects import dig
from ..schema import FieldCause, validate

Object = dict[str, Any]


def refusal(cluster: Cluster, present: Object, new: Object) -> str:
    """Why OLM does not update ``present`` to ``new``, in its words; empty when it does."""
    name = new["metadata"]["name"]
    webhook = dig(new, "spec", "conversion", "strategy") == "Webhook"
    if not webhook and (found := _too_restrictive(cluster, present, new)):
        return f'error validating existing CRs against new CRD\'s schema for "{name}": {found}'
    offered = {version["name"] for version in dig(new, "spec", "versions") or []}
    for stored in dig(present, "status", "storedVersions") or []:
        if stored not in offered:
            why = f"new CRD removes version {stored} that is listed as a stored version on the existing CRD"
            return f'risk of data loss updating "{name}": {why}'
    return ""


def _too_restrictive(cluster: Cluster, present: Object, new: Object) -> str:
    served = {version["name"] for version in dig(present, "spec", "versions") or [] if version.get("served")}
    group, kind = new["spec"]["group"], new["spec"]["names"]["kind"]
    for version in new["spec"]["versions"]:
        api_version, schema = f"{group}/{version['name']}", dig(version, "schema", "openAPIV3Schema")
        resource = cluster.resource_for(api_version, kind)
        if version["name"] not in served or not version.get("served") or not schema or resource is None:
            continue
        for obj in cluster.list(resource.key):
            causes = validate(schema, {**obj, "apiVersion": api_version}, None, rules=False)
            if causes:
                meta = obj["metadata"]
                where = f"{meta['namespace']}/{meta['name']}" if meta.get("namespace") else meta["name"]
                about = f'error validating {api_version}, Kind={kind} "{where}"'
                return f"{about}: updated validation is too restrictive: {_aggregate(causes)}"
    return ""


def _aggregate(causes: list[FieldCause]) -> str:
    """As Go's errors.Aggregate: one alone, several in brackets. OLM begins each path with an empty name."""
    texts = list(dict.fromkeys(f"[].{cause.field}: {cause.message}" for cause in causes))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
