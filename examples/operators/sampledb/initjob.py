"""The Job that sets a database up: waits for it, runs the init script once, and reports what it found.

The script runs in a database that has never been set up, which a key in the database itself remembers; so the Job can
run again after an upgrade or a new user without repeating it. Its last line of output is a JSON record for the
operator.
"""

from __future__ import annotations

import json
import logging
import os
import shlex

from . import resp
from .target import DatabaseTarget

log = logging.getLogger("sampledb.init")

#: Set in a database that has been set up.
MARK = "sampledb:initialized"


def version_of(connection: resp.RespConnection) -> str:
    """The engine's own version, such as 6.2.14; empty when it does not tell."""
    try:
        answer = connection.call("INFO", "server")
    except resp.RefusedError:
        return ""
    text = answer.decode() if isinstance(answer, bytes) else ""
    facts = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return facts.get("valkey_version") or facts.get("redis_version", "")


def run_script(connection: resp.RespConnection, script: str, version: str) -> int:
    """Runs all lines and sets the mark, in one transaction; returns how many lines.

    Raises RefusedError that names a line.

    One transaction, because the Job may be killed anywhere: then all of it has been done, or nothing.
    """
    lines = [(number, line.strip()) for number, line in enumerate(script.splitlines(), 1)]
    commands = [(number, line) for number, line in lines if line and not line.startswith("#")]
    connection.call("MULTI")
    for number, line in commands:
        try:
            connection.call(*shlex.split(line))
        except (resp.RefusedError, ValueError) as error:
            connection.call("DISCARD")
            raise _at(number, line, error) from error
    connection.call("SET", MARK, version or "1")
    replies = connection.call("EXEC")
    assert isinstance(replies, list)
    for (number, line), reply in zip(commands, replies, strict=False):
        if isinstance(reply, resp.RefusedError):
            connection.call("DEL", MARK)
            raise _at(number, line, reply)
    return len(commands)


def _at(number: int, line: str, error: Exception) -> resp.RefusedError:
    return resp.RefusedError(f"line {number} of initScript, {line!r}: {error}")


def main() -> int:
    """0 when the database is set up; 1 with the reason in the log."""
    target = DatabaseTarget.from_environment()
    log.info("waiting for %s at %s:%s", target.name, target.host, target.port)
    try:
        with target.connect() as connection:
            version = version_of(connection)
            log.info("connected; the engine is version %s", version or "unknown")
            count = 0
            if connection.call("GET", MARK) is None:
                count = run_script(connection, os.environ.get("SAMPLEDB_INIT_SCRIPT", ""), version)
                log.info("ran %s commands of the init script", count)
            print(json.dumps({"version": version, "commands": count}), flush=True)
    except (OSError, resp.RefusedError) as error:
        log.error("%s", error)
        return 1
    return 0
