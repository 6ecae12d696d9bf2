"""Argo CD in a node that has OLM: the images of its operator and of what the operator runs, and a catalog with its
bundle. The operator isn't installed: a person does that from OperatorHub.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .images import ARGOCD_DIGESTS, Builder, argocd_catalog, argocd_images
from .node import RealNode
from .olm import PACKAGES
from .programs import build_argocd

_CATALOG = Path(__file__).resolve().parent / "manifests" / "argocd" / "catalog.yaml"
_READY_SECONDS = 600


@dataclass(frozen=True, slots=True)
class ArgoCD:
    """``operands`` are imported, since they are named by digest; ``catalog`` is pulled from the node's registry."""

    operands: dict[str, Path]
    catalog: dict[str, Path]

    def apply(self, node: RealNode) -> float:
        """Seconds until OLM lists the package; PartFailed."""
        started = time.monotonic()
        node.take(self.operands)
        for name, digest in ARGOCD_DIGESTS.items():
            node.tag(name, f"{name.rpartition(':')[0]}@sha256:{digest}")
        node.push(self.catalog)
        node.kubectl("apply", "--server-side", "-f", str(_CATALOG))
        node.until("Argo CD's package", lambda: node.layout.answers(f"{PACKAGES}/argocd-operator"), _READY_SECONDS)
        return time.monotonic() - started


def build(builder: Builder, say: Callable[[str], None]) -> ArgoCD:
    """By a builder that has built the node's and OLM's images; BuildFailed, ImageFailed."""
    programs = build_argocd(say)
    return ArgoCD(builder.build(argocd_images(programs)), builder.build(argocd_catalog(programs)))
