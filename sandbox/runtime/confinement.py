"""Confinement of the processes of Pods: the files of this machine that they see, and the user that they run as.

With bubblewrap each process has mount, PID and IPC namespaces of its own: the system's programs, this Python, our
operators and the Pod's own volumes are there, and nothing else. Where the sandbox is root, processes also run as a user
of their namespace's own, with bubblewrap or, where that doesn't work (a container without namespaces), without it. The
best one that works is chosen at the start.

The network is shared: Pods meet each other, their Services and the API server on the loopback.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import shutil
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .environment import ROOT

log = logging.getLogger("sandbox.kubelet")

#: User IDs of namespaces, when the sandbox is root: above those of people and of container engines' first ranges.
FIRST_UID, UIDS = 1_000_000_000, 1_000_000
#: What of /etc a program may need; passwords, keys and settings of the machine's services are not among it.
_ETC = [
    "alternatives",
    "ca-certificates",
    "debian_version",
    "group",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki",
    "profile",
    "protocols",
    "resolv.conf",
    "services",
    "ssl",
    "terminfo",
    "timezone",
]
_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM_FOLDERS = (Path("/usr"), Path("/nix/store"), *(Path("/", name) for name in _SYSTEM))
#: Our packages that images.toml's programs are made of.
_PACKAGES = ("examples", "untrusted")
#: Folders of a process' own, gone with it.
_TEMPORARY = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - they are empty inside
_TEMPORARY_BYTES = 256 * 1024 * 1024
_PROBE_SECONDS = 20.0
_USER_NAME = "pod"
#: That Python finds its own library: where it can't, it may take the system's. That its user can read our packages and
#: theirs, and finds its folder by its path, as programs find a Pod's kubeconfig.
_PROBE = f"""
import getpass, os, ssl, sys
assert getpass.getuser(), 'no name'
assert sys.base_prefix == {sys.base_prefix!r}, 'another Python'
sys.path.insert(0, {str(ROOT)!r})
import examples.operators, untrusted, yaml
open(os.path.join(sys.argv[1], 'probe'), 'w').close()
try: open(sys.argv[2]).close()
except OSError: pass
else: raise SystemExit('a secret is readable')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelter:
    """What a container's processes have of this machine. ``folder`` is their working directory."""

    folder: Path
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    namespace: str = ""
    #: The process gets the terminal that is its standard input.
    terminal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How to start a process: ``descriptors`` are to be inherited."""

    command: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """``bubblewrap`` and ``setpriv`` are paths of these programs, empty when they are not used."""

    bubblewrap: str = ""
    setpriv: str = ""
    #: Programs and files outside of the system's folders that images need.
    programs: tuple[Path, ...] = ()

    @property
    def description(self) -> str:
        """A description for the log and the Node."""
        if self.bubblewrap:
            return "bubblewrap and a user for each namespace" if self.setpriv else "bubblewrap"
        return "a user for each namespace, without bubblewrap" if self.setpriv else "none"

    def uid(self, namespace: str) -> int | None:
        """The user of a namespace's processes; None: the sandbox's own."""
        return FIRST_UID + zlib.crc32(namespace.encode()) % UIDS if self.setpriv else None

    def own(self, path: Path, namespace: str) -> None:
        """Gives a folder with all that is in it to the namespace's user."""
        uid = self.uid(namespace)
        if uid is None or path.lstat().st_uid == uid:
            return
        # By descriptors: a folder that is exchanged for a link meanwhile leads nowhere else.
        for _folder, _folders, files, descriptor in os.fwalk(path):
            for name in files:
                os.chown(name, uid, uid, dir_fd=descriptor, follow_symlinks=False)
            os.fchown(descriptor, uid, uid)

    @contextlib.contextmanager
    def launch(self, command: list[str], environment: Mapping[str, str], shelter: Shelter) -> Iterator[Launch]:
        """How to start ``command``; OSError when there is no such program. Start it before the context ends."""
        self._check(command[0], environment, shelter)
        if self.setpriv:
            # Programs that ask for their user's name (getpass, and so kopf): a number has none.
            environment = {"LOGNAME": _USER_NAME, "USER": _USER_NAME, **environment}
            uid = str(self.uid(shelter.namespace))
            identity = [
                self.setpriv,
                f"--reuid={uid}",
                f"--regid={uid}",
                "--clear-groups",
                "--inh-caps=-all",
                "--no-new-privs",
            ]
            command = [*identity, "--", *command]
        if not self.bubblewrap:
            yield Launch(command=command, environment=dict(environment))
            return
        if shelter.terminal:
            command = [str(shutil.which("setsid")), "--ctty", *command]
        arguments = [*self._namespaces(), *self._files(shelter), *_variables(environment)]
        descriptor = os.memfd_create("bubblewrap", 0)
        try:
            # Not on the command line: every user of the machine can read that, and variables hold Secrets.
            os.write(descriptor, b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
            os.lseek(descriptor, 0, os.SEEK_SET)
            yield Launch(
                command=[self.bubblewrap, "--args", str(descriptor), "--", *command],
                # Of the Pod's variables bubblewrap itself gets none: it is not confined yet.
                environment={"PATH": os.defpath, **{name: environment[name] for name in _MARKS if name in environment}},
                descriptors=(descriptor,),
            )
        finally:
            os.close(descriptor)

    def _check(self, program: str, environment: Mapping[str, str], shelter: Shelter) -> None:
        """OSError as execvp(3) has it, for a program that isn't there; bubblewrap itself could only end with a code
        of its own.
        """
        if "/" not in program:
            if shutil.which(program, path=environment.get("PATH")) is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
            return
        path = shelter.folder / program
        seen = (*_SYSTEM_FOLDERS, *self.programs, *shelter.readable, *shelter.writable, shelter.folder)
        # What is hidden isn't there: the answer must not tell whether a file of the machine exists.
        if (self.bubblewrap and not any(path.is_relative_to(folder) for folder in seen)) or not path.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
        if not os.access(path, os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), program)

    def _namespaces(self) -> list[str]:
        found = ["--unshare-pid", "--unshare-ipc", "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"]
        # To go into the folder of another user and become that one, which has no capability any more.
        for capability in ("CAP_DAC_READ_SEARCH", "CAP_SETUID", "CAP_SETGID") if self.setpriv else ():
            found += ["--cap-add", capability]
        return found

    def _files(self, shelter: Shelter) -> list[str]:
        found = [*_bind("--ro-bind", Path("/usr")), *_bind("--ro-bind-try", Path("/nix/store"))]
        for name in _SYSTEM:
            path = Path("/", name)
            link = ["--symlink", str(path.readlink()), str(path)] if path.is_symlink() else []
            found += link or _bind("--ro-bind-try", path)
        # Folders that bubblewrap makes on its own would be for their owner only.
        found += _folder(Path("/etc"))
        for name in _ETC:
            found += _bind("--ro-bind-try", Path("/etc", name))
        found += ["--proc", "/proc", "--dev", "/dev"]
        for folder in _TEMPORARY:
            found += ["--perms", "1777", "--size", str(_TEMPORARY_BYTES), "--tmpfs", folder]
        readable, writable = (*self.programs, *shelter.readable), (*shelter.writable, shelter.folder)
        for parent in sorted({parent for path in (*readable, *writable) for parent in path.parents}):
            found += _folder(parent)
        for path in readable:
            found += _bind("--ro-bind-try", path)
        for path in writable:
            found += _bind("--bind", path)
        # As in a container, a program may make folders beside the image's; they are in memory, and gone with it.
        return [*found, "--chmod", "1777", "/", "--chdir", str(shelter.folder)]

    def main_process(self, pid: int) -> int | None:
        """The program in the process ``pid`` that was launched: bubblewrap's first process waits for it.

        None when it isn't there yet.
        """
        for _ in range(2 if self.bubblewrap else 0):
            children = _children(pid)
            if not children:
                return None
            pid = children[0]
        return pid

    def terminate(self, pid: int) -> None:
        """SIGTERM to the program in the launched process ``pid``."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.main_process(pid) or pid, signal.SIGTERM)


UNCONFINED = Confinement()
#: Names that bubblewrap keeps in its environment: a restarted sandbox finds its processes by them
#: (processes.py).
_MARKS = ("SANDBOX_POD_UID",)


def _bind(option: str, path: Path) -> list[str]:
    return [option, str(path), str(path)]


def _folder(path: Path) -> list[str]:
    return ["--perms", "0755", "--dir", str(path)]


def _variables(environment: Mapping[str, str]) -> list[str]:
    found = ["--clearenv"]
    for name, value in ({**environment, "TMPDIR": _TEMPORARY[0]}).items():
        found += ["--setenv", name, value]
    return found


def _children(parent: int) -> list[int]:
    """Process IDs of a process' children, the oldest first."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int(stat.read_text(encoding="utf-8").rpartition(")")[2].split()[1]) == parent:
                found.append(int(stat.parent.name))
    return sorted(found)


