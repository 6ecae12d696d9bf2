"""Discovery of one cluster, cached for seconds and then revalidated by ETag (a 304 is cheap).

A missing type is looked up again after half a second. A served one is cached for ten seconds, or until a request to it
is answered with 404 (ClusterClient), whichever comes first.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kube import answers
from kube.discovery import ACCEPT, Discovery, ResourceType, aggregated, group_versions, resource_list
from kube.errors import InvalidAnswer, KubeError, NotFound, ServerError, TooManyRequests, Unauthorized, Unreachable
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
