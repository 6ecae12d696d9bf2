"""Schemas of the sandbox: checking CRDs, the built-in kinds, and the OpenAPI documents; objects are structural's
(see there).

The rest of the sandbox sees only what is named here. Everything is pure: no store, no clock, no network.
"""

from __future__ import annotations

from structural.causes import FieldCause
from structural.prepare import Malformed, prepare, prune_unknown
from structural.validate import validate

from .builtin import body_fault, builtin
from .crds import check_crd
from .openapi import document_path, openapi_hash, openapi_index, openapi_v2, openapi_v3

__all__ = [
    "FieldCause",
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