def programs(commands: Iterable[tuple[str, ...]]) -> tuple[Path, ...]:
    """Paths that the images' programs need outside of the system's folders: this Python, our packages, the files that
    images.toml names.
    """
    found = {Path(sys.prefix), Path(sys.base_prefix), *(ROOT / package for package in _PACKAGES)}
    python = Path(sys.executable)
    while python.is_symlink():
        python = python.parent / python.readlink()
        found.add(python)
    named = [word for command in commands for word in command] + [os.environ.get("SAMPLEDB_REDIS_SERVER", "")]
    found |= {Path(word) for word in named if word.startswith("/") and Path(word).is_file()}
    found |= {path.resolve() for path in found}
    outside: list[Path] = []
    for path in sorted(path for path in found if path.exists() and path != Path("/")):
        if not any(path.is_relative_to(folder) for folder in (*_SYSTEM_FOLDERS, *outside)):
            outside.append(path)
    return tuple(outside)


def candidates(commands: Iterable[tuple[str, ...]]) -> list[Confinement]:
    """The confinements to try on this machine, the strictest first."""
    if sys.platform != "linux":
        return []
    bubblewrap = shutil.which("bwrap") if shutil.which("setsid") else None
    setpriv = shutil.which("setpriv") if os.geteuid() == 0 else None
    needed = programs(commands)
    found = []
    if bubblewrap and setpriv:
        found.append(Confinement(bubblewrap=bubblewrap, setpriv=setpriv, programs=needed))
    if bubblewrap:
        found.append(Confinement(bubblewrap=bubblewrap, programs=needed))
    if setpriv:
        found.append(Confinement(setpriv=setpriv))
    return found


