"""What one cluster serves, cached: its resource types and the schemas of their kinds.

Types come from discovery, cached for seconds and then revalidated by ETag (a 304 is cheap). A missing type is looked up
again after half a second. A served one is cached for ten seconds, or until a request to it is answered with 404
(ClusterClient), whichever comes first.

Schemas come from /openapi/v3, which has one document for each group and version, at an address with the document's
hash. A document is read as raw parts; only the wanted kind and what it refers to are decoded: argoproj.io has 1 MB, and
one form needs a part of it. A real API server publishes a new CustomResourceDefinition's schema a second or two after
it serves the kind; until then the schema is read from the definition itself.
"""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from cachetools import LRUCache

from kube import answers
from kube.discovery import ACCEPT, Discovery, ResourceType, aggregated, group_versions, resource_list
from kube.errors import (
    Forbidden,
    InvalidAnswer,
    KubeError,
    NotFound,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from kube.requests import ApiRequest
from kube.transport import Answer

_KEEP_SECONDS = 10.0
# A missing type is looked up again, since its CRD can be new, but not more often than this.
_RETRY_SECONDS = 0.5
# How long discovery is used while the server doesn't answer.
_STALE_SECONDS = 300.0
# How long after a failure no new request is sent.
_FAILED_SECONDS = 5.0

Send = Callable[[ApiRequest], Answer]


@dataclass(slots=True)
class _Part:
    """The last answer of /api or /apis."""

    etag: str
    discovery: Discovery


class TypeCatalog:
    """Safe across threads: one sends the request, the others wait for its result, with one timeout for all."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._parts: dict[str, _Part] = {}
        self._halves: tuple[Discovery, ...] = ()
        self._found = Discovery(())
        self._asked = float("-inf")
        self._failed: tuple[float, KubeError] | None = None

    def current(self, max_age: float = _KEEP_SECONDS) -> Discovery:
        """What is served, at most `max_age` seconds old. Raises KubeError when the server does not answer at all.

        While a server is asked again that takes its time, or does not answer, what it said last counts for a while:
        no page fails or waits for discovery alone.
        """
        came = time.monotonic()
        usable = max_age >= _KEEP_SECONDS and came - self._asked < _STALE_SECONDS
        failed = self._failed is not None and came - self._failed[0] < _FAILED_SECONDS
        if (usable and failed) or not self._lock.acquire(blocking=not usable):
            return self._found
        try:
            return self._current(came, max_age)
        except (Unreachable, ServerError, TooManyRequests):
            if usable:
                return self._found
            raise
        finally:
            self._lock.release()

    def _current(self, came: float, max_age: float) -> Discovery:
        if self._failed is not None and self._failed[0] > came:
            # Asked and not answered while this one waited: a queue of such questions would take minutes.
            raise self._failed[1]
        if came - self._asked > max_age:
            try:
                self._ask()
            except KubeError as error:
                self._failed = (time.monotonic(), error)
                raise
        return self._found

    def _ask(self) -> None:
        # Its answer is as old as the question: on a busy machine it may lie about for seconds before it is read.
        asked = time.monotonic()
        halves = (self._part("/api"), self._part("/apis"))
        if halves != self._halves:
            self._halves = halves
            self._found = Discovery(
                tuple(type_ for half in halves for type_ in half.types),
                tuple(error for half in halves for error in half.errors),
            )
        self._asked, self._failed = asked, None

    def forget(self) -> None:
        """After a CRD was made or deleted here."""
        self._asked = min(self._asked, time.monotonic() - _KEEP_SECONDS)

    def find(self, group: str, version: str, plural: str) -> ResourceType:
        """Raises NotFound. `group` 'core' is the empty group; `version` '' is the preferred one."""
        group = "" if group == "core" else group
        for max_age in (_KEEP_SECONDS, _RETRY_SECONDS):
            for type_ in self.current(max_age).by_plural.get((group, plural), ()):
                if version in ("", type_.version):
                    return type_
        raise self._missing(group, version, f"resource {plural!r}")

    def find_kind(self, group: str, kind: str, version: str = "") -> ResourceType:
        """The same by kind, as objects name their type."""
        group = "" if group == "core" else group
        for max_age in (_KEEP_SECONDS, _RETRY_SECONDS):
            for type_ in self.current(max_age).by_kind.get((group, kind), ()):
                if version in ("", type_.version):
                    return type_
        raise self._missing(group, version, f"kind {kind!r}")

    def _missing(self, group: str, version: str, what: str) -> NotFound:
        place = f"{group or 'core'}/{version}" if version else group or "core"
        failed = "; ".join(error for error in self._found.errors if group and error.startswith(f"{group}/"))
        reason = (
            f" ({failed})" if failed else ": its CustomResourceDefinition may not be installed, or have another version"
        )
        return NotFound(f"the cluster serves no {what} in {place}{reason}", object_ref=f"{what} in {place}")

    def _part(self, path: str) -> Discovery:
        cached = self._parts.get(path)
        headers = (("If-None-Match", cached.etag),) if cached and cached.etag else ()
        answer = self._send(
            ApiRequest(method="GET", path=path, accept=ACCEPT, ref="the list of served types", headers=headers)
        )
        if answer.status == 304 and cached:
            return cached.discovery
        document = answers.document(answer.body, "the list of served types")
        found = aggregated(document) or self._one_by_one(path, document)
        self._parts[path] = _Part(answer.headers.get("etag", ""), found)
        return found

    def _one_by_one(self, path: str, document: dict[str, Any]) -> Discovery:
        pairs = [("", str(version)) for version in document.get("versions") or ()] or group_versions(document)
        types: list[ResourceType] = []
        errors: list[str] = []
        for group, version in pairs:
            address = f"{path}/{group}/{version}" if group else f"{path}/{version}"
            try:
                answer = self._send(
                    ApiRequest(method="GET", path=address, ref=f"the types of {group or 'core'}/{version}")
                )
                found = answers.document(answer.body)
            except InvalidAnswer as error:
                errors.append(f"{group}/{version}: {error}")
                continue
            except (Unreachable, Unauthorized):
                raise
            except KubeError as error:
                errors.append(f"{group}/{version}: {error}")
                continue
            types += resource_list(group, version, found)
        return Discovery(tuple(types), tuple(errors))


_REF = re.compile(rb'"\$ref":\s*"#/components/schemas/([^"]+)"')
_GVK = "x-kubernetes-group-version-kind"
_MAX_SCHEMAS = 12
_SCHEMA_ATTEMPTS = 3
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
        self._kept: LRUCache[tuple[str, str], dict[str, Any] | None] = LRUCache(_MAX_SCHEMAS)
        # (when it was asked for, what it said): one value, so that threads need no lock for it.
        self._index: tuple[float, dict[str, _Address]] = (float("-inf"), {})

    def forget(self) -> None:
        """Ask for the index at the next use: a CRD was made, changed or deleted here."""
        self._index = (float("-inf"), {})

    def schema(self, type_: ResourceType) -> dict[str, Any] | None:
        """The schema with `components.schemas` of what it refers to, or None. Raises KubeError but NotFound.

        Where the server can't publish it (a large OpenAPI document takes it too long, a group's server is down), the
        definition of a custom kind has it all the same.
        """
        try:
            return self._published(type_) or self._defined(type_)
        except KubeError as error:
            if error.is_partial and (found := self._defined(type_)) is not None:
                return found
            raise

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
        for _attempt in range(_SCHEMA_ATTEMPTS):
            address = self._address(type_)
            if not address:
                return None
            key = (address, type_.kind)
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
            path, _, query = address.partition("?")
            pairs = tuple(tuple(pair.split("=", 1)) for pair in query.split("&") if "=" in pair)
            answer = self._send(ApiRequest(method="GET", path=path, query=pairs, ref=f"the schema of {type_.kind}"))  # type: ignore[arg-type]
            if answer.status == 301:
                self.forget()
                continue  # the document changed since the index was read, and has another address now
            found = pick_schema(answer.body, type_)
            with self._lock:
                self._kept[key] = found
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


def pick_schema(document: bytes, type_: ResourceType) -> dict[str, Any] | None:
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
