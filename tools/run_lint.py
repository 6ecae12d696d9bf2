#!/usr/bin/env python3
"""`make lint`: every check that reads the code. All run, whatever fails; the last line says how many did."""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv/bin"
CHECKS = {
    "ruff": [BIN / "ruff", "check", "--quiet", "."],
    "format": [BIN / "ruff", "format", "--check", "--quiet", "."],
    "mypy": [
        BIN / "mypy",
        "console",
        "kube",
        "resources",
        "operatorhub",
        "structural",
        "untrusted",
        "sandbox",
        "examples",
    ],
    "imports": [BIN / "lint-imports", "--no-cache"],
    "language": [BIN / "python", "tools/lint_language.py"],
    "templates": [BIN / "djlint", "--lint", "--quiet", "templates"],
    "django": [BIN / "python", "manage.py", "check", "--fail-level", "WARNING"],
    "deploy": [BIN / "python", "manage.py", "check", "--deploy", "--fail-level", "ERROR"],
    "migrations": [BIN / "python", "manage.py", "makemigrations", "--check", "--dry-run"],
    "lock": [BIN / "uv", "lock", "--check", "--quiet"],
}


def main() -> int:
    failed = 0
    environment = {**os.environ, "DATA_DIR": str(ROOT / ".data/lint"), "UV_PYTHON_DOWNLOADS": "never"}
    for name, command in CHECKS.items():
        started = time.monotonic()
        result = subprocess.run(
            [str(part) for part in command], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        good = result.returncode == 0
        failed += not good
        print(f"lint: {name:<11} {'ok' if good else 'FAILED'} ({time.monotonic() - started:.1f} s)", flush=True)
        if not good:
            print((result.stdout + result.stderr)[-6000:])
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
