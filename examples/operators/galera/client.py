"""What talks to the database from outside, by its Service: the Jobs check, backup and restore, and a client that
never rests.

Each prints one JSON record in its last line; the load prints one a second.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import signal
import time
import urllib.request
from typing import Any
from urllib.parse import quote

import aiohttp

from . import clusterkey, place

log = logging.getLogger("galera.client")
#: Seconds that a Job waits for the database, and for one answer.
PATIENCE, ANSWER = 120.0, 30.0


def check() -> int:
    """Waits until the cluster has as many members as it should (GALERA_COUNT), and takes out those that were left
    behind.
    """
    count = int(os.environ["GALERA_COUNT"])
    keeper = place.service(place.node_name(os.environ["GALERA_INSTANCE"], 0))
    end, members = time.monotonic() + PATIENCE, []
    while time.monotonic() < end:
        try:
            members = _json("POST", f"{keeper}/members", {"count": count})["members"]
            if len(members) == count:
                print(json.dumps({"members": members}), flush=True)
                return 0
        except OSError as problem:
            log.info("not yet: %s", problem)
        time.sleep(0.5)
    log.error("%d members after %d s, %d are wanted: %s", len(members), PATIENCE, count, ", ".join(members))
    return 1


def backup() -> int:
    """Everything into a file of the volume /backup, which the newest link names."""
    folder, service = place.folder("/backup"), place.service(os.environ["GALERA_INSTANCE"])
    found = _json("GET", f"{service}/keys")
    name = f"{os.environ['GALERA_INSTANCE']}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.json"
    part = folder / f"{name}.new"
    try:
        part.write_text(json.dumps(found), encoding="utf-8")
    except OSError as problem:
        part.unlink(missing_ok=True)
        log.error("could not write %d keys to the volume of backups: %s", len(found), problem.strerror or problem)
        return 1
    part.replace(folder / name)
    print(json.dumps({"file": name, "keys": len(found), "bytes": (folder / name).stat().st_size}), flush=True)
    return 0


def restore() -> int:
    """The newest file back into the database; keys that are not in it stay."""
    folder, service = place.folder("/backup"), place.service(os.environ["GALERA_INSTANCE"])
    files = sorted(folder.glob(f"{os.environ['GALERA_INSTANCE']}-*.json"))
    if not files:
        log.error("there is no backup of %s yet: run the plan backup first", os.environ["GALERA_INSTANCE"])
        return 1
    found = json.loads(files[-1].read_text(encoding="utf-8"))
    for key, value in found.items():
        _send("PUT", f"{service}/keys/{quote(key, safe='')}", value.encode())
    print(json.dumps({"file": files[-1].name, "keys": len(found)}), flush=True)
    return 0


def _json(method: str, url: str, body: Any = None) -> Any:
    return json.loads(_send(method, url, None if body is None else json.dumps(body).encode()))


def _send(method: str, url: str, body: bytes | None) -> bytes:
    # Our own Service.
    request = urllib.request.Request(url, data=body, method=method, headers=clusterkey.headers())  # noqa: S310
    if body is not None:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=ANSWER) as answer:  # noqa: S310
        return bytes(answer.read())


class Load:
    """Writes a number and reads it back, without end. No request is tried twice; one that fails is counted."""

    def __init__(self, service: str):
        self._service = service
        self._key = f"load-{secrets.token_hex(3)}"
        self.counts = {"reads": 0, "writes": 0, "failed": 0, "wrong": 0, "longest_ms": 0}
        self.last_problem = ""

    async def run(self, ended: asyncio.Event) -> None:
        """Until ``ended``."""
        # A connection for each request, so that the Service chooses a node each time.
        connector = aiohttp.TCPConnector(force_close=True)
        async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=ANSWER)) as session:
            number, printed_at = 0, 0.0
            while not ended.is_set():
                number += 1
                if await self._ask(session, "PUT", "writes", str(number)) is not None:
                    found = await self._ask(session, "GET", "reads")
                    self.counts["wrong"] += found is not None and found != str(number)
                if time.monotonic() - printed_at > 1:
                    printed_at = time.monotonic()
                    print(json.dumps({**self.counts, "problem": self.last_problem}), flush=True)
                await asyncio.sleep(0.01)
        print(json.dumps({**self.counts, "problem": self.last_problem, "ended": True}), flush=True)

    async def _ask(
        self, session: aiohttp.ClientSession, method: str, kind: str, value: str | None = None
    ) -> str | None:
        begin = time.monotonic()
        try:
            async with session.request(method, f"{self._service}/keys/{self._key}", data=value) as answer:
                found = await answer.text()
                answer.raise_for_status()
        except (aiohttp.ClientError, TimeoutError) as problem:
            self.counts["failed"] += 1
            self.last_problem = f"{method}: {problem or type(problem).__name__}"
            return None
        self.counts[kind] += 1
        self.counts["longest_ms"] = max(self.counts["longest_ms"], round((time.monotonic() - begin) * 1000))
        return found


def load() -> int:
    """Until SIGTERM."""

    async def run() -> None:
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        await Load(place.service(os.environ["GALERA_INSTANCE"])).run(ended)

    asyncio.run(run())
    return 0
