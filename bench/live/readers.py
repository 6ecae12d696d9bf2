"""Helper: N readers of one stream. Asked for anything, it says what came since it was asked last.

{"events", "bytes", "seconds", "arrivals": {word: [milliseconds since 1970 at each reader]}}; `words` in the parameters:
whether arrivals are kept.
"""

import asyncio
import time
from collections import defaultdict

from bench.live import sse
from bench.live.helper import asked, read_parameters, say


async def main() -> None:
    wanted = read_parameters()
    events = received = 0
    arrivals: dict[str, list[float]] = defaultdict(list)

    def hearer() -> sse.OnData:
        seen: set[str] = set()
        rest = b""

        def hear(data: bytes, now: float) -> None:
            nonlocal events, received, rest
            received += len(data)
            # A chunk may end in the middle of a word.
            events += (rest[-5:] + data).count(b"event:")
            if wanted.get("words"):
                for word in sse.words(rest + data):
                    if word not in seen:
                        seen.add(word)
                        arrivals[word].append(now)
            rest = data[-12:].rpartition(b"\n")[2]

        return hear

    request = sse.request(wanted["url"], wanted.get("rows", ()), wanted.get("notices", ()), wanted.get("uids"))
    readers = await sse.connect_all(wanted["url"], request, [hearer() for _ in range(wanted["readers"])])
    say({"readers": len(readers)})
    events, received, began = 0, 0, time.monotonic()
    while await asked() is not None:
        say(
            {
                "events": events,
                "bytes": received,
                "seconds": time.monotonic() - began,
                "closed": sum(reader.closed.is_set() for reader in readers),
                "arrivals": arrivals,
            }
        )
        events, received, began = 0, 0, time.monotonic()
        arrivals.clear()


if __name__ == "__main__":
    asyncio.run(main())
