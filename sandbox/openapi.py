"""/openapi/v3 and /openapi/v2: documents made by sandbox.schema, with ETags."""

from __future__ import annotations

from .errors import NotFound
from .http import Request, Response
from .store import Store


def answer(request: Request, parts: list[str], store: Store) -> Response:
    """NotFound until sandbox.schema serves documents."""
    raise NotFound
