"""metadata.managedFields of ordinary writes: who changed which field last."""

from __future__ import annotations

from .objects import Object
from .resources import Resource


def track(resource: Resource, old: Object | None, obj: Object, manager: str, subresource: str) -> None:
    """Gives the fields that changed between ``old`` and ``obj`` to ``manager``."""
