"""The files of the repository, as git sees them."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@cache
def repository_files(*patterns: str) -> tuple[str, ...]:
    """Paths that git knows, or would if they were added; ``patterns``: git's pathspecs, else all. Sorted."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    return tuple(sorted(path for path in set(listed) if path and (ROOT / path).is_file()))
