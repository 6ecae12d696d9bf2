"""pods/exec and pods/attach: a command really runs, as a process beside the container's, with its environment."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..errors import BadRequest
from ..http import Disconnected, Request, Response
from ..runtime.confinement import Launch
from ..runtime.container import Container
from ..runtime.logs import LogWriter
from ..runtime.node import Node
from ..runtime.place import environment_of
from ..runtime.pod import PodRunner
from ..runtime.processes import end_group, exit_code
from .channels import RESIZE, STDERR, STDIN, STDOUT, Channels, accept
from .targets import running

_CHUNK = 32 * 1024
SUCCESS = {"metadata": {}, "status": "Success"}


def status_of(code: int) -> dict[str, Any]:
    """The Status of a command's end, as clients expect it on the error channel."""
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
    """The Status of a command that could not be started."""
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
        with contextlib.suppress(Disconnected):
            async with contextlib.aclosing(await accept(request)) as channels:
                if request.flag("tty"):
                    ended = await self._in_terminal(channels, runner, container, command)
                else:
                    ended = await self._with_pipes(channels, request, runner, container, command)
                await channels.finish(ended)
        return Response.done()

    async def attach(self, request: Request) -> Response:
        """GET …/pods/{name}/attach: what the container's process writes from now on. It has no standard input."""
        _, container = running(self._node, request)
        log = container.log
        with contextlib.suppress(Disconnected):
            async with contextlib.aclosing(await accept(request)) as channels:
                if log is None:
                    await channels.finish(failure(f"container {container.name} has just ended"))
                    return Response.done()
                await _attached(channels, log)
        return Response.done()

    @contextlib.contextmanager
    def _launch(
        self, runner: PodRunner, container: Container, command: list[str], *, terminal: bool = False
    ) -> Iterator[tuple[Launch, Path]]:
        """How to start a command in a container, and where; OSError when there is no such program."""
        environment = environment_of(runner.host.cluster, runner.pod, container, runner.place)
        if terminal:
            environment["TERM"] = "xterm"
        shelter = runner.place.shelter(container, runner.pod, terminal=terminal)
        with runner.place.confinement.launch(command, environment, shelter) as launch:
            yield launch, shelter.folder

    async def _with_pipes(
        self, channels: Channels, request: Request, runner: PodRunner, container: Container, command: list[str]
    ) -> dict[str, Any]:
        pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            with self._launch(runner, container, command) as (launch, folder):
                process = await asyncio.create_subprocess_exec(
                    *launch.command,
                    env=launch.environment,
                    pass_fds=launch.descriptors,
                    cwd=folder,
                    stdin=pipe if request.flag("stdin") else null,
                    stdout=pipe,
                    stderr=pipe,
                    start_new_session=True,
                )
        except OSError as problem:
            return failure(_cannot(command, problem))
        incoming = asyncio.create_task(_to_process(channels, process))
        outputs = asyncio.create_task(_outputs(channels, process))
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
        self, channels: Channels, runner: PodRunner, container: Container, command: list[str]
    ) -> dict[str, Any]:
        ours, theirs = pty.openpty()
        try:
            with self._launch(runner, container, command, terminal=True) as (launch, folder):
                process = await asyncio.create_subprocess_exec(
                    *launch.command,
                    env=launch.environment,
                    pass_fds=launch.descriptors,
                    cwd=folder,
                    stdin=theirs,
                    stdout=theirs,
                    stderr=theirs,
                    start_new_session=True,
                    # Inside bubblewrap the program takes it itself, so that it is the terminal of a session that it can
                    # see.
                    preexec_fn=None if runner.place.confinement.bubblewrap else _take_terminal,
                )
        except OSError as problem:
            os.close(ours)
            return failure(_cannot(command, problem))
        finally:
            os.close(theirs)
        reader = await _reader_of(os.dup(ours))
        incoming = asyncio.create_task(_to_terminal(channels, ours))
        outgoing = asyncio.create_task(_to_client(channels, STDOUT, reader))
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


async def _to_client(channels: Channels, channel: int, reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(Disconnected, OSError):  # a terminal's end is an error (EIO)
        while data := await reader.read(_CHUNK):
            await channels.send(channel, data)


async def _outputs(channels: Channels, process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None and process.stderr is not None
    await asyncio.gather(_to_client(channels, STDOUT, process.stdout), _to_client(channels, STDERR, process.stderr))


async def _to_process(channels: Channels, process: asyncio.subprocess.Process) -> None:
    """Standard input, until the client disconnects."""
    with contextlib.suppress(Disconnected):
        while True:
            channel, data = await channels.receive()
            if channel != STDIN or process.stdin is None:
                continue
            if data:
                with contextlib.suppress(ConnectionError):
                    process.stdin.write(data)
                    await process.stdin.drain()
            else:
                process.stdin.close()


async def _to_terminal(channels: Channels, terminal: int) -> None:
    """Keys and sizes, until the client disconnects."""
    with contextlib.suppress(Disconnected):
        while True:
            channel, data = await channels.receive()
            if channel == STDIN:
                os.write(terminal, data)
            elif channel == RESIZE:
                with contextlib.suppress(msgspec.DecodeError, struct.error, TypeError, AttributeError):
                    size = msgspec.json.decode(data)
                    packed = struct.pack("HHHH", int(size.get("Height", 24)), int(size.get("Width", 80)), 0, 0)
                    fcntl.ioctl(terminal, termios.TIOCSWINSZ, packed)


async def _attached(channels: Channels, log: LogWriter) -> None:
    leaving = asyncio.create_task(_left(channels))
    try:
        async for piece in _written(log):
            if leaving.done():
                raise Disconnected
            await channels.send(STDOUT, piece)
        await channels.finish(SUCCESS)
    finally:
        leaving.cancel()


async def _left(channels: Channels) -> None:
    with contextlib.suppress(Disconnected):
        while True:
            await channels.receive()


async def _written(log: LogWriter) -> AsyncIterator[bytes]:
    """New lines of a log, without their times."""
    path = log.path
    position = path.stat().st_size
    while True:
        over = log.closed
        if not over and path.stat().st_size == position:
            await log.changed()
        with path.open("rb") as source:
            source.seek(min(position, path.stat().st_size))
            fresh = source.read()
            position = source.tell()
        lines = fresh.splitlines()
        if lines:
            yield b"".join(line.partition(b" ")[2] + b"\n" for line in lines)
        elif over:
            return
