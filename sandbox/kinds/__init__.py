"""What kube-apiserver does for single built-in kinds: defaults, immutable fields, validation.

A :class:`Strategy` is looked up by resource key. Everything is optional; kinds without an entry are stored as they come
(after the schema's checks).
"""

from __future__ import annotations

from . import core, pods, rbac, services, storage, workloads
from .strategy import NONE, Strategy

STRATEGIES: dict[str, Strategy] = {
    **core.STRATEGIES,
    **services.STRATEGIES,
    **storage.STRATEGIES,
    **pods.STRATEGIES,
    **workloads.STRATEGIES,
    **rbac.STRATEGIES,
}


def strategy(key: str) -> Strategy:
    """The rules of ``pods``, ``deployments.apps``, …"""
    return STRATEGIES.get(key, NONE)


def register(key: str, rules: Strategy) -> None:
    """Adds rules that live elsewhere (crds.py)."""
    STRATEGIES[key] = rules
