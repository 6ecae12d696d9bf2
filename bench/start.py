"""`make bench-start`: a fresh clone in an empty home, `make run`, and the seconds until /readyz answers 200; then
once more.

The package caches of this user are kept (that is what "warm package cache" means): PIP_CACHE_DIR, UV_CACHE_DIR and
npm's are passed on.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from bench.console import ROOT, ready
from bench.figures import figure, show
from console.processes.parts import free_port


def once(clone: Path, home: Path, log: Path) -> float:
    """Seconds from `make run` to ready; everything is stopped again."""
    port = free_port()
    keep = (
        "PATH",
        "LANG",
        "PIP_CERT",
        "SSL_CERT_FILE",
        "PYENV_ROOT",
        "PIP_INDEX_URL",
        "PIP_FIND_LINKS",
        "UV_INDEX_URL",
    )
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    user = Path.home()
    environment |= {
        "HOME": str(home),
        "PIP_CACHE_DIR": str(user / ".cache/pip"),
        "UV_CACHE_DIR": str(user / ".cache/uv"),
        "npm_config_cache": str(user / ".npm"),
    }
    started = time.monotonic()
    with log.open("ab") as sink:
        process = subprocess.Popen(
            ["make", "run", f"PORT={port}"],
            cwd=clone,
            env=environment,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
        )
    try:
        while not ready(f"http://127.0.0.1:{port}"):
            if process.poll() is not None or time.monotonic() - started > 600:
                raise SystemExit(f"bench-start: not ready (code {process.poll()}):\n{log.read_text()[-4000:]}")
            time.sleep(0.02)
        return time.monotonic() - started
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(30)


def main() -> None:
    work = Path(tempfile.mkdtemp(prefix="console-start-"))
    clone, home, log = work / "clone", work / "home", work / "log"
    home.mkdir()
    try:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        first = once(clone, home, log)
        later = [once(clone, home, log) for _ in range(3)]
    finally:
        print(log.read_text() if log.exists() else "")
        shutil.rmtree(work, ignore_errors=True)
    show(
        [
            figure("start: fresh clone, `make run` to ready, warm package cache", "s", [first], "60"),
            figure("start: again, `make run` to ready", "s", later, "5"),
        ],
        Path(__file__).parent / "latest-start.json",
    )


if __name__ == "__main__":
    main()
