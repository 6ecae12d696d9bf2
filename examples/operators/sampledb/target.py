"""Which database a Job means, from its environment: the same names in a container and on the embedded cluster.

SAMPLEDB_SERVICE and SAMPLEDB_NAMESPACE name the Service, SAMPLEDB_PORT its port, SAMPLEDB_PASSWORD comes from the
Secret. The address is the one that Kubernetes injects for the Service (``<NAME>_SERVICE_HOST`` and ``_PORT``), else its
DNS name.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from . import resp


@dataclass(frozen=True, slots=True)
class DatabaseTarget:
    """A database as its clients see it."""

    name: str
    host: str
    port: int
    password: str

    @classmethod
    def from_environment(cls) -> DatabaseTarget:
        """Raises KeyError with the variable's name when the Pod was not made by the operator."""
        name = os.environ["SAMPLEDB_SERVICE"]
        prefix = name.upper().replace("-", "_") + "_SERVICE_"
        return cls(
            name=name,
            host=os.environ.get(prefix + "HOST") or f"{name}.{os.environ['SAMPLEDB_NAMESPACE']}.svc",
            port=int(os.environ.get(prefix + "PORT") or os.environ["SAMPLEDB_PORT"]),
            password=os.environ.get("SAMPLEDB_PASSWORD", ""),
        )

    def connect(self, seconds: float = 120.0) -> resp.RespConnection:
        """A connection, waiting up to ``seconds`` for the database to come up."""
        return resp.wait(self.host, self.port, self.password, seconds)


def folder(mount_path: str) -> Path:
    """Where a volume mounted at ``mount_path`` is: there in a container, elsewhere on the embedded cluster."""
    name = re.sub(r"[^0-9A-Za-z]", "_", mount_path).upper()
    found = os.environ.get(f"SANDBOX_MOUNT_{name}") or os.environ.get(f"SANDBOX_MOUNT_{name.strip('_')}")
    return Path(found or mount_path)
