"""Prints every object of a bundle as JSON: ``python -m sandbox.catalog.bundle PLACE``.

A process of its own, because the YAML of one bundle can keep a processor busy for a second, and the API server has to
answer.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .manifests import bundle_objects


def main(arguments: list[str]) -> int:
    """0 with the objects on standard output; 1 with one sentence on standard error."""
    path = Path(arguments[0])
    if path.name == "absent.json":
        problem = "the catalog only names this bundle's image, and this cluster pulls no images"
        print(problem, file=sys.stderr)  # noqa: T201 - this is a command
        return 1
    try:
        objects = bundle_objects(path)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - this is a command
        return 1
    json.dump(objects, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
