"""kubectl as the tests call it: one kubeconfig, one namespace, a cache of its own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Kubectl:
    """``k("get", "pods")`` returns what was printed, on both streams."""

    def __init__(self, program: str, kubeconfig: Path, namespace: str, cache: Path):
        self._command = [program, "--kubeconfig", str(kubeconfig), "--cache-dir", str(cache), "-n", namespace]

    def __call__(self, *arguments: str, stdin: str = "", fails: bool = False, **environment: str) -> str:
        done = subprocess.run(
            [*self._command, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, **environment},
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    @contextmanager
    def running(self, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        """A command that runs until it is stopped."""
        with subprocess.Popen([*self._command, *arguments], stdout=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.kill()
