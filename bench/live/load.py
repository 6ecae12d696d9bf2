"""Helper: writers straight at the API server, at a rate or as fast as they can, over several kept connections.

Parameters: {kubeconfig, paths, rate (0: as fast as it goes), seconds, connections}. Each write is a merge patch of the
next path's status. Says {"written", "seconds", "failed"} when done. Run more than one where one core is not enough.
"""

import asyncio
import json
import time
from urllib.parse import urlsplit

from bench.live.api import MERGE
from bench.live.helper import read_parameters, say
from kube.config import load


async def main() -> None:
    wanted = read_parameters()
    config = load(wanted["kubeconfig"])
    parts = urlsplit(config.host)
    head = (
        f"Host: {parts.netloc}\r\nAuthorization: Bearer {config.token()}\r\nAccept: application/json\r\nContent-Type:"
        f" {MERGE}\r\n"
    )
    began = time.monotonic()
    until = began + wanted["seconds"]
    next_ = written = failed = 0

    async def writer() -> None:
        nonlocal next_, written, failed
        reader, sink = await asyncio.open_connection(parts.hostname, parts.port, ssl=config.tls, limit=2**22)
        while time.monotonic() < until:
            number, next_ = next_, next_ + 1
            if wanted["rate"]:
                await asyncio.sleep(max(0.0, began + number / wanted["rate"] - time.monotonic()))
            path = wanted["paths"][number % len(wanted["paths"])]
            body = json.dumps({"status": {"seen": f"mark-{number}"}}).encode()
            sink.write(f"PATCH {path}/status HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            well = b" 200 " in await reader.readline()
            await _rest(reader)
            written, failed = written + well, failed + (not well)
        sink.close()

    await asyncio.gather(*(writer() for _ in range(wanted["connections"])))
    say({"written": written, "failed": failed, "seconds": time.monotonic() - began})


async def _rest(reader: asyncio.StreamReader) -> None:
    """Read the answer to its end."""
    headers = (await reader.readuntil(b"\r\n\r\n")).lower()
    _, found, after = headers.partition(b"content-length:")
    if found:
        await reader.readexactly(int(after.split(b"\r\n", 1)[0]))
        return
    while size := int((await reader.readline()).strip() or b"0", 16):
        await reader.readexactly(size + 2)
    await reader.readline()


if __name__ == "__main__":
    asyncio.run(main())
