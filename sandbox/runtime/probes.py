"""Liveness, readiness and startup probes of real processes: HTTP, TCP and commands, at the container's local ports."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from ..objects import Object, dig

#: Runs a command in the container: (exit code, output).
Run = Callable[[list[str], float], Coroutine[Any, Any, tuple[int, str]]]
#: The local port of a container port.
Port = Callable[[int], int | None]


#: How long failures of a new program don't count, and the pause between probes in that time (seconds).
YOUNG_SECONDS, SOON_SECONDS = 3.0, 0.2


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One look."""

    good: bool
    message: str = ""


def number_of(container: Object, port: Any) -> int:
    """A probe's port, which may be a name; 0 when there is none."""
    if isinstance(port, int):
        return port
    if str(port).isdigit():
        return int(port)
    return next((int(item["containerPort"]) for item in container.get("ports") or [] if item.get("name") == port), 0)


async def run_probe(container: Object, probe: Object, port: Port, run: Run) -> ProbeResult:
    """One attempt, within the probe's timeout."""
    seconds = float(probe.get("timeoutSeconds") or 1)
    try:
        async with asyncio.timeout(seconds):
            if http := probe.get("httpGet"):
                asked = number_of(container, http.get("port"))
                return await _http(http, asked, port(asked))
            if tcp := probe.get("tcpSocket") or probe.get("grpc"):
                asked = number_of(container, tcp.get("port"))
                return await _tcp(asked, port(asked))
            command = [str(word) for word in dig(probe, "exec", "command") or []]
            code, output = await run(command, seconds)
            return ProbeResult(code == 0, output.strip())
    except TimeoutError:
        return ProbeResult(False, f"timed out after {seconds:g}s")
    except OSError as problem:
        return ProbeResult(False, problem.strerror or str(problem))


async def _tcp(asked: int, port: int | None) -> ProbeResult:
    if port is None:
        return ProbeResult(False, f"dial tcp 127.0.0.1:{asked}: connect: connection refused")
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except ConnectionRefusedError:
        return ProbeResult(False, f"dial tcp 127.0.0.1:{asked}: connect: connection refused")
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return ProbeResult(True)


async def _http(request: Object, asked: int, port: int | None) -> ProbeResult:
    path = str(request.get("path") or "/")
    url = f"http://127.0.0.1:{asked}{path}"
    if port is None:
        return ProbeResult(False, f'Get "{url}": dial tcp 127.0.0.1:{asked}: connect: connection refused')
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except ConnectionRefusedError:
        return ProbeResult(False, f'Get "{url}": dial tcp 127.0.0.1:{asked}: connect: connection refused')
    try:
        headers = {"Host": request.get("host") or "127.0.0.1", "User-Agent": "kube-probe/1.36", "Connection": "close"}
        headers |= {str(header["name"]): str(header["value"]) for header in request.get("httpHeaders") or []}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"GET {path if path.startswith('/') else '/' + path} HTTP/1.1\r\n{head}\r\n".encode())
        status = (await reader.readline()).split()
    finally:
        writer.close()
    if len(status) < 2 or not status[1].isdigit():
        return ProbeResult(False, f'Get "{url}": EOF')
    code = int(status[1])
    return ProbeResult(200 <= code < 400, "" if 200 <= code < 400 else f"HTTP probe failed with statuscode: {code}")


async def follow(
    container: Object,
    probe: Object,
    port: Port,
    run: Run,
    changed: Callable[[bool, str], None],
    failed: Callable[[str], None],
) -> None:
    """Runs the probe periodically until cancelled.

    ``changed(good, message)`` is called when enough results in a row agree, ``failed(message)`` for each bad one.

    A program that has just been started is probed more often, and its first failures are not reported.
    """
    await asyncio.sleep(float(probe.get("initialDelaySeconds") or 0))
    loop = asyncio.get_running_loop()
    young = loop.time() + YOUNG_SECONDS
    period = float(probe.get("periodSeconds") or 10)
    state: bool | None = None
    row, last = 0, None
    while True:
        found = await run_probe(container, probe, port, run)
        if not found.good and state is None and loop.time() < young:
            await asyncio.sleep(min(period, SOON_SECONDS))
            continue
        row = row + 1 if found.good == last else 1
        last = found.good
        if not found.good:
            failed(found.message)
        enough = int(probe.get("successThreshold") or 1) if found.good else int(probe.get("failureThreshold") or 3)
        if row >= enough and (state != found.good or not found.good):
            state = found.good
            changed(found.good, found.message)
        await asyncio.sleep(period)
