"""The commands of a page, run as its reader runs them: in a shell, in the folder of the checkout, with the cluster's
kubeconfig.
"""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from console.processes.parts import free_port
from console.processes.supervisor import die_with_parent
from tests.tutorials.page_sections import Command, File, Section, matches

ROOT = Path(__file__).resolve().parents[2]
#: A command that is repeated until it prints what the page shows.
LONG = 120.0
_FORWARD = re.compile(r"(?<= )(\d+):(\d+)$")


class Shell:
    """A folder that looks like the checkout, and the commands that stay in the background. `embedded`: which cluster
    this is; `everything`: also what is slow."""

    def __init__(self, folder: Path, kubeconfig: Path, embedded: bool, everything: bool = True):
        self.folder, self.embedded, self.everything = folder, embedded, everything
        self.ran: list[str] = []
        self._ports: dict[str, str] = {}
        self._staying: list[subprocess.Popen[str]] = []
        for item in ROOT.iterdir():
            if item.name not in (".data", ".git"):
                (folder / item.name).symlink_to(item)
        shutil.copy(kubeconfig, folder / ".kubeconfig")
        path = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
        self._environment = {**os.environ, "KUBECONFIG": str(folder / ".kubeconfig"), "PATH": path, "LC_ALL": "C.UTF-8"}

    def section(self, section: Section, clicking: bool = False) -> None:
        """Files are saved, commands run; with `clicking` only those that both ways need."""
        for item in section.typed:
            if isinstance(item, File):
                (self.folder / item.name).write_text(item.text, encoding="utf-8")
            elif self.wants(item.marks) and (not clicking or "both" in item.marks):
                self.run(item)

    def wants(self, marks: frozenset[str]) -> bool:
        """Whether what has these marks is for this cluster and this run."""
        elsewhere = "real" if self.embedded else "embedded"
        return elsewhere not in marks and (self.everything or "slow" not in marks)

    def run(self, command: Command) -> None:
        self.ran.append(command.line)
        if "background" in command.marks:
            self._stay(command)
            return
        until = time.monotonic() + LONG
        while problem := self._try(command):
            if "until" not in command.marks or time.monotonic() > until:
                raise AssertionError(f"{problem}\n{self._state(command.line)}")
            time.sleep(0.3)

    def _state(self, line: str) -> str:
        """What the cluster has, for the log of a failure: of a `kubectl wait` first the object that was waited for."""
        waited = [re.sub(r" --for=.*", " -o yaml", line.replace(" wait ", " get "))] if " wait " in line else []
        commands = [*waited, "kubectl get pods -A", "kubectl get events -A --sort-by=.lastTimestamp | tail -40"]
        return "\n".join(f"$ {command}\n{self._output(command)}" for command in commands)

    def _output(self, line: str) -> str:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout

    def close(self) -> None:
        for process in self._staying:
            process.kill()
            process.wait()

    def _try(self, command: Command) -> str:
        """'' when all went as the page says, else what went otherwise."""
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", self._local(command.line)],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        printed = done.stdout + done.stderr
        if (done.returncode != 0) != ("fails" in command.marks):
            return f"$ {command.line}\nended with {done.returncode}:\n{printed}"
        if command.output is not None and not matches(command.output, printed):
            return f"$ {command.line}\nprinted:\n{printed}\nand the page says:\n{command.output}"
        return ""

    def _local(self, line: str) -> str:
        """The page's ports of this machine may be taken here, so a forward gets another one, also where the page
        uses it.
        """
        for theirs, ours in self._ports.items():
            line = line.replace(f"localhost:{theirs}", f"localhost:{ours}").replace(f"-p {theirs}", f"-p {ours}")
        return line

    def _stay(self, command: Command) -> None:
        if forward := _FORWARD.search(command.line):
            self._ports[forward[1]] = str(free_port())
            line = f"{command.line[: forward.start()]}{self._ports[forward[1]]}:{forward[2]}"
        else:
            line = command.line
        process = subprocess.Popen(
            ["bash", "-c", f"exec {line}"],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=die_with_parent,
        )
        self._staying.append(process)
        assert process.stdout is not None
        first = process.stdout.readline()
        assert process.poll() is None, f"$ {line}\nended with {process.returncode}: {first}"
