"""What an image contains, and what it mustn't contain, by the files of its root."""

import json
import os
import stat
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

from packaging.utils import canonicalize_name

SHELLS = {"sh", "ash", "bash", "csh", "dash", "fish", "ksh", "rbash", "tcsh", "zsh", "busybox"}
#: Programs and Python packages that install packages.
INSTALLERS = {"apk", "apt", "apt-get", "conda", "dnf", "dpkg", "easy_install", "ensurepip", "npm", "pip", "pip3", "rpm"}
INSTALLERS |= {"setuptools", "uv", "yum"}
#: Mounted when a container runs.
_MOUNTED = ("proc", "dev", "sys")


def files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        if Path(folder) == root:
            folders[:] = [name for name in folders if name not in _MOUNTED]
        yield from (Path(folder) / name for name in (*folders, *names))


def faults(root: Path) -> list[str]:
    """A line for each file that shouldn't be there, that others than its owner could change, or that is missing."""
    found = [] if (root / "usr/lib/locale/C.utf8/LC_CTYPE").exists() else ["the locale of LANG is missing"]
    for path in files(root):
        status, name = path.lstat(), f"/{path.relative_to(root)}"
        mode = status.st_mode
        if path.name in SHELLS and not stat.S_ISDIR(mode):
            found.append(f"{name}: a shell")
        if path.name in INSTALLERS and name != "/var/lib/dpkg":
            found.append(f"{name}: installs packages")
        if mode & (stat.S_ISUID | stat.S_ISGID):
            found.append(f"{name}: runs as its owner")
        if stat.S_ISLNK(mode):
            # A link from the root begins at the image's. Links to certificates are there without them, too.
            target = Path(os.readlink(path))
            there = root / target.relative_to("/") if target.is_absolute() else path.parent / target
            if not os.path.lexists(there) and "/ssl/" not in name:
                found.append(f"{name}: links to {target}, which isn't there")
            continue
        if "security.capability" in os.listxattr(path):
            found.append(f"{name}: has capabilities")
        if mode & stat.S_IWOTH and not (stat.S_ISDIR(mode) and mode & stat.S_ISVTX):
            found.append(f"{name}: anyone can write to it")
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            found.append(f"{name}: neither a file nor a folder")
        if stat.S_ISREG(mode) and (status.st_uid, status.st_gid) != (0, 0):
            found.append(f"{name}: belongs to {status.st_uid}:{status.st_gid}")
        if stat.S_ISREG(mode) and not mode & stat.S_IROTH and "/etc/ssl/private/" not in name:
            found.append(f"{name}: can't be read by every user")
    return found


def listed(root: Path) -> set[tuple[str, str]]:
    """(`deb` or `pypi`, NAME@VERSION) of each package in the image's bill of materials."""
    document = json.loads((root / "usr/share/sbom/image.cdx.json").read_text())
    assert document["bomFormat"] == "CycloneDX"
    purls = (component["purl"].removeprefix("pkg:").partition("?")[0] for component in document["components"])
    return {(purl.partition("/")[0], purl.rpartition("/")[2]) for purl in purls}


def installed(root: Path) -> set[tuple[str, str]]:
    """The same, of the Debian packages and the Python packages that are there."""
    found = set()
    for path in (root / "var/lib/dpkg/status.d").glob("*"):
        fields = dict(line.split(": ", 1) for line in path.read_text().splitlines() if ": " in line)
        found.add(("deb", f"{fields['Package']}@{fields['Version']}"))
    for place in (root / "app").glob(".venv/lib/python3*/site-packages"):
        for item in distributions(path=[str(place)]):
            found.add(("pypi", f"{canonicalize_name(item.metadata['Name'])}@{item.version}"))
    return found
