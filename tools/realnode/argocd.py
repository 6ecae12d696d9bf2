"""Argo CD in a node that has OLM: the images of its operator and of what the operator runs, and a catalog with its
bundle. The operator isn't installed: a person does that from OperatorHub.
"""

from __future__ import annotations

import os
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
    has_ui: bool

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
    """By a builder that has built the node's and OLM's images; BuildFailed, ImageFailed.

    ARGOCD_UI names a tar archive of a built web interface, the content of Argo CD's ui/dist/app.
    """
    programs = build_argocd(say)
    ui = Path(os.environ["ARGOCD_UI"]) if os.environ.get("ARGOCD_UI") else None
    if not ui:
        say("Argo CD gets no web interface, only its API: ARGOCD_UI names none")
    return ArgoCD(builder.build(argocd_images(programs, ui)), builder.build(argocd_catalog(programs)), ui is not None)
