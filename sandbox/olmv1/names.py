"""Names that the parts of OLM v1 share, and conditions as metav1.Condition has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..context import Context
from ..olm.names import now

Object = dict[str, Any]

GROUP = "olm.operatorframework.io"
API = f"{GROUP}/v1"
CATALOGS = f"clustercatalogs.{GROUP}"
EXTENSIONS = f"clusterextensions.{GROUP}"
CRDS = "customresourcedefinitions.apiextensions.k8s.io"
NAMESPACE = "olmv1-system"
SERVICE = "catalogd-service"
#: On ClusterCatalogs that stand for a folder.
FOLDER = "operator-console.dev/folder"
NAME_LABEL = f"{GROUP}/metadata.name"
OWNER_KIND, OWNER_NAME = f"{GROUP}/owner-kind", f"{GROUP}/owner-name"


def contents(context: Context, catalog: str) -> Path:
    """The file with the blobs of a catalog, one JSON object a line."""
    return context.data_dir / "olmv1" / f"{catalog}.jsonl"


def condition(old: list[Object], type_: str, status: str, reason: str, message: str, generation: int) -> list[Object]:
    """The conditions with this one set; its time moves only when its status does."""
    before = next((item for item in old if item["type"] == type_), None)
    changed = before is None or before["status"] != status
    made = {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": generation,
        "lastTransitionTime": now() if changed or before is None else before["lastTransitionTime"],
    }
    return [made if item is before else item for item in old] if before is not None else [*old, made]
