"""One keep-alive connection to the API server, for requests that take a few milliseconds and are waited for."""

from __future__ import annotations

import contextlib
import http.client
from typing import Any

import msgspec

from ..errors import ApiError
from .access import ServerAccess
from .refusals import refusal, unreachable

#: An API server that takes longer is in trouble; everything here waits meanwhile.
SECONDS = 10.0
_AGENT = "operator-console-node"


class Connection:
    """Opened by the first request, and again when the server has closed it."""

    def __init__(self, access: ServerAccess):
        self._access = access
        self._open: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """The answer's JSON; ApiError."""
        data = None if body is None else msgspec.json.encode(body)
        headers = {**self._access.headers, "Accept": "application/json", "User-Agent": _AGENT}
        if data is not None:
            headers["Content-Type"] = content_type
        fresh = self._open is None
        try:
            code, answer = self._exchange(method, path, data, headers)
        except (OSError, http.client.HTTPException) as problem:
            self.close()
            if fresh or isinstance(problem, TimeoutError):
                raise unreachable(problem) from problem
            # The server closes connections that were silent for long: that is seen only now.
            code, answer = self._again(method, path, data, headers)
        if code >= 400:
            raise refusal(code, answer)
        return _decoded(answer)

    def _again(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        try:
            return self._exchange(method, path, data, headers)
        except (OSError, http.client.HTTPException) as problem:
            self.close()
            raise unreachable(problem) from problem

    def _exchange(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._open is None:
            self._open = self._connection()
        self._open.request(method, path, data, headers)
        answer = self._open.getresponse()
        return answer.status, answer.read()

    def _connection(self) -> http.client.HTTPConnection:
        access = self._access
        if access.tls is None:
            return http.client.HTTPConnection(access.host, access.port, timeout=SECONDS)
        return http.client.HTTPSConnection(access.host, access.port, timeout=SECONDS, context=access.tls)

    def close(self) -> None:
        """The next request opens another."""
        if self._open is not None:
            with contextlib.suppress(OSError):
                self._open.close()
            self._open = None


def _decoded(answer: bytes) -> Any:
    try:
        return msgspec.json.decode(answer) if answer else {}
    except msgspec.DecodeError as problem:
        raise ApiError(f"the API server's answer is no JSON: {problem}") from problem
