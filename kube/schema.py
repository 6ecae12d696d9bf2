"""The schema of a kind, from /openapi/v3: one document for each group and version, under an address that holds its
hash.

The document is read as raw parts and only the wanted kind and what it refers to is decoded: argoproj.io is 1 MB, one
form needs a part. A real API server publishes a new CustomResourceDefinition's schema a second or two after it serves
the kind; until then the definition itself is read.
"""

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import msgspec

from kube import answers
from kube.discovery import ResourceType
from kube.errors import Forbidden, NotFound
from kube.requests import ApiRequest
from kube.transport import Answer

_REF = re.compile(rb'"\$ref":\s*"#/components/schemas/([^"]+)"')
_GVK = "x-kubernetes-group-version-kind"
_LIMIT = 12
_ATTEMPTS = 3
# One page asks for the schemas of several kinds, and of one kind in several places.
_INDEX_SECONDS = 1.0


class _Components(msgspec.Struct):
    schemas: dict[str, msgspec.Raw] = {}


class _Document(msgspec.Struct):
    components: _Components = msgspec.field(default_factory=_Components)


class _Address(msgspec.Struct, rename="camel"):
    server_relative_url: str = msgspec.field(name="serverRelativeURL", default="")


class _Index(msgspec.Struct):
    paths: dict[str, _Address] = {}


class _Validation(msgspec.Struct):
    document: dict[str, Any] | None = msgspec.field(name="openAPIV3Schema", default=None)


class _Version(msgspec.Struct):
    name: str
    schema: _Validation = msgspec.field(default_factory=_Validation)


class _Versions(msgspec.Struct):
    versions: list[_Version] = []


class _Definition(msgspec.Struct):
    spec: _Versions = msgspec.field(default_factory=_Versions)


class SchemaCache:
    """Kept by the document's hash: an unchanged CRD costs one small request for the index, and that one a second at
    most. Safe across threads.
    """

    def __init__(self, send: Callable[[ApiRequest], Answer]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], dict[str, Any] | None] = OrderedDict()
        # (when it was asked for, what it said): one value, so that threads need no lock for it.
        self._index: tuple[float, dict[str, _Address]] = (float("-inf"), {})

    def forget(self) -> None:
        """Ask for the index at the next use: a CRD was made, changed or deleted here."""
        self._index = (float("-inf"), {})

    def schema(self, type_: ResourceType) -> dict[str, Any] | None:
        """The schema with `components.schemas` of what it refers to, or None. Raises KubeError but NotFound."""
        return self._published(type_) or self._defined(type_)

    def _defined(self, type_: ResourceType) -> dict[str, Any] | None:
        """From the CustomResourceDefinition, if the user can read it. Not cached: the published schema follows soon."""
        if "." not in type_.group or type_.group.endswith(".k8s.io"):
            return None
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{type_.plural}.{type_.group}"
        try:
            answer = self._send(ApiRequest(method="GET", path=path, ref=f"the definition of {type_.kind}"))
        except (NotFound, Forbidden):
            return None
        versions = answers.decode_as(answer.body, _Definition).spec.versions
        return next((version.schema.document for version in versions if version.name == type_.version), None)

    def _published(self, type_: ResourceType) -> dict[str, Any] | None:
        for _attempt in range(_ATTEMPTS):
            address = self._address(type_)
            if not address:
                return None
            key = (address, type_.kind)
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
            path, _, query = address.partition("?")
            pairs = tuple(tuple(pair.split("=", 1)) for pair in query.split("&") if "=" in pair)
            answer = self._send(ApiRequest(method="GET", path=path, query=pairs, ref=f"the schema of {type_.kind}"))  # type: ignore[arg-type]
            if answer.status == 301:
                self.forget()
                continue  # the document changed since the index was read, and has another address now
            found = pick(answer.body, type_)
            with self._lock:
                self._kept[key] = found
                while len(self._kept) > _LIMIT:
                    self._kept.popitem(last=False)
            return found
        return None

    def _address(self, type_: ResourceType) -> str:
        began = time.monotonic()
        asked, index = self._index
        if began - asked > _INDEX_SECONDS:
            index = self._read_index()
            self._index = (began, index)
        key = f"apis/{type_.api_version}" if type_.group else f"api/{type_.version}"
        return index[key].server_relative_url if key in index else ""

    def _read_index(self) -> dict[str, _Address]:
        try:
            answer = self._send(ApiRequest(method="GET", path="/openapi/v3", ref="the index of schemas"))
        except NotFound:
            return {}
        return answers.decode_as(answer.body, _Index).paths


def pick(document: bytes, type_: ResourceType) -> dict[str, Any] | None:
    """The schema of `type_` in an OpenAPI v3 document, with everything it refers to, directly or not.

    A real API server answers with nothing at all for a second after the last definition of a group went.
    """
    if not document:
        return None
    schemas = answers.decode_as(document, _Document).components.schemas
    wanted = {"group": type_.group, "version": type_.version, "kind": type_.kind}
    # Most are named for their kind; the others are found by looking into all of them.
    for name in sorted(schemas, key=lambda name: name.rpartition(".")[2] != type_.kind):
        if _GVK.encode() not in bytes(schemas[name]):
            continue
        schema: dict[str, Any] = answers.decode(bytes(schemas[name]))
        if wanted in schema.get(_GVK, ()):
            return {**schema, "components": {"schemas": _referred(name, schemas)}}
    return None


def _referred(start: str, schemas: dict[str, msgspec.Raw]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    open_ = _refs(schemas[start])
    while open_:
        name = open_.pop()
        if name in found or name not in schemas:
            continue
        found[name] = answers.decode(bytes(schemas[name]))
        open_ |= _refs(schemas[name])
    return found


def _refs(raw: msgspec.Raw) -> set[str]:
    return {match.decode() for match in _REF.findall(bytes(raw))}
