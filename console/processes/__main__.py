"""`python -m console.processes`: what `make run` is.

Checks first, then starts all, prints when it is ready, ends all on Ctrl-C.
"""

import argparse
import asyncio
import contextlib
import fcntl
import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import IO

from console.processes.parts import ROOT, Options, environment, parts, redis, redis_binary
from console.processes.supervisor import Supervisor, say


def arguments(argv: list[str]) -> Options:
    parser = argparse.ArgumentParser(prog="make run", description=__doc__)
    parser.add_argument("--port", default="9000")
    parser.add_argument("--kubeconfig", default="")
    parser.add_argument("--context", default="")
    parser.add_argument("--catalog", action="append", default=[])
    parser.add_argument("--web", default="1", help="how many web processes")
    parser.add_argument("--data", default=os.environ.get("DATA_DIR") or str(ROOT / ".data"))
    given = parser.parse_args(argv)
    if not given.port.isdigit() or not 0 < int(given.port) < 65536:
        stop(f"PORT={given.port} is not a port: use a number from 1 to 65535")
    if not given.web.isdigit() or not 0 < int(given.web) <= WEB_MOST:
        stop(f"WEB={given.web} is not a number of web processes: use 1 to {WEB_MOST}")
    if int(given.web) > 1 and int(given.port) + int(given.web) > 65535:
        stop(f"PORT={given.port} leaves no ports above it for {given.web} web processes")
    if given.kubeconfig:
        for path in given.kubeconfig.split(os.pathsep):
            if not Path(path).expanduser().is_file():
                stop(f"KUBECONFIG={path}: there is no such file")
    for folder in given.catalog:
        if not Path(folder).is_dir():
            stop(f"CATALOG={folder}: there is no such folder; name one with a folder for each package")
    data = Path(given.data).resolve()
    kubeconfig = os.pathsep.join(
        str(Path(path).expanduser().resolve()) for path in given.kubeconfig.split(os.pathsep) if path
    )
    catalogs = tuple(Path(folder).resolve() for folder in given.catalog)
    return Options(
        port=int(given.port),
        data=data,
        kubeconfig=kubeconfig,
        context=given.context,
        catalogs=catalogs,
        web=int(given.web),
    )


#: More web processes on one machine have no benefit.
WEB_MOST = 16


def stop(sentence: str) -> None:
    sys.stderr.write(f"console: {sentence}\n")
    raise SystemExit(2)


def check_sharing(options: Options) -> None:
    """Refuse the embedded cluster where people sign in, unless SHARE_EMBEDDED_CLUSTER says that it is meant."""
    sign_in = setting("SIGN_IN").lower() or "local"
    if options.kubeconfig or sign_in == "local":
        return
    if setting("SHARE_EMBEDDED_CLUSTER").lower() in _YES:
        if not os.environ.get("REDIS_URL") and redis_binary() is None:
            stop(
                "SHARE_EMBEDDED_CLUSTER needs a Redis server: the demo server listens on 127.0.0.1 without a password,"
                " where Pods reach it. Install redis-server, or set REDIS_URL"
            )
        return
    stop(
        f"SIGN_IN={sign_in} with the embedded cluster is refused. Its Pods are processes of this machine, and a person"
        " with the role edit in one namespace can run commands in them. Use a cluster of your own (make run"
        " KUBECONFIG=…), or set SHARE_EMBEDDED_CLUSTER=1 if you trust everybody who can sign in with this machine"
        " (docs/deploy.md)"
    )


_YES = ("1", "true", "yes", "on")


def setting(name: str) -> str:
    """A setting before Django is there: the variable NAME, or the content of the file that NAME_FILE names."""
    if path := os.environ.get(f"{name}_FILE"):
        with contextlib.suppress(OSError):
            return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, "").strip()


def lock(options: Options) -> IO[str]:
    """Only one console works on a data folder; the second says where the first is."""
    options.data.mkdir(parents=True, exist_ok=True)
    handle = (options.data / "console.lock").open("a+")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.seek(0)
        stop(
            f"a console already runs on {options.data} ({handle.read().strip() or 'just starting'}). Stop it, or set"
            " DATA_DIR and PORT for a second one"
        )
    handle.truncate(0)
    handle.write(f"process {os.getpid()}, http://localhost:{options.port}")
    handle.flush()
    return handle


