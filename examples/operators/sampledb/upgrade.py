"""The Job that prepares a database for a newer engine: everything is written to disk in a form that the newer one
reads.
"""

from __future__ import annotations

import json
import logging
import os

from . import resp
from .initjob import version_of
from .target import DatabaseTarget

log = logging.getLogger("sampledb.upgrade")


def main() -> int:
    """0 when the data is on disk; 1 with the reason in the log."""
    target = DatabaseTarget.from_environment()
    wanted = os.environ.get("SAMPLEDB_VERSION", "")
    try:
        with target.connect() as connection:
            version = version_of(connection)
            log.info("writing the data of version %s to disk, for %s", version, wanted)
            connection.call("SAVE")
            print(json.dumps({"version": version, "to": wanted}), flush=True)
    except (OSError, resp.RefusedError) as error:
        log.error("could not prepare %s for version %s: %s", target.name, wanted, error)
        return 1
    return 0
