"""Makes the images small, in those stages of the Containerfiles that have a shell and Debian's tools; the last stages
have neither.

`python slim.py packages VENV PROGRAM …` removes from an environment what no program of ours reads, and of its commands
all but these; it strips compiled modules of what only a debugger reads, and compiles the rest.

`python slim.py root ROOT VENV PROGRAM …` copies into ROOT the programs, and what they and the environment (`-`: none)
need of the machine: the interpreter with its standard library, and the shared libraries, with Debian's record of their
packages, which scanners of images read, and all of it as CycloneDX.

Standard library only.
"""

import compileall
import importlib.metadata
import json
import os
import platform
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
import uuid
from pathlib import Path

#: Those of the console's LANGUAGES, as folders are named.
LANGUAGES = {"en", "es", "fr", "ja", "ko", "zh_Hans"}
#: Sources of compiled modules and descriptions for type checkers.
_SOURCES = {".c", ".cc", ".cpp", ".h", ".hpp", ".pxd", ".pyi", ".pyx"}
#: Of a package: what is never imported. A pattern that matches nothing is an error if the package is installed: another
#: version has other folders.
NEEDLESS = {
    # The client for asyncio, and a class for each kind and API of Kubernetes. They are imported at their first use,
    # and the console uses only what runs a kubeconfig's credential plugins.
    "kubernetes": ("kubernetes/aio", "kubernetes/client/api/*_api.py", "kubernetes/client/models/*_*.py"),
    # Libraries of CEL that the console doesn't declare.
    "cel_expr_python": tuple(f"cel_expr_python/ext/ext_{name}.*" for name in ("encoders", "math", "proto", "strings")),
    # For other interpreters than CPython.
    "zstandard": ("zstandard/_cffi.*",),
}
#: What a package's build has left beside it, in the wheels for some versions of Python.
_REMAINS = ("bazel-project",)
#: Of the standard library: tests, windows, and what installs packages.
_NO_LIBRARY = shutil.ignore_patterns(
    *("__pycache__", "test", "tests", "idlelib", "tkinter", "turtle.py", "turtledemo", "ensurepip", "venv", "lib2to3"),
    *("pydoc_data", "site-packages", "dist-packages", "config-*", "_test*.so", "_tkinter.*", "_ctypes_test*", "xx*.so"),
    *("*.a", "_xxtestfuzz*", "sitecustomize.py", "LICENSE.txt"),
)
_USERS = "root:x:0:0:root:/root:/sbin/nologin\nconsole:x:10001:10001::/tmp:/sbin/nologin\n"
_GROUPS = "root:x:0:\nconsole:x:10001:\n"


def site_packages(environment: Path) -> Path:
    return next(environment.glob("lib/python3*/site-packages"))


def pruned(environment: Path, programs: list[str]) -> None:
    """Removes; SystemExit where a pattern has become wrong."""
    packages = site_packages(environment)
    for name, patterns in NEEDLESS.items():
        for pattern in patterns if (packages / name).exists() else ():
            found = [*packages.glob(pattern)]
            if not found:
                raise SystemExit(f"slim.py: {pattern} isn't in the package {name} anymore")
            for path in found:
                removed(path)
    for path in (*(packages / name for name in _REMAINS), environment / ".lock"):
        removed(path)
    for folder in [*packages.rglob("locale")]:
        for path in folder.iterdir():
            # Names of folders in which languages are; beside them are modules.
            if re.fullmatch(r"[a-z]{2,3}(_\w+)?", path.name) and path.name not in LANGUAGES and path.is_dir():
                removed(path)
    for path in [*packages.rglob("*")]:
        if path.suffix in _SOURCES or path.name == "tests":
            removed(path)
    for path in (environment / "bin").iterdir():
        if not path.name.startswith("python") and path.name not in programs:
            removed(path)


def removed(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def stripped(environment: Path) -> None:
    """Only modules: the libraries in NAME.libs have been rewritten by auditwheel, and are stripped already."""
    for path in environment.rglob("*.so"):
        # Not in place: the file may be a link to one in uv's cache.
        new = path.with_name(f"{path.name}.stripped")
        subprocess.run(["strip", "--strip-unneeded", "-o", str(new), str(path)], check=True)
        shutil.copymode(path, new)
        os.replace(new, path)


def compiled(folder: Path, root: str = "") -> None:
    """Bytecode that isn't compared with its source at each start. ``root``: what isn't part of the names in it."""
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    if not compileall.compile_dir(
        folder, quiet=1, stripdir=root or None, prependdir="/" if root else None, invalidation_mode=unchecked
    ):
        raise SystemExit(f"slim.py: {folder} can't be compiled")


def copied(source: Path, root: Path) -> None:
    """A file under its name, and what it links to. Folders of the way that are links (/lib) are links in the copy."""
    for folder in [*source.parents][-2::-1]:
        there = root / folder.relative_to("/")
        if folder.is_symlink() and not there.is_symlink():
            there.parent.mkdir(parents=True, exist_ok=True)
            there.symlink_to(os.readlink(folder))
        (root / Path(os.path.realpath(folder)).relative_to("/")).mkdir(parents=True, exist_ok=True)
    there = root / Path(os.path.realpath(source.parent)).relative_to("/") / source.name
    if there.is_symlink() or there.exists():
        return
    if source.is_symlink():
        there.symlink_to(os.readlink(source))
        copied(Path(os.path.normpath(source.parent / os.readlink(source))), root)
    else:
        shutil.copy2(source, there)


def libraries(files: list[Path], environment: Path | None) -> set[Path]:
    """The shared libraries of the machine that the files are linked with."""
    done = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=False)
    if missing := re.findall(r"\S+ => not found", done.stdout):
        raise SystemExit(f"slim.py: {missing}")
    found = {Path(os.path.normpath(path)) for path in re.findall(r"(?:=> |^\s+)(/\S+) \(0x", done.stdout, re.MULTILINE)}
    # The threads of the C library load it by its name.
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    found.update(Path(path) for path in re.findall(r"libgcc_s\.so\.1 \([^)]*\) => (\S+)", listed)[:1])
    return {path for path in found if environment not in path.parents}


