"""The Host of HTTP requests to a forwarded port of this machine.

A page of another site can lead its own name to 127.0.0.1 (DNS rebinding) and read what a forwarded port answers, unless
the name is judged. Only the first request of a connection is: a browser uses a connection for one name. TLS needs no
check, for the Pod's certificate is of another name.
"""

import asyncio
import re

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from kube import limits

_METHODS = (b"GET ", b"HEAD ", b"POST ", b"PUT ", b"PATCH ", b"DELETE ", b"OPTIONS ", b"TRACE ", b"CONNECT ")
# A page can send any method (RFC 9110, 9.1), and an address that is longer than every limit.
_METHOD = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}"
_REQUEST_LINE = re.compile(_METHOD + rb" \S+ HTTP/1\.[01]\r?\n")
_UNFINISHED_LINE = re.compile(_METHOD + rb" [/*Hh]\S*(?: [HTP/1.0]*\r?)?")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_HOST = re.compile(rb"\n[Hh][Oo][Ss][Tt][ \t]*:[ \t]*([^\r\n]*)")
_LOOPBACK_NAMES = ["localhost", ".localhost", "127.0.0.1", "[::1]"]
_REFUSAL_TEXT = b"This forwarded port can be reached as localhost only.\n"
REFUSAL = (
    b"HTTP/1.1 421 Misdirected Request\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(_REFUSAL_TEXT), _REFUSAL_TEXT)
)


class HostCheckedReader:
    """Reads as `reader` does; a request for another host than this machine is answered with REFUSAL, and ends it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._checked = False

    async def read(self, n: int = -1, /) -> bytes:
        if self._checked:
            return await self._reader.read(n)
        head = await self._reader.read(n)
        while head and not is_complete(head):
            piece = await self._reader.read(n)
            if not piece:
                break
            head += piece
        self._checked = True
        if is_allowed(head):
            return head
        self._writer.write(REFUSAL)
        self._writer.close()
        return b""


def is_complete(head: bytes) -> bool:
    """Whether the first bytes of a connection are enough to be judged: the head of a request, or no HTTP at all."""
    if b"\n" not in head:
        is_begun = any(method.startswith(head) for method in _METHODS) or _UNFINISHED_LINE.fullmatch(head)
        return not is_begun or len(head) > limits.REQUEST_HEADER_BYTES.value
    return (
        not _REQUEST_LINE.match(head) or bool(_HEAD_END.search(head)) or len(head) > limits.REQUEST_HEADER_BYTES.value
    )


def is_allowed(head: bytes) -> bool:
    """Whether every Host of the request is this machine's. What isn't HTTP is allowed."""
    if not _REQUEST_LINE.match(head):
        return not _UNFINISHED_LINE.fullmatch(head)
    end = _HEAD_END.search(head)
    if end is None:
        return False
    hosts = [value.decode("latin-1").strip() for value in _HOST.findall(head[: end.start()])]
    allowed = [*_LOOPBACK_NAMES, *settings.ALLOWED_HOSTS]
    return all(validate_host(split_domain_port(host)[0], allowed) for host in hosts)
