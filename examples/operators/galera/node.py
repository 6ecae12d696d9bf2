"""A node: HTTP for clients and for the other nodes, and its life from joining to leaving.

GET PUT DELETE /keys/<key>      text; 404 where there is none, 503 when no majority answers
GET /status                     name, version, members, keys
GET /ready                      200 when clients may come
GET /metrics                    what it measures, for Prometheus
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from pathlib import Path

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler

from . import clusterkey, place
from .gauge import Gauge
from .keeper import Keeper
from .quorum import Message, NoQuorumError, Quorum
from .store import Config, Store

log = logging.getLogger("galera")
#: Seconds in which a Service forgets a Pod that goes, at the least; requests are served meanwhile.
DRAIN = 4.0
#: A value of this many bytes is refused.
LARGEST = 1 << 20
#: https://prometheus.io/docs/instrumenting/exposition_formats/
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
#: What only those may ask who have the cluster's key.
NODES_ONLY = ("/peer", "/join", "/leave", "/members")


class GaleraNode:
    """One node. ``instance`` and ``number`` make its name, ``folder`` is its disk."""

    def __init__(self, instance: str, number: int, folder: Path, version: str):
        self.instance, self.number, self.version = instance, number, version
        self.name = place.node_name(instance, number)
        self.store = Store(folder)
        self.gauge = Gauge()
        #: Whether it has what it may have promised: only then it answers questions of others.
        self.whole = not self.store.fresh
        self.joined = False
        self.leaving = False
        self.quorum = Quorum(self.name, self.store, self.response)
        self.keeper = Keeper(self.store, self.quorum) if number == 0 else None

    # For other nodes

    def response(self, message: Message) -> Message:
        """What a node says to another one, or to itself.

        ``refused`` says why it does not; what could not be written is not promised.
        """
        try:
            return self._response(message)
        except OSError as problem:
            words = f"its disk takes nothing more: {problem.strerror or problem}"
            log.error("%s: %s", self.name, words)
            return {"refused": words, "disk": True}

    def _response(self, message: Message) -> Message:
        config, own = Config.from_json(message["config"]), self.store.config
        if message["to"] != self.name:
            return {"refused": f"this is {self.name}"}
        if config.epoch > own.epoch:
            self.store.adopt(config)
        elif config.epoch < own.epoch:
            return {"refused": "an older membership", "config": own.as_json()}
        match message["do"]:
            case "store" | "take":
                for key, entry in message["entries"].items():
                    self.store.put(key, entry)
                self.whole = self.whole or message["do"] == "take"
                return {}
            case "query" if self.whole:
                return {"entry": self.store.entries.get(message["key"])}
            case "dump" if self.whole:
                return {"entries": self.store.entries}
        return {"refused": "without its data yet"}

    # Its life

    async def join(self) -> None:
        """Until it is a member with all data."""
        if self.keeper is not None:
            await self._begin()
        else:
            url = place.service(place.node_name(self.instance, 0))
            body = {"name": self.name, "url": place.service(self.name)}
            while not await self._ask(f"{url}/join", {**body, "fresh": not self.whole}):  # noqa: ASYNC110
                await asyncio.sleep(0.5)
        self.joined = True
        log.info(
            "%s is a member of %d, with %d keys", self.name, len(self.store.config.members), len(self.store.entries)
        )

    async def _begin(self) -> None:
        """Node 0: with an empty disk it first asks whether there is a cluster already."""
        assert self.keeper is not None
        if self.store.fresh:
            others = [place.node_name(self.instance, number) for number in range(1, place.MOST)]
            found = await asyncio.gather(*(self._config_of(name) for name in others))
            newest = max(found, key=lambda config: config.epoch)
            self.store.adopt(newest if newest.epoch else Config(1, {self.name: place.service(self.name)}))
            self.whole = not newest.epoch
        while True:
            try:
                await self.keeper.resume()
                return await self.keeper.join(self.name, place.service(self.name), fresh=not self.whole)
            except NoQuorumError as problem:
                log.warning("waiting for the others: %s", problem)

    async def _config_of(self, name: str) -> Config:
        timeout = aiohttp.ClientTimeout(total=2)
        with contextlib.suppress(aiohttp.ClientError, TimeoutError, ValueError):
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(place.service(name) + "/status") as found,
            ):
                return Config.from_json(await found.json())
        return Config()

    async def _ask(self, url: str, body: Message, seconds: float = 40) -> bool:
        """Whether node 0 has done it."""
        try:
            timeout = aiohttp.ClientTimeout(total=seconds)
            async with (
                aiohttp.ClientSession(timeout=timeout, headers=clusterkey.headers()) as session,
                session.post(url, json=body) as found,
            ):
                if found.status == 200:
                    return True
                log.warning("node 0 says: %s", (await found.text())[:200])
        except (aiohttp.ClientError, TimeoutError) as problem:
            log.warning("node 0 does not answer: %s", problem or "timeout")
        return False

    async def leave(self) -> None:
        """No new clients; then out of the membership, which hands everything over.

        Node 0 stays a member while it restarts.
        """
        self.leaving = True
        await asyncio.sleep(float(os.environ.get("GALERA_DRAIN") or DRAIN))
        if self.keeper is None and self.joined:
            await self._ask(place.service(place.node_name(self.instance, 0)) + "/leave", {"name": self.name}, 15)

    async def close(self) -> None:
        """Lets go of everything."""
        await self.quorum.close()
        self.store.close()


def application(node: GaleraNode) -> web.Application:
    """What a node answers over HTTP."""
    app = web.Application(client_max_size=64 << 20)

    @web.middleware
    async def moving_on(request: web.Request, handler: Handler) -> web.StreamResponse:
        """Errors in words; connections of a node that goes end with their answer. Questions of nodes are for nodes."""
        if request.path in NODES_ONLY and not clusterkey.known(request.headers):
            return web.Response(status=403, text="only a node of this instance may ask this\n")
        begin = time.monotonic()
        try:
            found: web.StreamResponse = await handler(request)
        except NoQuorumError as problem:
            found = web.Response(status=503, text=f"{problem}\n")
        if request.path.startswith("/keys"):
            node.gauge.note(time.monotonic() - begin, found.status)
        if node.leaving:
            found.force_close()
        return found

    async def read(request: web.Request) -> web.Response:
        entry = await node.quorum.read(request.match_info["key"])
        if entry is None or entry[2] is None:
            return web.Response(status=404, text="there is no such key\n")
        return web.Response(text=entry[2])

    async def write(request: web.Request) -> web.Response:
        value = await request.text()
        if len(value.encode()) > LARGEST:
            return web.Response(status=413, text=f"a value has at most {LARGEST} bytes\n")
        entry = await node.quorum.write(request.match_info["key"], value)
        return web.json_response({"version": entry[0]})

    async def delete(request: web.Request) -> web.Response:
        await node.quorum.write(request.match_info["key"], None)
        return web.json_response({})

    async def all_keys(request: web.Request) -> web.Response:
        found = await node.quorum.everything()
        return web.json_response({key: entry[2] for key, entry in sorted(found.items()) if entry[2] is not None})

    async def status(request: web.Request) -> web.Response:
        about = {"name": node.name, "version": node.version, "joined": node.joined, "keys": len(node.store.entries)}
        return web.json_response({**about, **node.store.config.as_json()})

    async def metrics(request: web.Request) -> web.Response:
        known = len(node.store.config.members), len(node.store.entries)
        return web.Response(text=node.gauge.metrics(node.name, *known), headers={"Content-Type": PROMETHEUS})

    async def ready(request: web.Request) -> web.Response:
        good = node.joined and not node.leaving
        return web.Response(status=200 if good else 503, text="ready\n" if good else "not ready\n")

    async def peer(request: web.Request) -> web.Response:
        return web.json_response(node.response(await request.json()))

    async def membership(request: web.Request) -> web.Response:
        if node.keeper is None:
            return web.Response(status=421, text=f"only node 0 does this, and this is {node.name}\n")
        if not node.joined:
            return web.Response(status=503, text="node 0 is not up yet\n")
        body = await request.json()
        if request.path == "/join":
            await node.keeper.join(str(body["name"]), str(body["url"]), fresh=bool(body["fresh"]))
        elif request.path == "/leave":
            await node.keeper.leave(str(body["name"]))
        else:
            return web.json_response({"members": await node.keeper.keep(int(body["count"]))})
        return web.json_response({})

    app.middlewares.append(moving_on)
    app.add_routes([web.get("/keys", all_keys), web.get("/status", status), web.get("/ready", ready)])
    app.add_routes([web.get("/metrics", metrics)])
    app.add_routes([web.get("/keys/{key}", read), web.put("/keys/{key}", write), web.delete("/keys/{key}", delete)])
    app.add_routes([web.post("/peer", peer), *(web.post(item, membership) for item in ("/join", "/leave", "/members"))])
    return app


async def run(node: GaleraNode) -> None:
    """Until SIGTERM."""
    ended = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, ended.set)
    runner = web.AppRunner(application(node), access_log=None, shutdown_timeout=10)
    await runner.setup()
    await web.TCPSite(runner, *place.local_port()).start()
    working = [asyncio.create_task(node.join()), asyncio.create_task(node.gauge.write())]
    await ended.wait()
    await node.leave()
    for task in working:
        task.cancel()
    await runner.cleanup()
    await node.close()


def main() -> int:
    """The role ``node``."""
    asyncio.run(_main())
    return 0


async def _main() -> None:
    number = place.number_of(os.environ["POD_NAME"])
    version = os.environ.get("GALERA_VERSION", "?")
    await run(GaleraNode(os.environ["GALERA_INSTANCE"], number, place.folder("/data"), version))
