"""The request ID: in the log lines of a request, its response, its audit records and the tasks that it starts.

A proxy's ID (X-Request-Id) is used if it is harmless, so that both logs can be correlated. It isn't sent to the API
server: an Audit-ID must be unique per API request, and a varying User-Agent spoils statistics by it.
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
    """The current request ID; '' outside of requests and tasks."""
    return _now.get()


@contextmanager
def numbered(number: str) -> Iterator[None]:
    token = _now.set(number)
    try:
        yield
    finally:
        _now.reset(token)


def valid_or_new(received: str) -> str:
    return received if _HARMLESS.fullmatch(received) else uuid4().hex


def scoped(scope: MutableMapping[str, Any]) -> tuple[str, MutableMapping[str, Any]]:
    """(request ID, the ASGI scope with it in the headers), so that all code that reads the header gets the same ID."""
    others = [(name, value) for name, value in scope["headers"] if name.lower() != HEADER]
    received = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == HEADER]
    number = valid_or_new(received[0] if len(received) == 1 else "")
    return number, {**scope, "headers": [*others, (HEADER, number.encode())]}


class NumberMiddleware:
    """The first of all, so that whatever answers has it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        number = valid_or_new(request.headers.get("X-Request-Id", ""))
        with numbered(number):
            response = self.get_response(request)
        response.headers["X-Request-Id"] = number
        return response


def mark(record: LogRecord) -> bool:
    """A filter of the log that lets all through."""
    if (number := current()) and not hasattr(record, "request_id"):
        record.request_id = number
    return True
