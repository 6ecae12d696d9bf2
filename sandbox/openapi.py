"""/openapi/v3 and /openapi/v2: documents made by sandbox.schema, kept as bytes until a CRD changes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from .errors import NotFound
from .http import Request, Response
from .objects import decode
from .schemas import CRDS, schema
from .store import Store

#: Documents that are kept encoded; the largest (Argo CD's group) is about 1 MB.
KEPT = 64


class OpenApi:
    """Answers for one store."""

    def __init__(self, store: Store):
        self._store = store
        self._made: dict[str, tuple[bytes, str]] = {}
        self._for = -1

    async def answer(self, request: Request, parts: list[str]) -> Response:
        """``parts``: the path, beginning with openapi. NotFound for documents that are not there."""
        state = self._store.changed(CRDS)
        if state != self._for:
            self._made.clear()
            self._for = state
        path = "/".join(parts[1:])
        body, tag = self._made.get(path) or await self._make(path)
        headers = {"etag": f'"{tag}"', "vary": "Accept"}
        if "hash" in request.query:
            headers["cache-control"] = "public, immutable"
        if request.headers.get("if-none-match", "").strip('"') == tag:
            return Response(b"", 304, headers=headers)
        return Response(body, headers=headers)

    async def _make(self, path: str) -> tuple[bytes, str]:
        make = self._maker(path)
        crds = [decode(entry.data) for entry in self._store.scan(CRDS)]
        document = await asyncio.to_thread(lambda: msgspec.json.encode(make(crds)))
        made = (document, hashlib.sha256(document).hexdigest().upper())
        if len(self._made) >= KEPT:
            self._made.clear()
        self._made[path] = made
        return made

    @staticmethod
    def _maker(path: str) -> Callable[[list[dict[str, Any]]], Any]:
        if schema is None or not (path in ("v3", "v2") or path.startswith("v3/")):
            raise NotFound

        def make(crds: list[dict[str, Any]]) -> Any:
            if path == "v3":
                return schema.openapi_index(crds)
            return schema.openapi_v2(crds) if path == "v2" else schema.openapi_v3(path.removeprefix("v3/"), crds)

        return make