def listen(options: Options) -> socket.socket | None:
    """The socket that several web processes share; it stays open while they restart.

    None for a single process, which listens itself.
    """
    if options.web == 1:
        check_port(options.port)
        return None
    for port in options.web_ports:
        check_port(port)
    check_port(options.port)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", options.port))
    listener.listen(2048)
    # Each of those who wait for a connection is woken by one: who is late must not be held up.
    listener.setblocking(False)
    return listener


def check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            stop(
                f"port {port} is taken by another program. Choose another: make run"
                f" PORT={port + 1 if port < 65535 else 9001}"
            )


def migrate(options: Options) -> None:
    """Applies migrations, safely with concurrent starts; skipped if nothing changed since the last start.

    A database of DATABASE_URL is checked each time: no local file shows that it was recreated or restored.
    """
    _, url = redis(options)
    shared = environment(options, url)
    elsewhere = any(os.environ.get(name) for name in ("DATABASE_URL", "DATABASE_URL_FILE"))
    seen = hashlib.sha256()
    for path in sorted([*ROOT.glob("*/migrations/*.py"), *ROOT.glob("console/*/migrations/*.py")]):
        seen.update(path.read_bytes())
    stamp = options.data / "migrated"
    if (
        not elsewhere
        and (options.data / "console.sqlite3").exists()
        and stamp.exists()
        and stamp.read_text() == seen.hexdigest()
    ):
        return
    result = subprocess.run(
        [sys.executable, "manage.py", "prepare", "--verbosity", "0", "--seconds", "20"],
        cwd=ROOT,
        env={**os.environ, **shared},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        lines = result.stderr.strip().splitlines() or ["no message"]
        stop(f"the database can't be prepared: {lines[-1]}. Check DATABASE_URL, or remove {options.data} to begin anew")
    stamp.write_text(seen.hexdigest())


def readiness(port: int) -> dict[str, object]:
    """What /readyz says, {} while the web server does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        with contextlib.suppress(ValueError):
            return dict(json.load(error))
    # HTTPException: another program answers, or Linux connected a socket to itself since no process listens there yet.
    except (OSError, ValueError, http.client.HTTPException):
        pass
    return {}


async def announce(options: Options, started: float) -> None:
    """Prints when everything is ready; every ten seconds until then, which part isn't and why."""
    reported_at = time.monotonic()
    while True:
        states = [await asyncio.to_thread(readiness, port) for port in options.web_ports]
        if all(state.get("ready") for state in states):
            break
        state = next(state for state in states if not state.get("ready"))
        if time.monotonic() - reported_at > 10:
            reported_at = time.monotonic()
            waiting = state.get("parts")
            for name, part in waiting.items() if isinstance(waiting, dict) else []:
                if not part.get("ready"):
                    say("console", f"not ready yet: {name}: {part.get('message', '')}")
        await asyncio.sleep(0.05)
    say("console", f"ready in {time.monotonic() - started:.1f} s: http://localhost:{options.port}")
    if options.web > 1:
        own = ", ".join(f"http://localhost:{port}" for port in options.web_ports)
        say("console", f"{options.web} web processes; each alone: {own}")
    if not options.kubeconfig:
        say(
            "console",
            f"the embedded cluster: kubectl --kubeconfig {_short(options.data / 'sandbox/kubeconfig')} get pods -A",
        )
    say("console", "Ctrl-C stops everything")


def _short(path: Path) -> str:
    with contextlib.suppress(ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


async def supervise(options: Options, started: float) -> None:
    supervisor = Supervisor(parts(options))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, supervisor.stop)
    teller = asyncio.create_task(announce(options, started))
    await supervisor.run()
    teller.cancel()
    say("console", "stopped")


def main(argv: list[str] | None = None) -> None:
    started = time.monotonic()
    options = arguments(sys.argv[1:] if argv is None else argv)
    check_sharing(options)
    # What is in the data folder is for this user only: Pods of the embedded cluster may be others.
    os.umask(0o077)
    handle = lock(options)
    with listen(options) or contextlib.nullcontext() as listener:
        if listener is not None:
            options = replace(options, listener=listener.fileno())
        start(options, started, handle)


def start(options: Options, started: float, handle: IO[str]) -> None:
    os.chdir(ROOT)
    migrate(options)
    with handle:
        asyncio.run(supervise(options, started))


if __name__ == "__main__":
    main()
