"""The API server's errors: each is a ``metav1.Status``.

One class for each reason a client can meet. The wording follows k8s.io/apimachinery/pkg/api/errors, because people
(and programs: kubectl, client-go, kopf) match on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from structural.causes import FieldCause


class ApiError(Exception):
    """A refusal. ``status()`` is its body, ``code`` its HTTP status."""

    code = 500
    reason = "InternalError"

    def __init__(self, message: str, details: dict[str, Any] | None = None, headers: dict[str, str] | None = None):
        super().__init__(message)
        self.message = message
        self.details = details
        self.headers = headers or {}

    def status(self) -> dict[str, Any]:
        """The Status object of the response."""
        body: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            body["reason"] = self.reason
        if self.details is not None:
            body["details"] = self.details
        body["code"] = self.code
        return body


def qualified(resource: str, group: str) -> str:
    """``deployments.apps``; ``pods`` for the core group."""
    return f"{resource}.{group}" if group else resource


def _details(name: str, group: str, kind: str) -> dict[str, Any]:
    details = {"name": name, "group": group, "kind": kind}
    return {key: value for key, value in details.items() if value}


class BadRequest(ApiError):
    code = 400
    reason = "BadRequest"


class Unauthorized(ApiError):
    code = 401
    reason = "Unauthorized"

    def __init__(self, message: str = "Unauthorized"):
        super().__init__(message)


class Forbidden(ApiError):
    """403. ``message`` is the whole sentence after the object: see :func:`forbidden`."""

    code = 403
    reason = "Forbidden"


class NotFound(ApiError):
    """404. ``resource`` is the plural, empty when the path itself is unknown."""

    code = 404
    reason = "NotFound"

    def __init__(self, resource: str = "", name: str = "", group: str = ""):
        if not resource:
            super().__init__("the server could not find the requested resource", {})
            return
        super().__init__(f'{qualified(resource, group)} "{name}" not found', _details(name, group, resource))


class MethodNotAllowed(ApiError):
    code = 405
    reason = "MethodNotAllowed"

    def __init__(self, message: str = "the server does not allow this method on the requested resource"):
        super().__init__(message, {})


def unsupported_verb(resource: Any, verb: str) -> MethodNotAllowed:
    """405; custom resources name themselves and the verb."""
    refusal = MethodNotAllowed()
    if resource.custom:
        refusal = MethodNotAllowed(f'{verb} is not supported on resources of kind "{resource.plural}.{resource.group}"')
        refusal.details = {"group": resource.group, "kind": resource.plural}
    return refusal


class NotAcceptable(ApiError):
    code = 406
    reason = "NotAcceptable"


class AlreadyExists(ApiError):
    code = 409
    reason = "AlreadyExists"

    def __init__(self, resource: str, name: str, group: str = "", generated: bool = False, leaving: bool = False):
        message, details = f'{qualified(resource, group)} "{name}" already exists', _details(name, group, resource)
        if leaving:
            message = f"object is being deleted: {message}"
        if not generated:
            super().__init__(message, details)
            return
        details["retryAfterSeconds"] = 1
        message += ", the server was not able to generate a unique name for the object"
        super().__init__(message, details, {"retry-after": "1"})


class Conflict(ApiError):
    """409: the object changed since it was read, or a precondition does not hold."""

    code = 409
    reason = "Conflict"

    def __init__(self, resource: str, name: str, group: str = "", why: str = ""):
        why = why or "the object has been modified; please apply your changes to the latest version and try again"
        super().__init__(
            f'Operation cannot be fulfilled on {qualified(resource, group)} "{name}": {why}',
            _details(name, group, resource),
        )


class ApplyConflict(ApiError):
    """409 of server-side apply: other managers own fields of this patch. One cause for each field."""

    code = 409
    reason = "Conflict"


class Gone(ApiError):
    """410: the version asked for is older than the history that is kept."""

    code = 410
    reason = "Expired"


class UnsupportedMediaType(ApiError):
    code = 415
    reason = "UnsupportedMediaType"


class Invalid(ApiError):
    """422 with a cause for each field. ``kind`` is qualified with the group: ``Deployment.apps``."""

    code = 422
    reason = "Invalid"

    def __init__(self, kind: str, name: str, causes: Iterable[tuple[str, str, str]], group: str = ""):
        self.causes = [FieldCause(*cause) for cause in causes]
        parts = list(dict.fromkeys(f"{cause.field}: {cause.message}" for cause in self.causes))
        text = parts[0] if len(parts) == 1 else "[" + ", ".join(parts) + "]"
        details = _details(name, group, kind)
        details["causes"] = [{"reason": c.reason, "message": c.message, "field": c.field} for c in self.causes]
        super().__init__(f'{qualified(kind, group)} "{name}" is invalid: {text}', details)


def unreadable_patch(patched: Any, why: str) -> Invalid:
    """422: what the patch makes of the object cannot be decoded. It names no kind, but repeats the whole object.

    ``patched`` is the object, or a text that stands for it.
    """
    text = patched if isinstance(patched, str) else json.dumps(patched, separators=(",", ":"), ensure_ascii=False)
    return Invalid("", "", [("patch", "FieldValueInvalid", f"Invalid value: {json.dumps(text)}: {why}")])


class TooManyRequests(ApiError):
    code = 429
    reason = "TooManyRequests"


class InternalError(ApiError):
    code = 500
    reason = "InternalError"

    def __init__(self, message: str):
        super().__init__(
            f"Internal error occurred: {message}",
            {"causes": [{"message": message}]},
        )


class Plain(ApiError):
    """500 without a reason: what the API server answers where it forgot to say better."""

    code = 500
    reason = ""


class ServiceUnavailable(ApiError):
    code = 503
    reason = "ServiceUnavailable"


def forbidden(resource: str, name: str, why: str, group: str = "") -> Forbidden:
    """403 about one object: ``pods "x" is forbidden: why``."""
    about = f'{qualified(resource, group)} "{name}"' if name else qualified(resource, group)
    return Forbidden(f"{about} is forbidden: {why}", _details(name, group, resource))
