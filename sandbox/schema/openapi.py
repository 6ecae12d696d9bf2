"""OpenAPI documents (stub; S2 writes it)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def openapi_index(crds: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {"paths": {}}


def openapi_v3(path: str, crds: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {}


def openapi_v2(crds: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {}
