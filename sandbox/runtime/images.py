"""The images that run as local programs (images.toml), and the check of references."""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DOMAIN_PART = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
#: github.com/distribution/reference, regexp.go
_REFERENCE = re.compile(
    rf"^(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*(?::[\w][\w.-]{{0,127}})?"
    r"(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$"
)


def is_reference(image: str) -> bool:
    """Whether this can be an image's name at all; a kubelet says InvalidImageName of others."""
    return bool(_REFERENCE.match(image)) and len(image) <= 512


def lost_registry(image: str) -> str:
    """The registry's name where no DNS can ever know it (RFC 6761: .invalid), else ''.

    Such an image can't be pulled, here as on a real node.
    """
    host = image.partition("/")[0] if "/" in image else ""
    return host if host.partition(":")[0].endswith(".invalid") else ""


@dataclass(frozen=True, slots=True)
class Image:
    """A pattern of image names and the program that stands for them.

    ports: container ports that the program listens on, as EXPOSE of a Containerfile names them. Each is given a free
    port of this machine, whether the Pod's spec declares it or not: Pods have addresses of their own on a real cluster.
    """

    match: str
    command: tuple[str, ...]
    ports: tuple[int, ...] = ()


class Images:
    """The entries of an images.toml, the first that matches counts."""

    def __init__(self, images: tuple[Image, ...] = ()):
        self._images = images

    @classmethod
    def load(cls, path: Path | None) -> Images:
        """Reads the file; ValueError names the entry that is wrong. No file, no programs: every image is simulated."""
        if path is None:
            return cls()
        found = []
        for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8")).get("image", []), 1):
            match, command, ports = entry.get("match"), entry.get("command"), entry.get("ports", [])
            if not isinstance(match, str) or not isinstance(command, list) or not command:
                raise ValueError(f"{path}: image number {number} needs a match (text) and a command (list of texts)")
            if not isinstance(ports, list) or not all(isinstance(port, int) and 0 < port < 65536 for port in ports):
                raise ValueError(f"{path}: ports of image number {number} must be a list of numbers from 1 to 65535")
            words = tuple(str(word).replace("{python}", sys.executable) for word in command)
            found.append(Image(match=match, command=words, ports=tuple(ports)))
        return cls(tuple(found))

    def commands(self) -> list[tuple[str, ...]]:
        """Every program that an image stands for."""
        return [image.command for image in self._images]

    def find(self, image: str) -> Image | None:
        """The program of an image; None when it is simulated."""
        return next((known for known in self._images if fnmatchcase(image, known.match)), None)
