"""``python -m examples.operators.kudo FOLDER…``: packages as YAML for ``kubectl apply -f -``, as ``kubectl kudo
install --skip-instance`` does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from .package import load
from .version import PackageError


def main(folders: list[str]) -> int:
    """0, or 1 with the reason on the error stream."""
    try:
        found = [load(Path(folder)) for folder in folders]
    except PackageError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(
        yaml.safe_dump_all(
            [part for package in found for part in (package.operator, package.version)], sort_keys=False
        ),
        end="",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