def choose(data: Path, offered: Iterable[Confinement]) -> Confinement:
    """The first that works here, with what it is in the log; UNCONFINED when none does."""
    for confinement in offered:
        if problem := probe(data, confinement):
            log.info("Pods can't be confined by %s: %s", confinement.description, problem)
            continue
        log.info("Pods are confined by %s", confinement.description)
        return confinement
    log.warning("Pods run unconfined, as this machine's user: install bubblewrap, or let nobody else use this cluster")
    return UNCONFINED


def probe(data: Path, confinement: Confinement) -> str:
    """Why a Python program in a Pod's folder doesn't start, or reads what it must not; empty when all is well."""
    folder, secret = data / "pods" / "probe", data / "probe-secret"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if confinement.setpriv and not confinement.bubblewrap:
        close(data)
    secret.touch(0o600)
    shelter = Shelter(folder=folder, namespace="probe")
    try:
        confinement.own(folder, "probe")
        command = [sys.executable, "-I", "-c", _PROBE, str(folder), str(secret)]
        with confinement.launch(command, {"PATH": os.defpath}, shelter) as launch:
            done = subprocess.run(
                launch.command,
                env=launch.environment,
                cwd=folder,
                pass_fds=launch.descriptors,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_PROBE_SECONDS,
                check=False,
            )
        return (
            "" if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        secret.unlink(missing_ok=True)


def open_folder(path: Path) -> None:
    """Makes a folder that all users may look into, whatever the umask is."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o755)


def close(data: Path) -> None:
    """Lets other users through to the folders of Pods and volumes, and to nothing else: where only the user protects
    files.
    """
    (data / "volumes").mkdir(exist_ok=True)
    for path in data.iterdir():
        if path.name not in ("pods", "volumes"):
            path.chmod(0o700 if path.is_dir() else 0o600)
    for path in (data, data / "pods", data / "volumes"):
        path.chmod(0o711)
