"""The listen address. Without sign-in every client acts with the console's identity, so it is the loopback address
unless the settings state that an authenticating proxy is in front.
"""

import os
import sys
from collections.abc import Sequence

from django.conf import settings
from django.http import HttpRequest

_LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


def refused(arguments: Sequence[str] | None = None) -> str:
    """Why this server must not start, in one sentence; ''. `arguments`: of uvicorn's command line."""
    if settings.SIGN_IN != "local" or settings.GUARDED_IN_FRONT:
        return ""
    host = bound(sys.argv[1:] if arguments is None else arguments)
    if host in _LOOPBACK or host.startswith("127."):
        return ""
    return (
        f"SIGN_IN=local on {host} would let everybody who reaches it act as the console's own identity. Set"
        " SIGN_IN=token, listen on 127.0.0.1, or set GUARDED_IN_FRONT=1 where a proxy (or a port published on loopback"
        " only) lets the right people in."
    )


def bound(arguments: Sequence[str]) -> str:
    """The address of `--host`, of $UVICORN_HOST, or uvicorn's default."""
    for place, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == "--host":
            return value if equals else arguments[place + 1] if place + 1 < len(arguments) else ""
    return os.environ.get("UVICORN_HOST") or "127.0.0.1"


def unheard(request: HttpRequest) -> bool:
    """Whether the request can't be intercepted: TLS, or the loopback address."""
    return request.is_secure() or any(
        host in _LOOPBACK for host in (request.get_host().rpartition(":")[0], request.get_host())
    )
