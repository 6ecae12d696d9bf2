"""The programs of the real cluster, built by `go build` from modules/ into a cache outside the tree.

A module's folder in the cache is named by the hash of its go.mod, go.sum, tools.go and build settings: a changed
version is rebuilt, an unchanged one is available at once, and several checkouts share it. A build goes into a folder of
its own and is renamed when whole, so an interrupted one leaves nothing half made.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

MODULES = Path(__file__).resolve().parent / "modules"
KUBERNETES = "v1.36.3"
_VERSION = "k8s.io/component-base/version"
_ARGOCD = "github.com/argoproj-labs/argocd-operator"
_OLM = "github.com/operator-framework/operator-lifecycle-manager"


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One folder of modules/.

    ``programs``: file name → main package. ``files``: name → (module, globs) of files and folders to keep beside them.
    ``without_c``: built without a C compiler.
    """

    name: str
    programs: dict[str, str]
    flags: tuple[str, ...] = ()
    symbols: str = ""
    files: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    without_c: bool = False
    #: Other module → folder beside go.mod. It is built from a copy of it, over which the folder's files lie.
    patches: dict[str, str] = field(default_factory=dict)
    #: The folder of modules/, where it is another module's.
    inside: str = ""
    #: Another go.mod of that folder, with the checksums in a .sum beside it.
    versions: str = ""
    #: Where its folder is, if not in MODULES.
    root: Path | None = None

    @property
    def folder(self) -> Path:
        return (self.root or MODULES) / (self.inside or self.name)

    def key(self) -> str:
        """Changes with everything that the result depends on."""
        settings = (self.programs, self.flags, self.symbols, self.files, *(("without C",) if self.without_c else ()))
        seen = hashlib.sha256(repr((*settings, *((self.patches,) if self.patches else ()))).encode())
        # A program of our own has a main.go instead of versions to pin.
        versions = Path(self.versions or "go.mod")
        for name in (versions, versions.with_suffix(".sum"), "tools.go", "main.go"):
            if (self.folder / name).exists():
                seen.update((self.folder / name).read_bytes())
        for path in sorted(self.folder.glob("*/**/*.go") if self.patches else ()):
            seen.update(path.read_bytes())
        return f"{self.name}-{seen.hexdigest()[:16]}"


def _symbols(version: str) -> str:
    """Linker flags; without them the API server says that it is v0.0.0."""
    minor = version.split(".")[1]
    return f"-X {_VERSION}.gitVersion={version} -X {_VERSION}.gitMajor=1 -X {_VERSION}.gitMinor={minor}"


ALL = (
    Module(name="etcd", programs={"etcd": "go.etcd.io/etcd/server/v3"}),
    Module(
        name="kubernetes",
        programs={
            "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
            "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
            "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
            "kubectl": "k8s.io/kubernetes/cmd/kubectl",
        },
        symbols=_symbols(KUBERNETES),
    ),
    Module(
        name="kwok",
        programs={"kwok": "sigs.k8s.io/kwok/cmd/kwok"},
        files={
            "stages": (
                "sigs.k8s.io/kwok",
                (
                    "kustomize/stage/node/fast/node-*.yaml",
                    "kustomize/stage/node/heartbeat/node-*.yaml",
                    "kustomize/stage/pod/fast/pod-*.yaml",
                ),
            )
        },
    ),
    Module(
        name="olm",
        programs={
            "olm": f"{_OLM}/cmd/olm",
            "catalog": f"{_OLM}/cmd/catalog",
            "package-server": f"{_OLM}/cmd/package-server",
        },
        files={"crds": ("github.com/operator-framework/api", ("crds/*.yaml",))},
    ),
    Module(
        name="opm",
        programs={"opm": "github.com/operator-framework/operator-registry/cmd/opm"},
        flags=("-tags", "json1,containers_image_openpgp,exclude_graphdriver_btrfs,exclude_graphdriver_devicemapper"),
    ),
    Module(name="argocd", programs={"argocd-operator": f"{_ARGOCD}/cmd"}),
    # Its bundle, so that it can be installed where no catalog of real packages is (catalog.py).
    Module(
        name="argocd-bundle", programs={}, files={"manifests": (_ARGOCD, ("bundle/manifests/*.yaml",))}, inside="argocd"
    ),
)
#: A provider of OpenID Connect. No part of the cluster: what tests sign in with, on any cluster.
DEX = Module(name="dex", programs={"dex": "github.com/dexidp/dex/cmd/dex"}, without_c=True)


