"""What the API server (or the way to it) may answer instead of an object.

One class per reason that callers treat differently. The text is for people: what happened, to which object; the API
server's own words are kept, and `causes` name the fields. Bodies that are not a Status are dropped, lest they leak a
proxy's page to a user.
"""

from typing import Any, NamedTuple

from kube.objects import mapping
from untrusted import json_bounds


class StatusCause(NamedTuple):
    """One of `details.causes`: `field` as the API server writes it (spec.items[0].name), `reason` e.g.
    FieldValueInvalid.
    """

    field: str
    reason: str
    message: str


class KubeError(Exception):
    """`code`: the HTTP status, 0 when there was no answer.

    `reason`: of metav1.Status. `retry_after`: seconds, 0 if unknown.
    """

    code = 0
    reason = "Unknown"

    #: A part of the API failed: the cluster answers, and accepts the credentials.
    is_partial = True

    def __init__(
        self,
        message: str,
        *,
        code: int = 0,
        reason: str = "",
        object_ref: str = "",
        causes: tuple[StatusCause, ...] = (),
        retry_after: float = 0,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.reason = reason or type(self).reason
        self.object_ref = object_ref
        self.causes = causes
        self.retry_after = retry_after


class InvalidConfig(KubeError):
    """The kubeconfig can't be read or has no usable cluster; the text names the file and the place."""

    reason = "InvalidConfig"
    is_partial = False


class PluginFailed(InvalidConfig):
    """The kubeconfig's credential plugin gave no credentials; the text names the plugin and the reason."""

    reason = "PluginFailed"


class Unreachable(KubeError):
    """No answer: refused, timed out, broken TLS. The text names the server."""

    reason = "Unreachable"
    is_partial = False


class InvalidAnswer(Unreachable):
    """Something answered, but not a Kubernetes API server: a page, a redirect, no JSON, or more than any answer has."""

    reason = "InvalidAnswer"
    is_partial = True


class TooDeepAnswer(InvalidAnswer):
    """An object of the API server with more levels of lists and mappings than kube/limits.py allows."""

    reason = "TooDeepAnswer"


class NotRenewed(Unreachable):
    """A user's credentials have expired, and the provider that renews them doesn't answer.

    The text names the provider.
    """

    reason = "NotRenewed"


class Unauthorized(KubeError):
    code, reason = 401, "Unauthorized"
    is_partial = False


class Forbidden(KubeError):
    code, reason = 403, "Forbidden"


class NotFound(KubeError):
    """`unserved`: the path itself isn't served, so the answer is about the type, not about an object."""

    code, reason = 404, "NotFound"
    unserved = False


class AlreadyExists(KubeError):
    code, reason = 409, "AlreadyExists"


class Conflict(KubeError):
    code, reason = 409, "Conflict"


class Gone(KubeError):
    """410: the resourceVersion or the continue token is too old; list again.

    `continue_`: a token for the rest of the list as it is now, or ''.
    """

    code, reason = 410, "Expired"
    continue_ = ""


class Invalid(KubeError):
    code, reason = 422, "Invalid"


class BadRequest(KubeError):
    """400: also what fieldValidation=Strict answers for unknown fields, with the fields named in the text only."""

    code, reason = 400, "BadRequest"


class TooLarge(KubeError):
    """413: a request over the API server's limit (3 MB), or an object over its store's."""

    code, reason = 413, "RequestEntityTooLarge"


class TooManyRequests(KubeError):
    code, reason = 429, "TooManyRequests"


class ServerError(KubeError):
    code, reason = 500, "InternalError"


_BY_CODE: dict[int, type[KubeError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    413: TooLarge,
    422: Invalid,
    429: TooManyRequests,
}


def from_answer(code: int, body: bytes, retry_after: str = "", object_ref: str = "") -> KubeError:
    """The error of an answer with status `code` (400 and above)."""
    try:
        status = json_bounds.load(body)
    except ValueError:
        status = {}
    if not isinstance(status, dict) or status.get("kind") != "Status":
        status = {}
    return from_status(status, code, retry_after, object_ref)


def from_status(status: dict[str, Any], code: int = 0, retry_after: str = "", object_ref: str = "") -> KubeError:
    """The error of a metav1.Status, as answered or as the object of a watch's ERROR event."""
    code = code or _code(status.get("code"))
    reason = str(status.get("reason") or "")
    details = mapping(status.get("details"))
    listed = details.get("causes")
    causes = tuple(
        StatusCause(str(cause.get("field") or ""), str(cause.get("reason") or ""), str(cause.get("message") or ""))
        for cause in map(mapping, listed if isinstance(listed, list) else ())
    )
    kind = AlreadyExists if reason == "AlreadyExists" else _BY_CODE.get(code, ServerError if code >= 500 else KubeError)
    seconds = retry_after or str(details.get("retryAfterSeconds") or "0")
    wait = float(seconds) if seconds.isascii() and seconds.replace(".", "", 1).isdigit() else 0
    error = kind(
        str(status.get("message") or f"the API server answered {code}"),
        code=code,
        reason=reason,
        object_ref=object_ref,
        causes=causes,
        retry_after=wait,
    )
    if isinstance(error, Gone):
        error.continue_ = str(mapping(status.get("metadata")).get("continue") or "")
    if isinstance(error, NotFound):
        error.unserved = not details.get("name")
    return error


def _code(value: Any) -> int:
    return value if isinstance(value, int) and 400 <= value < 600 else 500
