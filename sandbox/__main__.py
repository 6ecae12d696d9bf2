"""``python -m sandbox serve --data DIR``: the embedded cluster as a program. ``node``: a node of a real cluster.

Prints one line when it is ready. Ends on SIGTERM or SIGINT, or when the process of ``--parent`` has ended.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import gc
import importlib
import importlib.util
import logging
import os
import signal
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from . import aggregation, apiservices, certificate, crds
from .agent.settings import NodeSettings, add_arguments
from .assembly import Sandbox, assemble
from .cluster import Cluster
from .context import Context
from .journal import JournalError
from .listener import Listener, listen
from .seed import seed

log = logging.getLogger("sandbox")
Controller = Callable[[Cluster, Context], Awaitable[None]]

#: Packages that bring controllers, in the order they are started.
PACKAGES = ("sandbox.controllers", "sandbox.olm", "sandbox.olmv1")
OLM = "sandbox.olm"
RESTART_SECONDS = 1.0
#: What refusals get to be sent when the disk has lost changes.
ANSWERING_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The command line."""

    data: Path
    port: int
    catalogs: tuple[Path, ...]
    images: Path | None
    parent: int
    olm: bool = True
    authentication: Path | None = None


def settings(arguments: list[str] | None = None) -> Settings | NodeSettings:
    """Parses the command line."""
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="run the embedded cluster")
    serve.add_argument("--data", type=Path, required=True, help="folder that keeps everything")
    serve.add_argument("--port", type=int, default=0, help="0: the one of the last time, or any free one")
    serve.add_argument("--catalog", type=Path, action="append", default=[], help="folder of bundles; may repeat")
    serve.add_argument("--no-olm", action="store_true", help="without OLM, until its release manifest is applied")
    serve.add_argument(
        "--authentication-config",
        type=Path,
        help="AuthenticationConfiguration; DATA/authentication.yaml, if it is there",
    )
    node = commands.add_parser("node", help="run Pods of known images on a real cluster")
    add_arguments(node)
    for command in (serve, node):
        command.add_argument("--images", type=Path, help="images.toml: images that run as local processes")
        command.add_argument("--parent", type=int, default=0, help="end when this process is gone")
    given = parser.parse_args(arguments)
    if given.command == "node":
        return NodeSettings.from_arguments(given)
    images = given.images.resolve() if given.images else None
    catalogs = tuple(path.resolve() for path in given.catalog)
    authentication = given.authentication_config.resolve() if given.authentication_config else None
    return Settings(
        data=given.data.resolve(),
        port=given.port,
        catalogs=catalogs,
        images=images,
        parent=given.parent,
        olm=not given.no_olm,
        authentication=authentication,
    )


def controllers(olm: bool = True) -> list[Controller]:
    """Everything that runs beside the server.

    A package that is not there is left out; OLM waits for its manifest where it is not wanted.
    """
    found: list[Controller] = [crds.run, aggregation.run, apiservices.run]
    for name in PACKAGES if olm else PACKAGES[:1]:
        if importlib.util.find_spec(name) is not None:
            found.extend(getattr(importlib.import_module(name), "CONTROLLERS", []))
    return found if olm else [*found, dormant]


async def dormant(cluster: Cluster, context: Context) -> None:
    """OLM, once a Deployment of its program is available: its kinds and first objects have come with the manifest
    then.
    """
    async for event in cluster.watch("deployments.apps"):
        status = event.object.get("status") or {}
        if event.object["metadata"]["name"] == "olm-operator" and status.get("availableReplicas"):
            break
    woken = [
        controller
        for controller in importlib.import_module(OLM).CONTROLLERS
        if not controller.__module__.endswith(".seed")
    ]
    log.info("olm-operator runs: OLM begins")
    await asyncio.gather(*(supervise(item, cluster, context) for item in woken))


async def supervise(controller: Controller, cluster: Cluster, context: Context) -> None:
    """Runs a controller; one that fails is logged and started again, one that returns is done."""
    name = f"{controller.__module__.removeprefix('sandbox.')}.{controller.__name__}"
    while True:
        try:
            await controller(cluster, context)
            return
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("controller %s failed; starting it again", name)
        await asyncio.sleep(RESTART_SECONDS)


