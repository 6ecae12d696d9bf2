"""pods/exec and pods/attach over WebSocket: a command really runs, as a process beside the container's, with its environment.

Messages begin with the number of a channel: 0 stdin, 1 stdout, 2 stderr, 3 how it ended (a Status), 4 the terminal's size;
with v5, 255 closes a channel.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from ..errors import BadRequest
from ..http import Disconnected, Request, Response, WebSocket
from ..runtime.container import Container
from ..runtime.node import Node
from ..runtime.place import environment_of
from ..runtime.pod import PodRunner
from ..runtime.processes import end_group, exit_code
from .targets import running

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_CHUNK = 32 * 1024
SUCCESS = {"metadata": {}, "status": "Success"}


def status_of(code: int) -> dict[str, Any]:
    """How a command ended, as clients expect it on the error channel."""
    if code == 0:
        return SUCCESS
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: exit status {code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }


def failure(message: str) -> dict[str, Any]:
    """It never ran."""
    return {"metadata": {}, "status": "Failure", "message": message, "reason": "InternalError", "code": 500}


class Execution:
    """The handlers."""

    def __init__(self, node: Node):
        self._node = node

    async def run(self, request: Request) -> Response:
        """GET …/pods/{name}/exec?command=…."""
        runner, container = running(self._node, request)
        command = request.query.get("command") or []
        if not command:
            raise BadRequest("you must specify at least one command for the container")
        socket = await self._accept(request)
        try:
            if request.flag("tty"):
                ended = await self._in_terminal(socket, runner, container, command)
            else:
                ended = await self._with_pipes(socket, request, runner, container, command)
            await self._finish(socket, ended)
        except Disconnected:
            pass
        return Response.done()

    async def attach(self, request: Request) -> Response:
        """GET …/pods/{name}/attach: what the container's process writes from now on. It has no standard input."""
        _, container = running(self._node, request)
        socket = await self._accept(request)
        log = container.log
        if log is None:
            await self._finish(socket, failure(f"container {container.name} has just ended"))
            return Response.done()
        leaving = asyncio.create_task(_left(socket))
        try:
            async for piece in _written(log.path, log.changed, lambda: log.closed):
                if leaving.done():
                    break
                await socket.send(bytes((STDOUT,)) + piece)
            await self._finish(socket, SUCCESS)
        finally:
            leaving.cancel()
        return Response.done()

    async def _accept(self, request: Request) -> WebSocket:
        if not request.is_websocket:
            raise BadRequest("Upgrade request required: the embedded cluster runs commands over WebSocket only")
        socket = request.websocket()
        chosen = next((one for one in PROTOCOLS if one in socket.subprotocols), None)
        if chosen is None:
            offered = " ".join(socket.subprotocols)
            raise BadRequest(
                f"unable to negotiate protocol: client supports [{offered}], server supports {list(PROTOCOLS)}"
            )
        await socket.accept(chosen)
        return socket

    async def _finish(self, socket: WebSocket, status: dict[str, Any]) -> None:
        with contextlib.suppress(RuntimeError, Disconnected):
            await socket.send(bytes((ERROR,)) + msgspec.json.encode(status))
        await socket.close()

    def _environment(self, runner: PodRunner, container: Container) -> tuple[dict[str, str], Path]:
        folder = runner.place.folder / "containers" / container.name
        return environment_of(runner.host.cluster, runner.pod, container, runner.place), folder

    async def _with_pipes(
        self, socket: WebSocket, request: Request, runner: PodRunner, container: Container, command: list[str]
    ) -> dict[str, Any]:
        environment, folder = self._environment(runner, container)
        pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                env=environment,
                cwd=folder,
                stdin=pipe if request.flag("stdin") else null,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,
            )
        except OSError as problem:
            return failure(_cannot(command, problem))
        incoming = asyncio.create_task(_to_process(socket, process))
        outputs = asyncio.create_task(_outputs(socket, process))
        try:
            await asyncio.wait({incoming, outputs}, return_when=asyncio.FIRST_COMPLETED)
            if incoming.done():
                raise Disconnected
            await outputs
            return status_of(exit_code(await process.wait()))
        finally:
            outputs.cancel()
            incoming.cancel()
            end_group(process.pid)

    async def _in_terminal(
        self, socket: WebSocket, runner: PodRunner, container: Container, command: list[str]
    ) -> dict[str, Any]:
        environment, folder = self._environment(runner, container)
        ours, theirs = pty.openpty()
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                env={**environment, "TERM": "xterm"},
                cwd=folder,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
                preexec_fn=_take_terminal,
            )
        except OSError as problem:
            os.close(ours)
            return failure(_cannot(command, problem))
        finally:
            os.close(theirs)
        reader = await _reader_of(os.dup(ours))
        incoming = asyncio.create_task(_to_terminal(socket, ours))
        outgoing = asyncio.create_task(_to_client(socket, STDOUT, reader))
        ending = asyncio.create_task(process.wait())
        try:
            await asyncio.wait([incoming, ending], return_when=asyncio.FIRST_COMPLETED)
            if not ending.done():
                raise Disconnected
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await outgoing
            return status_of(exit_code(ending.result()))
        finally:
            for task in (incoming, outgoing, ending):
                task.cancel()
            end_group(process.pid)
            os.close(ours)


