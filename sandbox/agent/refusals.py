"""Converts an API server's error responses into the errors that the sandbox's own verbs raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from .. import errors
from ..errors import ApiError

_BY_REASON: dict[str, type[ApiError]] = {
    kind.reason: kind
    for kind in (
        errors.BadRequest,
        errors.Unauthorized,
        errors.Forbidden,
        errors.NotFound,
        errors.MethodNotAllowed,
        errors.NotAcceptable,
        errors.AlreadyExists,
        errors.Conflict,
        errors.Gone,
        errors.UnsupportedMediaType,
        errors.Invalid,
        errors.TooManyRequests,
        errors.InternalError,
        errors.ServiceUnavailable,
    )
}
_BY_CODE = {kind.code: kind for kind in reversed(_BY_REASON.values())}


def refusal(code: int, body: bytes) -> ApiError:
    """The error of an answer: by its Status's reason, by the code when there is no Status."""
    try:
        status = msgspec.json.decode(body)
    except msgspec.DecodeError:
        status = None
    if not isinstance(status, Mapping) or status.get("kind") != "Status":
        return _made(_BY_CODE.get(code, ApiError), code, body.decode("utf-8", "replace").strip() or f"HTTP {code}", {})
    return of_status(status, code)


def of_status(status: Mapping[str, Any], code: int = 500) -> ApiError:
    """The error of a Status."""
    code = int(status.get("code") or code)
    kind = _BY_REASON.get(str(status.get("reason") or "")) or _BY_CODE.get(code, ApiError)
    return _made(kind, code, str(status.get("message") or f"HTTP {code}"), dict(status.get("details") or {}))


def unreachable(problem: Exception) -> ApiError:
    """No answer at all."""
    return errors.ServiceUnavailable(f"the API server does not answer: {problem}")


def _made(kind: type[ApiError], code: int, message: str, details: dict[str, Any]) -> ApiError:
    """The kinds build their messages from parts; this message came whole."""
    error = kind.__new__(kind)
    ApiError.__init__(error, message, details)
    error.code = code
    return error
