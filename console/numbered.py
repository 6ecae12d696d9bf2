"""The number of a request: on every line of the log that it causes, in its answer, its acts and the tasks that it
starts.

A proxy's own number (X-Request-Id) is taken over where it looks harmless, so that its log and ours can be laid side by
side. Nothing of it is sent to the API server: its Audit-ID has to be one for each request there, and a User-Agent that
differs each time spoils whatever counts them.
"""

import re
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from logging import LogRecord
from typing import Any
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

HEADER = b"x-request-id"
#: No blanks, quotes or line ends: it goes into logs and pages as it is.
_HARMLESS = re.compile(r"[A-Za-z0-9._-]{8,64}")
_now: ContextVar[str] = ContextVar("number", default="")


def current() -> str:
    """'' where no request or task goes on."""
    return _now.get()


@contextmanager
def numbered(number: str) -> Iterator[None]:
    token = _now.set(number)
    try:
        yield
    finally:
        _now.reset(token)


def told_or_made(told: str) -> str:
    return told if _HARMLESS.fullmatch(told) else uuid4().hex


def scoped(scope: MutableMapping[str, Any]) -> tuple[str, MutableMapping[str, Any]]:
    """The number of an ASGI request, and the request with it among its headers: so all that look there find the
    same.
    """
    others = [(name, value) for name, value in scope["headers"] if name.lower() != HEADER]
    told = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == HEADER]
    number = told_or_made(told[0] if len(told) == 1 else "")
    return number, {**scope, "headers": [*others, (HEADER, number.encode())]}


class NumberMiddleware:
    """The first of all, so that whatever answers has it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        number = told_or_made(request.headers.get("X-Request-Id", ""))
        with numbered(number):
            response = self.get_response(request)
        response.headers["X-Request-Id"] = number
        return response


def mark(record: LogRecord) -> bool:
    """A filter of the log that lets all through."""
    if (number := current()) and not hasattr(record, "request_id"):
        record.request_id = number
    return True
