"""The real Argo CD operator as a process behind its Pod: the image's entry point, with what a machine without containers needs.

    python -m tools.realcluster.argocd PROGRAM [ARGUMENT …]

Its webhooks would need a Service that reaches this machine, so they are off; its metrics and probes listen on loopback.
"""

from __future__ import annotations

import os
import sys

_OFF = {"ENABLE_CONVERSION_WEBHOOK": "false", "ENABLE_WEBHOOKS": "false"}


def arguments(given: list[str]) -> list[str]:
    """The container's own, with every address on 127.0.0.1 and at the port that the agent has given to the Pod's port."""
    return [one.replace("=:", "=127.0.0.1:") for one in given]


def main() -> None:
    """Becomes the program."""
    program, given = sys.argv[1], sys.argv[2:]
    os.environ.update(_OFF)
    os.execv(program, [program, *arguments(given)])  # noqa: S606 — the agent chose the program


if __name__ == "__main__":
    main()