def root_of(root: Path, environment: Path | None, programs: list[str]) -> None:
    interpreter = environment / "bin" / "python" if environment else Path(shutil.which("python3") or sys.executable)
    # The environment's own links are copied with it.
    while environment in interpreter.parents:
        interpreter = Path(os.path.normpath(interpreter.parent / os.readlink(interpreter)))
    copied(interpreter, root)
    places = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    for place in places:
        copied(place / "os.py", root)
        shutil.copytree(place, root / place.relative_to("/"), ignore=_NO_LIBRARY, dirs_exist_ok=True)
    found = [Path(shutil.which(name) or name) for name in programs]
    modules = [path for place in (*places, *filter(None, [environment])) for path in place.rglob("*.so")]
    needed = {*libraries([interpreter, *found, *modules], environment), *found}
    for path in sorted(needed):
        copied(path, root)
    for place in places:
        compiled(root / place.relative_to("/"), str(root))
    for name in ("etc/ld.so.conf", "etc/nsswitch.conf", "etc/os-release", "etc/debian_version"):
        if Path("/", name).exists():
            copied(Path("/", name), root)
    # The locale of LANG: without it, Valkey doesn't start.
    for name in ("etc/ld.so.conf.d", "usr/lib/locale/C.utf8", "usr/lib/ssl", "usr/share/zoneinfo"):
        if Path("/", name).exists():
            other = shutil.ignore_patterns("misc", "posix", "right", "localtime")
            shutil.copytree(Path("/", name), root / name, symlinks=True, ignore=other)
    subprocess.run(["ldconfig", "-r", str(root), "-X"], check=True)
    (root / "etc/passwd").write_text(_USERS)
    (root / "etc/group").write_text(_GROUPS)
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    library = {interpreter, *(place / "os.py" for place in places), *modules[:1]}
    components = [*recorded({*needed, *library}, root), *packages_of(environment)]
    written = root / "usr/share/sbom/image.cdx.json"
    written.parent.mkdir(parents=True)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
    }
    written.write_text(json.dumps({**document, "components": components}, indent=1) + "\n")


def recorded(files: set[Path], root: Path) -> list[dict[str, str]]:
    """Debian's packages of these files, recorded in ROOT as images without dpkg do it; and the interpreter."""
    owners = {"base-files", "ca-certificates", "tzdata"}
    interpreter = component("python", platform.python_version(), f"pkg:generic/python@{platform.python_version()}")
    if not shutil.which("dpkg-query"):
        return [interpreter]
    for path in files:
        # The record has the package's name of a file, which may be older than the link from /lib to /usr/lib.
        real = os.path.realpath(path)
        for name in (str(path), real, real.removeprefix("/usr")):
            done = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True, check=False)
            owners.update(re.findall(r"^([a-z0-9.+-]+)(?::\w+)?: ", done.stdout, re.MULTILINE))
    status = root / "var/lib/dpkg/status.d"
    status.mkdir(parents=True)
    components = []
    for owner in sorted(owners):
        done = subprocess.run(["dpkg-query", "--status", owner], capture_output=True, text=True, check=False)
        fields = dict(re.findall(r"^(Package|Version|Architecture): (.+)$", done.stdout, re.MULTILINE))
        if done.returncode or "Version" not in fields:
            continue
        (status / owner).write_text(done.stdout)
        licence = Path("/usr/share/doc", owner, "copyright")
        if licence.exists():
            copied(licence.resolve(), root)
        purl = f"pkg:deb/debian/{owner}@{fields['Version']}?arch={fields['Architecture']}"
        components.append(component(owner, fields["Version"], purl))
    return components if any(owner.startswith("python3") for owner in owners) else [interpreter, *components]


def packages_of(environment: Path | None) -> list[dict[str, str]]:
    if environment is None:
        return []
    found = importlib.metadata.distributions(path=[str(site_packages(environment))])
    named = {re.sub(r"[-_.]+", "-", item.metadata["Name"]).lower(): item.version for item in found}
    return [component(name, version, f"pkg:pypi/{name}@{version}") for name, version in sorted(named.items())]


def component(name: str, version: str, purl: str) -> dict[str, str]:
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def main(command: str, *words: str) -> None:
    if command == "packages":
        environment, *programs = words
        pruned(Path(environment), programs)
        stripped(Path(environment))
        compiled(Path(environment, "lib"))
    else:
        root, environment, *programs = words
        root_of(Path(root), None if environment == "-" else Path(environment), programs)


if __name__ == "__main__":
    main(*sys.argv[1:])
