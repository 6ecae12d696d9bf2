"""The real Argo CD operator as a process behind its Pod: the image's entry point, with what a machine without
containers needs.

    python tools/realcluster/argocd.py PROGRAM [ARGUMENT …]

Its webhooks would need a Service that reaches this machine, so they are off. Its probes listen at the port that the
agent gave to the Pod's. It elects no leader: outside a Pod it would not find its namespace, and there is only one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

_OFF = {"ENABLE_CONVERSION_WEBHOOK": "false", "ENABLE_WEBHOOKS": "false"}


def arguments(given: list[str], environment: Mapping[str, str]) -> list[str]:
    """The container's own arguments, changed for this machine."""
    unchanged = [item for item in given if not item.startswith(("--leader-elect", "--metrics-bind-address"))]
    probes = environment.get("SANDBOX_PORT_8081", "0")
    return [*unchanged, f"--health-probe-bind-address=127.0.0.1:{probes}", "--metrics-bind-address=127.0.0.1:0"]


def main() -> None:
    """Becomes the program."""
    program, given = sys.argv[1], sys.argv[2:]
    os.environ.update(_OFF)
    os.execv(program, [program, *arguments(given, os.environ)])  # noqa: S606 — the agent chose the program


if __name__ == "__main__":
    main()
