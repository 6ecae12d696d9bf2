"""Helper: a plain watch of the same objects, the least that any console must wait for.

Asked for anything: {"arrivals": {word: milliseconds since 1970}}.
"""

import asyncio
import time
from pathlib import Path
from urllib.parse import urlsplit

from bench.live import sse
from bench.live.helper import asked, read_parameters, say
from kube.config import load


async def main() -> None:
    wanted = read_parameters()
    config = load(str(Path(wanted["kubeconfig"])))
    parts = urlsplit(config.host)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, ssl=config.tls, limit=2**24)
    # As the console's own watch asks, so that the API server does the same work for both.
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
    writer.write(
        f"GET {wanted['path']}?watch=1&includeObject=Object HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept: {accept}\r\n"
        f"Authorization: Bearer {config.token()}\r\n\r\n".encode()
    )
    assert b" 200 " in await reader.readline()
    arrivals: dict[str, float] = {}

    async def read() -> None:
        while line := await reader.readline():
            now = time.time() * 1000
            for word in sse.words(line):
                arrivals.setdefault(word, now)

    task = asyncio.create_task(read())
    say({})
    while await asked() is not None:
        say({"arrivals": arrivals})
        arrivals.clear()
    task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