async def watch_parent(parent: int, stop: asyncio.Event) -> None:
    """Sets ``stop`` when the process ``parent`` is gone."""
    while True:
        try:
            os.kill(parent, 0)
        except ProcessLookupError:
            log.info("the parent process %d is gone: stopping", parent)
            stop.set()
            return
        except PermissionError:
            pass
        await asyncio.sleep(0.5)


def write_kubeconfig(path: Path, url: str, token: str, authority: str) -> None:
    """Context, cluster and user are named ``sandbox``; readable by the owner only. ``authority``: PEM."""
    packed = base64.b64encode(authority.encode()).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "sandbox", "cluster": {"server": url, "certificate-authority-data": packed}}],
        "users": [{"name": "sandbox", "user": {"token": token}}],
        "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": "sandbox", "namespace": "default"}}],
        "current-context": "sandbox",
    }
    draft = path.with_suffix(".new")
    draft.touch(mode=0o600)
    draft.chmod(0o600)
    draft.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    draft.replace(path)


async def serve(given: Settings, stop: asyncio.Event) -> int:
    """Until ``stop``; the exit code."""
    given.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    sandbox = assemble(given.data, given.catalogs, given.images, given.authentication)
    remembered = given.port or int(sandbox.journal.meta("port") or 0)
    try:
        listener = listen(remembered)
    except OSError as problem:
        if given.port:
            log.error("port %d on 127.0.0.1 is taken (%s): choose another with --port", given.port, problem.strerror)
            return 1
        listener = listen(0)
    port = listener.getsockname()[1]
    sandbox.journal.set_meta("port", str(port))
    url = f"https://127.0.0.1:{port}"
    sandbox.context.api_url = f"http://127.0.0.1:{port}"
    tls, authority = certificate.context(given.data)
    write_kubeconfig(sandbox.context.admin_kubeconfig, url, sandbox.tokens.admin, authority)
    seed(sandbox.cluster, without=() if given.olm else ("olm", "operators"))
    sandbox.store.commit()

    server = Listener(sandbox.application, listener, tls)
    serving = asyncio.create_task(server.run())
    running = [asyncio.create_task(supervise(c, sandbox.cluster, sandbox.context)) for c in controllers(given.olm)]
    await asyncio.sleep(0)
    sandbox.application.ready = True
    gc.freeze()
    print(f"embedded cluster ready: {url}  KUBECONFIG={sandbox.context.admin_kubeconfig}", flush=True)
    ended = asyncio.create_task(stop.wait())
    diverged = asyncio.create_task(sandbox.store.diverged.wait())
    await asyncio.wait([ended, serving, diverged], return_when=asyncio.FIRST_COMPLETED)
    if diverged.done():
        log.error("%s: a write failed, is the disk full? Ending, to begin anew from what is on the disk", given.data)
        sandbox.application.stop()
        await asyncio.sleep(ANSWERING_SECONDS)
        return 1
    await shut_down(sandbox, running, serving, server)
    return 0


async def shut_down(
    sandbox: Sandbox, running: list[asyncio.Task[None]], serving: asyncio.Task[None], server: Listener
) -> None:
    """Controllers first (the kubelet ends its processes), then open watches, then the server and the store."""
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    await server.close()
    sandbox.store.close()


async def run(given: Settings | NodeSettings) -> int:
    """Serves until a signal or the end of the parent process; returns the exit code."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    watching = asyncio.create_task(watch_parent(given.parent, stop)) if given.parent else None
    try:
        if isinstance(given, NodeSettings):
            from .agent.program import run as run_node  # noqa: PLC0415 - the sandbox needs none of it

            return await run_node(given, stop)
        try:
            return await serve(given, stop)
        except (JournalError, sqlite3.Error, OSError) as problem:
            log.error("can't begin in %s: %s", given.data, problem)
            return 1
    finally:
        if watching is not None:
            watching.cancel()


def main() -> int:
    """Entry point."""
    # Nothing that it writes is for other users of the machine, unless a Pod's user is given it.
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stderr)
    return asyncio.run(run(settings()))


if __name__ == "__main__":
    sys.exit(main())
