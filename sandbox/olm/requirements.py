"""The status of each requirement of a CSV: its kinds, its accounts, a recent enough Kubernetes.

Source of the sentences: operator-lifecycle-manager, pkg/controller/operators/olm/requirements.go.
"""

from __future__ import annotations

from typing import Any

from ..catalog.versions import Version
from ..cluster import Cluster
from ..errors import NotFound
from ..rbac import Authorizer
from .names import CRDS
from .rights import permission_statuses

Object = dict[str, Any]

KUBERNETES = "1.36.3"


def requirement_status(cluster: Cluster, csv: Object, authorizer: Authorizer) -> tuple[bool, list[Object]]:
    """(all met, one status for each requirement)."""
    found = [*_kubernetes(csv), *_kinds(cluster, csv), *_native(cluster, csv)]
    found += permission_statuses(cluster, csv, authorizer)
    return all(item["status"] in ("Present", "DeploymentFound") for item in found), found


def _status(group: str, version: str, kind: str, name: str, status: str, message: str = "", **rest: Any) -> Object:
    return {
        "group": group,
        "version": version,
        "kind": kind,
        "name": name,
        "status": status,
        "message": message,
        **rest,
    }


def _kubernetes(csv: Object) -> list[Object]:
    least = str((csv.get("spec") or {}).get("minKubeVersion") or "")
    if not least:
        return []
    name = csv["metadata"]["name"]
    about = ("operators.coreos.com", "v1alpha1", "ClusterServiceVersion", name)
    if Version(least).unreadable:
        return [_status(*about, "PresentNotSatisfied", "CSV version parsing error")]
    if Version(least) > Version(KUBERNETES):
        message = f"CSV version requirement not met: minKubeVersion ({least}) > server version ({KUBERNETES})"
        return [_status(*about, "PresentNotSatisfied", message)]
    return [_status(*about, "Present", f"CSV minKubeVersion ({least}) less than server version (v{KUBERNETES})")]


def _kinds(cluster: Cluster, csv: Object) -> list[Object]:
    """Each CRD once, whatever the number of its versions that the CSV names: GetAllCRDDescriptions of
    clusterserviceversion.go (operator-framework/api).
    """
    described = (csv.get("spec") or {}).get("customresourcedefinitions") or {}
    by_name = {crd["name"]: crd for key in ("required", "owned") for crd in described.get(key) or []}
    return [_kind(cluster, by_name[name]) for name in sorted(by_name)]


def _kind(cluster: Cluster, crd: Object) -> Object:
    about = ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", crd["name"])
    try:
        found = cluster.outline(CRDS, served_versions, crd["name"])
    except NotFound:
        return _status(*about, "NotPresent", "CRD is not present")
    if crd.get("version") not in found["served"]:
        return _status(*about, "NotPresent", "CRD version not served")
    if not found["established"]:
        return _status(
            *about, "PresentNotAvailable", "CRD is present but the Established condition is False (not available)"
        )
    return _status(*about, "Present", "CRD is present and Established condition is true", uuid=found["uid"])


def served_versions(crd: Object) -> Object:
    """A CRD's served versions, and whether it is established; an outline (sandbox/outlines.py)."""
    conditions = {
        condition["type"]: condition["status"] for condition in (crd.get("status") or {}).get("conditions") or []
    }
    return {
        "uid": crd["metadata"]["uid"],
        "served": {version["name"] for version in crd["spec"]["versions"] if version["served"]},
        "established": conditions.get("Established") == "True",
    }


def _native(cluster: Cluster, csv: Object) -> list[Object]:
    found = []
    for api in (csv.get("spec") or {}).get("nativeAPIs") or []:
        group, version, kind = api.get("group", ""), api.get("version", ""), api.get("kind", "")
        served = cluster.resource_for(f"{group}/{version}" if group else version, kind)
        status, message = ("Present", "Native API exists") if served else ("NotPresent", "Native API does not exist")
        found.append(
            _status(group=group, version=version, kind=kind, name=f"{version}.{group}", status=status, message=message)
        )
    return found
