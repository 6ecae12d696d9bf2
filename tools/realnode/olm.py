"""OLM v0 in a node, from its own manifests and from images that containerd pulls: its operators, the package server,
and the catalog of manifests/olm.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

from .images import OLM
from .node import RealNode

_CATALOG = Path(__file__).resolve().parent / "manifests" / "olm" / "catalog.yaml"
PACKAGES = "/apis/packages.operators.coreos.com/v1/namespaces/olm/packagemanifests"
_READY_SECONDS = 600


def apply(node: RealNode) -> float:
    """Seconds until OLM, whose images have been pushed, lists the catalog's packages; PartFailed."""
    started = time.monotonic()
    # Those of the quickstart are older than the programs.
    crds = str(node.programs.folders["olm"] / "crds")
    node.kubectl("apply", "--server-side", "-f", crds)
    node.kubectl("wait", "--for=condition=Established", "-f", crds)
    (olm,) = node.programs.data("olm-tools", "manifests")
    path = node.layout.data / "olm.yaml"
    path.write_text(adapted(olm.read_text(encoding="utf-8")), encoding="utf-8")
    node.kubectl("apply", "--server-side", "-f", str(path), "-f", str(_CATALOG))
    limit = f"--timeout={_READY_SECONDS}s"
    for name in ("olm-operator", "catalog-operator"):
        node.kubectl("-n", "olm", "rollout", "status", f"deployment/{name}", limit, seconds=_READY_SECONDS + 30)
    node.until("OLM's packages", lambda: node.layout.answers(f"{PACKAGES}/sampledb"), _READY_SECONDS)
    return time.monotonic() - started


def adapted(manifests: str) -> str:
    """OLM's manifests with our image, and without the catalog of operatorhub.io, which can't be reached.

    They are older than the programs, which take long flags with two dashes only.
    """
    manifests = re.sub(r"quay\.io/operator-framework/olm@sha256:\w+", OLM, manifests)
    manifests = re.sub(r"(- '?)-(?=\w\w)", r"\1--", manifests)
    return "---\n".join(part for part in manifests.split("---\n") if "kind: CatalogSource" not in part)
