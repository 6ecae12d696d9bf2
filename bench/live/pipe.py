"""Helper in the console's own environment: keeps up the interest in a topic, tells up to where its stream is, and
writes into it as a hub would.

Parameters: {topic, objects: [[uid, name], …]}. Lines: "version" → {"version"}; "hubs" → {"hubs"}, how many live;
"record" → {} once a row of the topic came through the pipe, which is what is then written again; "feed RATE SECONDS" →
{"written", "seconds", "late"}: that many changes a second, to one after the other of `objects`; "only N": of the first
N of them from now on → {}.
"""

import asyncio
import contextlib
import dataclasses
import re
import time

import django

from bench.live import marks
from bench.live.api import Api
from bench.live.helper import Helper, asked, read_parameters, say

_BURSTS = 50.0  # a second: what comes together in a burst is what the hub appends at once


def record(pipe: Helper, api: Api, name: str, namespace: str = marks.NAMESPACE) -> None:
    """In the bench: let the helper see one real row, by changing the object until its change comes."""
    pipe.send_line("record")
    for number in range(100):
        time.sleep(0.3)
        marks.mark(api, name, f"mark-{number}", namespace)
        if pipe.spoke:
            break
    pipe.receive(5)


async def main() -> None:
    django.setup()
    from resources.changes import Change, ChangeLog, RedisError, Topic  # noqa: PLC0415  needs the settings

    wanted = read_parameters()
    topic = Topic.parse(wanted["topic"])
    log = ChangeLog()

    async def renew() -> None:
        while True:
            with contextlib.suppress(RedisError):
                await log.renew_interest([str(topic)])
            await asyncio.sleep(5)

    keeping = asyncio.create_task(renew())
    sample: Change | None = None
    objects = wanted["objects"]
    fed = 0
    say({})
    while (line := await asked()) is not None:
        match line.split():
            case ["hubs"]:
                say({"hubs": len(await log.hubs())})
            case ["version"]:
                say({"version": await log.version(topic)})
            case ["record"]:
                async for entry in log.follow([topic]):
                    if entry.change.kind == "MODIFIED" and entry.change.row:
                        sample = entry.change
                        break
                say({})
            case ["only", number]:
                objects = wanted["objects"][: int(number)]
                say({})
            case ["feed", rate, seconds]:
                assert sample is not None
                began, written = time.monotonic(), 0
                version = int(await log.version(topic) or 0) + 1
                while (elapsed := time.monotonic() - began) < float(seconds):
                    due = int(float(rate) * elapsed) - written
                    changes = []
                    for _ in range(due):
                        fed, version = fed + 1, version + 1
                        uid, name = objects[fed % len(objects)]
                        new = {"uid": uid, "name": name, "version": str(version)}
                        row = sample.row
                        for key, value in new.items():
                            row = row.replace(f'"{getattr(sample, key)}"'.encode(), f'"{value}"'.encode())
                        row = re.sub(rb"mark-\d+", b"mark-%d" % fed, row)
                        changes.append(dataclasses.replace(sample, row=row, **new))
                    if changes:
                        await log.append(topic, changes, str(version))
                    written += due
                    await asyncio.sleep(1 / _BURSTS)
                say({"written": written, "seconds": time.monotonic() - began})
    keeping.cancel()


if __name__ == "__main__":
    asyncio.run(main())