def _cannot(command: list[str], problem: OSError) -> str:
    why = f'exec: "{command[0]}": {(problem.strerror or "cannot be run").lower()}'
    return f"error executing command in container: failed to exec in container: {why}"


def _take_terminal() -> None:
    """Runs in the child: the terminal becomes its own, so that Ctrl-C reaches it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


async def _reader_of(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(descriptor, "rb", buffering=0))
    return reader


async def _to_client(socket: WebSocket, channel: int, reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(RuntimeError, OSError):  # a terminal's end is an error (EIO)
        while data := await reader.read(_CHUNK):
            await socket.send(bytes((channel,)) + data)


async def _outputs(socket: WebSocket, process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None and process.stderr is not None
    await asyncio.gather(_to_client(socket, STDOUT, process.stdout), _to_client(socket, STDERR, process.stderr))


async def _to_process(socket: WebSocket, process: asyncio.subprocess.Process) -> None:
    """Standard input, until the client goes away."""
    with contextlib.suppress(Disconnected):
        while True:
            message = await socket.receive()
            if not message:
                continue
            if message[0] == STDIN and process.stdin is not None:
                with contextlib.suppress(ConnectionError):
                    process.stdin.write(message[1:])
                    await process.stdin.drain()
            elif message[0] == CLOSE and message[1:2] == bytes((STDIN,)) and process.stdin is not None:
                process.stdin.close()


async def _to_terminal(socket: WebSocket, terminal: int) -> None:
    """Keys and sizes, until the client goes."""
    with contextlib.suppress(Disconnected):
        while True:
            message = await socket.receive()
            if message[:1] == bytes((STDIN,)):
                os.write(terminal, message[1:])
            elif message[:1] == bytes((RESIZE,)):
                with contextlib.suppress(msgspec.DecodeError, struct.error, TypeError, AttributeError):
                    size = msgspec.json.decode(message[1:])
                    packed = struct.pack("HHHH", int(size.get("Height", 24)), int(size.get("Width", 80)), 0, 0)
                    fcntl.ioctl(terminal, termios.TIOCSWINSZ, packed)


async def _left(socket: WebSocket) -> None:
    with contextlib.suppress(Disconnected):
        while True:
            await socket.receive()


async def _written(path: Path, changed: Any, closed: Any) -> AsyncIterator[bytes]:
    """New lines of a log, without their times."""
    position = path.stat().st_size
    while True:
        over = closed()
        if not over and path.stat().st_size == position:
            await changed()
        with path.open("rb") as source:
            source.seek(min(position, path.stat().st_size))
            fresh = source.read()
            position = source.tell()
        lines = fresh.splitlines()
        if lines:
            yield b"".join(line.partition(b" ")[2] + b"\n" for line in lines)
        elif over:
            return
