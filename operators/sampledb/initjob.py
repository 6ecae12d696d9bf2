"""The Job that sets a database up: waits for it, runs the init script once, and reports what it found.

The script runs in a database that has never been set up, which a key in the database itself remembers; so the Job can run
again after an upgrade or a new user without repeating it. Its last line of output is a JSON record for the operator.
"""

from __future__ import annotations

import json
import logging
import os
import shlex

from . import resp
from .target import Target

log = logging.getLogger("sampledb.init")

#: Set in a database that has been set up.
MARK = "sampledb:initialized"


def version_of(connection: resp.Connection) -> str:
    """The engine's own version, such as 6.2.14; empty when it does not tell."""
    try:
        answer = connection.call("INFO", "server")
    except resp.RefusedError:
        return ""
    text = answer.decode() if isinstance(answer, bytes) else ""
    facts = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return facts.get("valkey_version") or facts.get("redis_version", "")


def run_script(connection: resp.Connection, script: str) -> int:
    """Runs each line; returns how many. Raises RefusedError that names the line."""
    count = 0
    for number, line in enumerate(script.splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            connection.call(*shlex.split(text))
        except (resp.RefusedError, ValueError) as error:
            raise resp.RefusedError(f"line {number} of initScript, {text!r}: {error}") from error
        count += 1
    return count


def main() -> int:
    """0 when the database is set up; 1 with the reason in the log."""
    target = Target.from_environment()
    log.info("waiting for %s at %s:%s", target.name, target.host, target.port)
    try:
        with target.connect() as connection:
            version = version_of(connection)
            log.info("connected; the engine is version %s", version or "unknown")
            count = 0
            if connection.call("GET", MARK) is None:
                count = run_script(connection, os.environ.get("SAMPLEDB_INIT_SCRIPT", ""))
                connection.call("SET", MARK, version or "1")
                log.info("ran %s commands of the init script", count)
            print(json.dumps({"version": version, "commands": count}), flush=True)
    except (OSError, resp.RefusedError) as error:
        log.error("could not set up %s: %s", target.name, error)
        return 1
    return 0
