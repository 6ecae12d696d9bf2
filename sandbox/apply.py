"""Server-side apply: merge by ownership."""

from __future__ import annotations

from typing import Any

from .objects import Object
from .patching import merge_patch
from .resources import Resource


def server_side_apply(
    resource: Resource,
    old: Object | None,
    applied: Object,
    manager: str,
    force: bool,
    schema: dict[str, Any] | None,
    subresource: str = "",
) -> Object:
    """Placeholder until managed fields are there."""
    merged: Object = merge_patch(old or {}, applied)
    return merged