class BuildFailed(Exception):
    """A sentence that says which program could not be built and why."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Where the built programs and their data are."""

    folders: dict[str, Path]
    #: The version that the control plane emulates, such as "1.33": Kubernetes can emulate its last three.
    emulated: str = ""

    def path(self, program: str) -> Path:
        """The file of a program; KeyError when there is none of that name."""
        for folder in self.folders.values():
            if (folder / program).is_file():
                return folder / program
        raise KeyError(program)

    @property
    def version_flags(self) -> tuple[str, ...]:
        """Of the API server, the controller manager and the scheduler."""
        return (f"--emulated-version=kube={self.emulated}",) if self.emulated else ()

    def data(self, module: str, name: str) -> list[Path]:
        """The data files that a module keeps, by name."""
        return sorted((self.folders[module] / name).iterdir())

    @property
    def search_path(self) -> str:
        """PATH with these programs first, so that `kubectl` is the cluster's own."""
        return os.pathsep.join([*map(str, self.folders.values()), os.environ.get("PATH", "")])


def cache(name: str = "realcluster") -> Path:
    """REALCLUSTER_CACHE (of another name another variable), or a folder of the user's cache."""
    given = os.environ.get(f"{name.upper()}_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else home / "operator-console" / name


@contextmanager
def one_at_a_time(lock: Path, say: Callable[[str], None]) -> Iterator[None]:
    """A second builder, of another checkout too, waits for the first that has the same lock."""
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another build is under way; waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def modules_of(minor: str, olm: str = "") -> tuple[Module, ...]:
    """The modules of a cluster; BuildFailed when there is none of this version of OLM, such as "0.45".

    `minor`: its control plane's version, such as "1.37", if modules/kubernetes has a .mod and a .sum for it. An API
    server that is older than the usual one gets controllers and a scheduler of its own version. With a newer one, they
    may be one version older.
    """
    usual = {module.name: module for module in ALL}
    if olm:
        usual["olm"] = replace(usual["olm"], versions=f"v{olm}.mod")
        if not (usual["olm"].folder / usual["olm"].versions).exists():
            raise BuildFailed(f"OLM_VERSION={olm}: {usual['olm'].folder} has no v{olm}.mod")
    kubernetes = usual["kubernetes"]
    versions = kubernetes.folder / f"v{minor}.mod"
    if not versions.exists():
        return tuple(usual.values())
    exact = re.findall(r"^require k8s.io/kubernetes (\S+)$", versions.read_text(), re.MULTILINE)[0]
    is_older = int(exact.split(".")[1]) < int(KUBERNETES.split(".")[1])
    names = ("kube-apiserver", "kube-controller-manager", "kube-scheduler") if is_older else ("kube-apiserver",)
    control_plane = replace(
        kubernetes,
        name=f"kubernetes-{minor}",
        programs={name: kubernetes.programs[name] for name in names},
        symbols=_symbols(exact),
        inside=kubernetes.name,
        versions=versions.name,
    )
    # Programs.path finds the first of several.
    return (control_plane, *usual.values())


def built_versions(name: str) -> list[str]:
    """The other versions of "kubernetes" or "olm" that modules/ has, and the cache has their programs."""
    found = sorted(path.stem.removeprefix("v") for path in (MODULES / name).glob("v*.mod"))
    return [
        version
        for version in found
        for modules in (modules_of(version) if name == "kubernetes" else modules_of("", version),)
        if all((cache() / module.key()).is_dir() for module in modules)
    ]


def build(say: Callable[[str], None], modules: tuple[Module, ...] = (), lock: str = "lock") -> Programs:
    """Builds what is missing; BuildFailed. Without `modules`: those of a cluster, in the versions of KUBERNETES= and
    OLM_VERSION=. Where no module has that version of Kubernetes, the usual programs emulate it.
    """
    minor = "" if modules else os.environ.get("KUBERNETES", "")
    modules = modules or modules_of(minor, os.environ.get("OLM_VERSION", ""))
    root = cache()
    root.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(root / lock, say):
        started = time.monotonic()
        missing = [module for module in modules if not (root / module.key()).is_dir()]
        if missing:
            _check_go()
            say(
                f"building {len(missing)} of {len(modules)} modules into {root} "
                "(10 minutes on 2 idle cores, up to 40 on busy ones; what is done stays when this is interrupted)"
            )
            _build_side_by_side(missing, root, say)
            say(f"built in {time.monotonic() - started:.0f} s")
    is_built = KUBERNETES.startswith(f"v{minor}.") or any(module.name == f"kubernetes-{minor}" for module in modules)
    return Programs({module.name: root / module.key() for module in modules}, "" if is_built else minor)


def build_dex(say: Callable[[str], None]) -> Path:
    """The program dex; BuildFailed. It waits for no build of the cluster."""
    return build(say, (DEX,), "lock-dex").path("dex")


def _build_side_by_side(modules: list[Module], root: Path, say: Callable[[str], None]) -> None:
    """The largest first.

    Go uses all cores for most of a build, and one while it links: another module fills the gap.
    """
    ordered = sorted(modules, key=lambda module: len(module.programs), reverse=True)
    with ThreadPoolExecutor(max(2, (os.cpu_count() or 2) // 2)) as pool:
        building = [pool.submit(_build, module, root / module.key(), say) for module in ordered]
        try:
            for done in as_completed(building):
                done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(_RUNNING):
                process.terminate()
            raise


def _check_go() -> None:
    if shutil.which("go") is None:
        raise BuildFailed(
            "building the real cluster needs Go 1.21 or newer on PATH (https://go.dev/dl/; it fetches a newer one"
            " itself)"
        )


def _build(module: Module, target: Path, say: Callable[[str], None]) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{module.name}-") as work:
        made = Path(work) / "made"
        made.mkdir()
        patched = _patched(module, Path(work))
        for program, package in module.programs.items():
            started = time.monotonic()
            say(f"building {program} …")
            flags = ["-trimpath", *module.flags, "-ldflags", f"-s -w {module.symbols}".strip()]
            with _Progress(program, say) as progress:
                # -v: a line for each package that is compiled.
                _go(patched, "build", "-v", *flags, "-o", str(made / program), package, each_line=progress.count)
            say(f"building {program} took {time.monotonic() - started:.0f} s")
        for name, (source, globs) in module.files.items():
            folder = _folder_of(module, source)
            (made / name).mkdir()
            for found in (path for glob in globs for path in sorted(folder.glob(glob))):
                if found.is_dir():
                    shutil.copytree(found, made / name / found.name, copy_function=shutil.copyfile)
                else:
                    shutil.copyfile(found, made / name / found.name)
        made.rename(target)


def _folder_of(module: Module, source: str) -> Path:
    """Where Go keeps another module, whose checksum is in go.sum."""
    _go(module, "mod", "download", source)
    return Path(_go(module, "list", "-m", "-f", "{{.Dir}}", source).strip())


def _patched(module: Module, work: Path) -> Module:
    """With a go.mod that names copies of other modules, in which the files of `patches` are."""
    if not module.patches:
        return module
    for name in ("go.mod", "go.sum"):
        shutil.copyfile(module.folder / name, work / name)
    for source, folder in module.patches.items():
        copy = work / folder
        shutil.copytree(_folder_of(module, source), copy, copy_function=shutil.copyfile)
        shutil.copytree(module.folder / folder, copy, copy_function=shutil.copyfile, dirs_exist_ok=True)
        _go(module, "mod", "edit", f"-replace={source}={copy}", str(work / "go.mod"))
    return replace(module, versions=str(work / "go.mod"))


#: What Go builds now; ended when one build fails, or by Ctrl-C.
_RUNNING: set[subprocess.Popen[str]] = set()


class _Progress:
    """Says every half a minute how far a build is: silence for minutes looks like a hang."""

    def __init__(self, program: str, say: Callable[[str], None], seconds: float = 30.0):
        self._program, self._say, self._seconds = program, say, seconds
        self._started, self._compiled = time.monotonic(), 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def count(self, line: str) -> None:
        """A line of `go build -v`."""
        self._compiled += not line.startswith("go: ")

    def __enter__(self) -> _Progress:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self._seconds):
            past = time.monotonic() - self._started
            self._say(f"{self._program}: {self._compiled} packages compiled in {past:.0f} s, still building")


def _go(module: Module, *arguments: str, each_line: Callable[[str], None] = lambda line: None) -> str:
    """What it prints; BuildFailed. `each_line`: gets the lines of its error stream as they come."""
    flags = f"-mod=readonly -buildvcs=false{f' -modfile={module.versions}' if module.versions else ''}"
    environment = {**os.environ, "GOFLAGS": flags, "GOTOOLCHAIN": "auto"}
    environment |= {"CGO_ENABLED": "0"} if module.without_c else {}
    lines: list[str] = []
    with (
        tempfile.TemporaryFile("w+") as printed,
        subprocess.Popen(
            ["go", *arguments], cwd=module.folder, env=environment, stdout=printed, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        _RUNNING.add(process)
        assert process.stderr is not None
        for line in process.stderr:
            each_line(line)
            if not line.startswith("go: downloading"):
                lines.append(line.rstrip("\n"))
        code = process.wait()
        _RUNNING.discard(process)
        if code:
            raise BuildFailed(
                f"go {arguments[0]} of {module.name} failed (in {module.folder}):\n" + "\n".join(lines[-30:])
            )
        printed.seek(0)
        return printed.read()


def print_progress(text: str) -> None:
    """A line of progress."""
    sys.stdout.write(f"real-cluster: {text}\n")
    sys.stdout.flush()
