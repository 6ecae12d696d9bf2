"""One watch request as an async iterator. No retry in here: what to do when it ends is the reflector's business.

The server sends one JSON document a line, of any length; only its type is decoded here.
https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
"""

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import msgspec

from kube import answers, limits
from kube.answers import invalid
from kube.errors import Unreachable, from_status
from kube.requests import ApiRequest
from kube.transport import AsyncTransport


class _Line(msgspec.Struct):
    type: str
    object: msgspec.Raw


# A watch that brings not even a bookmark for so long is taken for dead (servers send one about every minute).
SILENCE_SECONDS = 100.0
_decoder = msgspec.json.Decoder(_Line)


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """`type`: ADDED, MODIFIED, DELETED or BOOKMARK. `raw`: the object (or Table) as JSON."""

    type: str
    raw: bytes

    def document(self) -> dict[str, Any]:
        found = answers.decode(self.raw)
        if isinstance(found, dict):
            return found
        raise invalid(self.raw, "the object of an event is none")

    def table(self) -> dict[str, Any]:
        """Of a watch of Tables, or of objects where the server can't make them; for pages, as answers.listed()."""
        return answers.listed(self.raw)


async def watch(transport: AsyncTransport, request: ApiRequest) -> AsyncIterator[list[WatchEvent]]:
    """Events in bursts, as they come off the wire; the first, empty one says that the watch stands.

    Ends when the server ends it.

    Raises Gone when the resourceVersion is too old, any KubeError of an ERROR event, Unreachable when the connection
    breaks.
    """
    stands = False
    try:
        async with transport.open(request, silence=SILENCE_SECONDS) as response:
            if response.status != 200 or response.content_type == "text/html":
                raise invalid(b"", "it answers a watch with something else", request.ref)
            stands = True
            yield []
            async for lines in split_lines(response.content.iter_any()):
                yield [decode(line) for line in lines if line]
    except Unreachable as error:
        # Silent for too long. Whether the server lives, the next request finds out.
        if not (stands and isinstance(error.__cause__, aiohttp.SocketTimeoutError)):
            raise


async def split_lines(chunks: AsyncIterable[bytes]) -> AsyncIterator[list[bytes]]:
    """Whole lines, as soon as they are whole.

    A line without its end at the very end is dropped: the connection broke in it.
    """
    rest: list[bytes] = []
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if b"\n" not in chunk:
            rest.append(chunk)
            if size > limits.WATCH_EVENT.value:
                raise invalid(b"", f"a watch event is larger than {limits.WATCH_EVENT.value // 2**20} MiB")
            continue
        *lines, last = (b"".join(rest) + chunk).split(b"\n")
        rest, size = [last] if last else [], len(last)
        yield lines


def decode(line: bytes) -> WatchEvent:
    try:
        found = _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise invalid(line, f"a watch event that is no JSON: {error}") from error
    if found.type == "ERROR":
        raise from_status(answers.document(bytes(found.object)))
    return WatchEvent(found.type, bytes(found.object))
