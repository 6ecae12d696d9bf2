"""Schemas of the sandbox: preparing and checking objects, checking CRDs, and the OpenAPI documents.

The rest of the sandbox sees only what is named here. Everything is pure: no store, no clock, no network.
"""

from __future__ import annotations

from ..errors import Cause
from .builtin import builtin
from .crds import check_crd
from .gotypes import body_fault
from .openapi import document_path, openapi_hash, openapi_index, openapi_v2, openapi_v3
from .prepare import Malformed, prepare, prune_unknown
from .validate import validate

__all__ = [
    "Cause",
    "Malformed",
    "body_fault",
    "builtin",
    "check_crd",
    "document_path",
    "openapi_hash",
    "openapi_index",
    "openapi_v2",
    "openapi_v3",
    "prepare",
    "prune_unknown",
    "validate",
]
