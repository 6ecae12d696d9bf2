"""Helper: tabs that stay open. Each is a stream of one person's list, asked for as a page asks.

Parameters: {url, people, each (streams of one person)}. Says {"open": number}; asked for anything, {"open", "lost",
"events", "bytes"} since it began.
"""

import asyncio
from typing import Any

from bench.live import sse
from bench.live.helper import asked, read_parameters, say


async def main() -> None:
    wanted = read_parameters()
    seen = {"events": 0, "bytes": 0}

    def hear(data: bytes, _now: float) -> None:
        seen["bytes"] += len(data)
        seen["events"] += data.count(b"event: ")

    gate = asyncio.Semaphore(10)

    async def connect(person: dict[str, Any]) -> sse.Reader:
        request = sse.request(wanted["url"], [person["topic"]], [], person["uids"], cookie=person["cookie"])
        async with gate:
            return await sse.connect(wanted["url"], request, hear, 120)

    readers = await asyncio.gather(*(connect(person) for person in wanted["people"] for _ in range(wanted["each"])))

    def state() -> dict[str, int]:
        lost = sum(reader.closed.is_set() for reader in readers)
        return {"open": len(readers) - lost, "lost": lost, **seen}

    say(state())
    while await asked() is not None:
        say(state())


if __name__ == "__main__":
    asyncio.run(main())
