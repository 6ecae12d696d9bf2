"""Ports of a node's network, or of a container's, on this machine."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.eventually import until
from tools.realnode import parts


@contextmanager
def relayed(pid: int, *targets: str) -> Iterator[None]:
    """`pid`: a process in that network. `targets`: as tools/realnode/relay.py takes them."""
    part = parts.relay(pid, *targets)
    with subprocess.Popen(part.command, env={**os.environ, **part.environment}) as process:
        try:
            until(part.ready, "the relay", seconds=30)
            yield
        finally:
            process.terminate()
