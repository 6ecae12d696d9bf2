#!/usr/bin/env python3
"""`make audit`: known weaknesses of what we depend on, by pip-audit and npm audit. Never silently skipped.

Ends with 0 when both databases were asked and know of none, 1 when one of them knows some, and 3 when one could not be
asked (a registry's mirror often serves packages and no advisories); with AUDIT_REQUIRED=1 that is a failure as well. CI
continues after a 3, with a warning.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIP_AUDIT = "pip-audit==2.9.0"
FINE, KNOWN, NOT_ASKED = 0, 1, 3
LIMIT_SECONDS = 240
# What they say of weaknesses, and nothing else does: identifiers of advisories, and npm's closing line.
_WEAK = re.compile(r"\b(PYSEC-\d+-\d+|GHSA(-\w{4}){3}|CVE-\d+-\d+)\b|\b[1-9]\d* (\w+ severity )?vulnerabilit(y|ies)\b")


def judged(code: int, output: str) -> int:
    """What one tool's exit code and output mean. Both tools exit with 1 for weaknesses and for every other error."""
    if _WEAK.search(output):
        return KNOWN
    return FINE if code == 0 else NOT_ASKED


def asked(name: str, command: list[str]) -> int:
    """Runs the command, prints its output, and prints in one line what that means."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        code, output = done.returncode, done.stdout + done.stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        code, output = 1, str(error)
    print(output.rstrip())
    found = judged(code, output)
    print(
        {
            FINE: f"audit: {name}: no known weakness",
            KNOWN: f"audit: {name}: KNOWN WEAKNESSES, see above",
            NOT_ASKED: (
                f"audit: {name}: NOT ASKED, its advisories can't be reached from here; nothing is known about these"
                " packages"
            ),
        }[found],
        flush=True,
    )
    return found


def main() -> int:
    pinned = ROOT / ".data" / "requirements.txt"
    pinned.parent.mkdir(exist_ok=True)
    uv = str(ROOT / ".venv/bin/uv")
    export = [uv, "export", "--frozen", "--no-dev", "--no-hashes", "--quiet", "--output-file", str(pinned)]
    subprocess.run(export, cwd=ROOT, check=True)
    pip = [
        uv,
        "tool",
        "run",
        "--quiet",
        PIP_AUDIT,
        "--strict",
        "--no-deps",
        "--disable-pip",
        "--progress-spinner",
        "off",
        "-r",
        str(pinned),
    ]
    found = {asked("Python packages", pip), asked("npm packages", ["npm", "audit", "--omit=dev"])}
    if KNOWN in found:
        return KNOWN
    if NOT_ASKED in found:
        return KNOWN if os.environ.get("AUDIT_REQUIRED") else NOT_ASKED
    return FINE


if __name__ == "__main__":
    sys.exit(main())
