"""The faults: what each does, for how long, and how it is healed.

A fault returns when its part is as well as before.
"""

import asyncio
import contextlib
import random
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.faults.assembly import Assembly, Slot
from tests.faults.programs import Program
from tests.faults.proxy import Proxy

Do = Callable[[Assembly, random.Random, float], Awaitable[None]]
# What an API server answers that has too much to do.
_STATUS = b'{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429}'
_TOO_MANY = (
    b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Type: application/json\r\nConnection: close\r\n"
    + f"Content-Length: {len(_STATUS)}\r\n\r\n".encode()
    + _STATUS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`touches`: no two faults that touch the same at once.

    `plain`: only where the API server speaks without TLS. `starts`: restarts a program, which
    takes seconds of CPU time.
    """

    name: str
    touches: frozenset[str]
    seconds: tuple[float, float]
    do: Do
    plain: bool = False
    starts: bool = False


ALL: dict[str, Fault] = {}


def _fault(
    name: str, touches: str, seconds: tuple[float, float], *, plain: bool = False, starts: bool = False
) -> Callable[[Do], Do]:
    def keep(do: Do) -> Do:
        ALL[name] = Fault(
            name=name, touches=frozenset(touches.split()), seconds=seconds, do=do, plain=plain, starts=starts
        )
        return do

    return keep


@asynccontextmanager
async def _stopped(program: Program) -> AsyncIterator[None]:
    program.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        program.signal(signal.SIGCONT)


async def _again(program: Program) -> None:
    """A dead program comes back."""
    await program.start(150)


def _free(slots: Iterable[Slot], chance: random.Random) -> Slot:
    return chance.choice(list(slots))


async def _kill_one(slots: list[Slot], chance: random.Random, seconds: float) -> None:
    program = _free(slots, chance).program
    await program.kill()
    await asyncio.sleep(seconds)
    await _again(program)


async def _kill_all(slots: list[Slot], seconds: float) -> None:
    await asyncio.gather(*(slot.program.kill() for slot in slots))
    await asyncio.sleep(seconds)
    for slot in slots:
        slot.program.spawn()
    await asyncio.gather(*(slot.program.wait_until_ready(150) for slot in slots))


async def _stop_one(slots: list[Slot], chance: random.Random, seconds: float) -> None:
    async with _stopped(_free(slots, chance).program):
        await asyncio.sleep(seconds)


async def _end_one(slots: list[Slot], chance: random.Random, seconds: float) -> None:
    program = _free(slots, chance).program
    program.signal(signal.SIGTERM)
    if not await program.gone(20):
        await program.kill()
        raise AssertionError(f"{program.name} did not end within 20 s of SIGTERM")
    await asyncio.sleep(seconds)
    await _again(program)


# Hubs


@_fault("a hub is killed", "hub", (0.5, 3), starts=True)
async def _kill_hub(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _kill_one(all_.hubs, chance, seconds)


@_fault("all hubs are killed", "hub", (0.5, 3), starts=True)
async def _kill_hubs(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _kill_all(all_.hubs, seconds)


@_fault("a hub is stopped and goes on", "hub", (1, 9))
async def _stop_hub(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _stop_one(all_.hubs, chance, seconds)


@_fault("a hub is told to end", "hub", (0.5, 2), starts=True)
async def _end_hub(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _end_one(all_.hubs, chance, seconds)


# Web processes


@_fault("a web process is killed", "web", (0.5, 3), starts=True)
async def _kill_web(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _kill_one(all_.webs, chance, seconds)


@_fault("all web processes are killed", "web front", (0.5, 4), starts=True)
async def _kill_webs(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _kill_all(all_.webs, seconds)


@_fault("a web process is stopped and goes on", "web", (1, 8))
async def _stop_web(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _stop_one(all_.webs, chance, seconds)


@_fault("a web process is told to end", "web", (0.5, 2), starts=True)
async def _end_web(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _end_one(all_.webs, chance, seconds)


@_fault("the browsers' connections are cut", "front", (0, 0.1))
async def _cut_front(all_: Assembly, chance: random.Random, seconds: float) -> None:
    all_.front.cut()


@_fault("the browsers' network stands still", "front", (1, 6))
async def _hold_front(all_: Assembly, chance: random.Random, seconds: float) -> None:
    async with _held([all_.front]):
        await asyncio.sleep(seconds)


# Redis


@_fault("Redis is killed and comes back empty", "redis", (0.5, 4))
async def _kill_redis(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await all_.redis.kill()
    await asyncio.sleep(seconds)
    await _again(all_.redis)


@_fault("Redis is stopped and goes on", "redis", (1, 8))
async def _stop_redis(all_: Assembly, chance: random.Random, seconds: float) -> None:
    async with _stopped(all_.redis):
        await asyncio.sleep(seconds)


@_fault("Redis forgets everything", "redis", (0, 0.1))
async def _flush_redis(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await all_.direct.flushall()


@_fault("Redis is full", "redis", (1, 5))
async def _fill_redis(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await all_.direct.config_set("maxmemory", "1")
    try:
        await asyncio.sleep(seconds)
    finally:
        await all_.direct.config_set("maxmemory", "0")


@_fault("the hubs' connections to Redis are cut", "redis", (0, 2))
async def _cut_redis_hubs(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _cut([slot.redis for slot in all_.hubs], seconds)


@_fault("the web's connections to Redis are cut", "redis", (0, 2))
async def _cut_redis_webs(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _cut([slot.redis for slot in all_.webs], seconds)


@_fault("one hub does not reach Redis", "redis hub", (2, 9))
async def _hold_redis_hub(all_: Assembly, chance: random.Random, seconds: float) -> None:
    async with _held([_free(all_.hubs, chance).redis]):
        await asyncio.sleep(seconds)


@_fault("one web process does not reach Redis", "redis web", (1, 8))
async def _hold_redis_web(all_: Assembly, chance: random.Random, seconds: float) -> None:
    async with _held([_free(all_.webs, chance).redis]):
        await asyncio.sleep(seconds)


# The API server


@_fault("the hubs' watches are cut", "api", (0, 2))
async def _cut_api(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await _cut([slot.api for slot in all_.hubs], seconds)


@_fault("one hub does not reach the API server", "api hub", (2, 9))
async def _hold_api_hub(all_: Assembly, chance: random.Random, seconds: float) -> None:
    async with _held([_free(all_.hubs, chance).api]):
        await asyncio.sleep(seconds)


@_fault("nobody reaches the API server", "api", (1, 6))
async def _hold_api(all_: Assembly, chance: random.Random, seconds: float) -> None:
    async with _held([slot.api for slot in all_.slots]):
        await asyncio.sleep(seconds)


@_fault("the hubs' way to the API server is slow", "api", (2, 6))
async def _slow_api(all_: Assembly, chance: random.Random, seconds: float) -> None:
    lines = [slot.api for slot in all_.hubs]
    for line in lines:
        line.slow(chance.uniform(0.1, 0.8))
    try:
        await asyncio.sleep(seconds)
    finally:
        for line in lines:
            line.slow(0)


@_fault("the API server has too much to do (429)", "api", (1, 5), plain=True)
async def _too_many(all_: Assembly, chance: random.Random, seconds: float) -> None:
    lines = [slot.api for slot in all_.hubs]
    for line in lines:
        line.respond_with(_TOO_MANY)
        line.cut()
    try:
        await asyncio.sleep(seconds)
    finally:
        for line in lines:
            line.respond_with(b"")


@_fault("the API server is killed and comes back", "api", (0.5, 3), starts=True)
async def _kill_api(all_: Assembly, chance: random.Random, seconds: float) -> None:
    await all_.cluster.server.kill()
    await asyncio.sleep(seconds)
    await _again(all_.cluster.server)


@_fault("the API server is stopped and goes on", "api", (1, 6))
async def _stop_api(all_: Assembly, chance: random.Random, seconds: float) -> None:
    async with _stopped(chance.choice(all_.cluster.programs)):
        await asyncio.sleep(seconds)


@_fault("what the hubs saw last is too old (410)", "api hub", (1.5, 4), starts=True)
async def _too_old(all_: Assembly, chance: random.Random, seconds: float) -> None:
    """They see nothing while changes continue; a restarted API server has no earlier events."""
    lines = [slot.api for slot in all_.hubs]
    for line in lines:
        line.refuse(True)
        line.cut()
    try:
        await asyncio.sleep(seconds)
        await all_.cluster.server.kill()
        await _again(all_.cluster.server)
    finally:
        for line in lines:
            line.refuse(False)


@asynccontextmanager
async def _held(lines: list[Proxy]) -> AsyncIterator[None]:
    for line in lines:
        line.hold()
    try:
        yield
    finally:
        for line in lines:
            line.release()


async def _cut(lines: list[Proxy], seconds: float) -> None:
    """Cuts them at once, and refuses new connections for so long."""
    for line in lines:
        line.refuse(True)
        line.cut()
    try:
        await asyncio.sleep(seconds)
    finally:
        for line in lines:
            line.refuse(False)


async def heal(all_: Assembly) -> None:
    """Whatever a fault that failed left behind."""
    for program in all_.programs:
        if program.stopped:
            program.signal(signal.SIGCONT)
    for proxy in (all_.front, *(line for slot in all_.slots for line in (slot.redis, slot.api))):
        proxy.release()
        proxy.refuse(False)
        proxy.slow(0)
        proxy.respond_with(b"")
    with contextlib.suppress(Exception):
        await all_.direct.config_set("maxmemory", "0")
    for program in reversed(all_.programs):
        if not program.runs:
            await _again(program)
