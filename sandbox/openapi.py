"""/openapi/v3 and /openapi/v2: documents made by sandbox.schema when asked for, the last few kept as bytes.

A group version's document is made off the event loop from the CRDs of that group alone. What a CRD's specification
hashes to is kept by the CRD's version, so that the index reads only CRDs that changed since.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import msgspec

from .errors import NotAcceptable, NotFound
from .http import Request, Response
from .objects import decode, dig
from .resources import Registry, Resource
from .schemas import CRDS, schema
from .store import Store

#: Encoded documents that are kept, in bytes; the largest, the core group's, is about 1 MB.
KEPT_BYTES = 3 * 1024 * 1024
_PROTOBUF = "proto-openapi"


class _Spec(msgspec.Struct):
    """A CRD of which only the text of the specification is decoded."""

    spec: msgspec.Raw


class OpenApi:
    """Answers for one store."""

    def __init__(self, store: Store, registry: Registry):
        self._store = store
        self._registry = registry
        self._made: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        self._specs: dict[str, tuple[int, str]] = {}
        self._hashes: tuple[tuple[int, int], dict[str, str]] = ((-1, -1), {})

    async def respond(self, request: Request, parts: list[str]) -> Response:
        """``parts``: the path, beginning with openapi. NotFound for documents that are not there."""
        path = "/".join(parts[1:])
        if schema is None or path.split("/")[0] not in ("v2", "v3"):
            raise NotFound
        accept = request.headers.get("accept", "")
        if _PROTOBUF in accept and "json" not in accept and "*/*" not in accept:
            raise NotAcceptable("only JSON is served here: send Accept: application/json")
        if path == "v3":
            return self._tagged(request, msgspec.json.encode(schema.openapi_index(self._all())))
        if path == "v2":
            return self._tagged(request, await self._off_loop(schema.openapi_v2, self._registry.all()))
        return await self._document(request, path.removeprefix("v3/"))

    async def _document(self, request: Request, path: str) -> Response:
        tag = self._all().get(path)
        if tag is None:
            return Response(b"", 404, "")
        asked = request.arg("hash")
        if asked and asked != tag:
            # As the real server: clients cache addresses with a hash forever, so an old one must not return new
            # content.
            return Response(b"", 301, headers={"location": f"/openapi/v3/{path}?hash={tag}"})
        headers = {"etag": f'"{tag}"', "vary": "Accept"}
        if asked:
            headers["cache-control"] = "public, immutable"
        if request.headers.get("if-none-match", "").strip('"') == tag:
            return Response(b"", 304, headers=headers)
        return Response(await self._body(path, tag), headers=headers)

    @staticmethod
    def _tagged(request: Request, body: bytes) -> Response:
        tag = hashlib.sha512(body).hexdigest().upper()
        headers = {"etag": f'"{tag}"', "vary": "Accept", "cache-control": "no-cache, private"}
        if request.headers.get("if-none-match", "").strip('"') == tag:
            return Response(b"", 304, headers=headers)
        return Response(body, headers=headers)

    def _all(self) -> dict[str, str]:
        """The hash of every document, by path."""
        state = (self._registry.generation, self._store.changed(CRDS))
        if self._hashes[0] != state:
            served: dict[str, list[Resource]] = {}
            for resource in self._registry.all():
                served.setdefault(schema.document_path(resource), []).append(resource)
            hashes = {path: schema.openapi_hash(found, self._spec_hash) for path, found in served.items()}
            self._hashes = (state, hashes)
        return self._hashes[1]

    def _spec_hash(self, resource: Resource) -> str:
        entry = self._store.get(CRDS, "", resource.custom)
        if entry is None:
            return ""
        version, found = self._specs.get(resource.custom, (-1, ""))
        if version != entry.version:
            spec = msgspec.json.decode(entry.data, type=_Spec).spec
            found = hashlib.sha256(spec).hexdigest()
            self._specs[resource.custom] = (entry.version, found)
        return found

    async def _body(self, path: str, tag: str) -> bytes:
        made = self._made.get(path)
        if made is not None and made[0] == tag:
            self._made.move_to_end(path)
            return made[1]
        resources = [found for found in self._registry.all() if schema.document_path(found) == path]
        body = await self._off_loop(schema.openapi_v3, resources)
        self._made[path] = (tag, body)
        self._made.move_to_end(path)
        while len(self._made) > 1 and sum(len(made) for _, made in self._made.values()) > KEPT_BYTES:
            self._made.popitem(last=False)
        return body

    async def _off_loop(self, make: Any, resources: Iterable[Resource]) -> bytes:
        """Decoding, changing and encoding a large CRD takes 50 ms and more; others are answered meanwhile."""
        served = list(resources)
        entries = {found.custom: self._store.get(CRDS, "", found.custom) for found in served if found.custom}

        def schema_of(resource: Resource) -> dict[str, Any] | None:
            entry = entries.get(resource.custom)
            versions = dig(decode(entry.data), "spec", "versions") if entry is not None else None
            item: dict[str, Any] = next(
                (version for version in versions or () if version["name"] == resource.version), {}
            )
            found: dict[str, Any] | None = dig(item, "schema", "openAPIV3Schema")
            return found

        return await asyncio.to_thread(lambda: msgspec.json.encode(make(served, schema_of)))
