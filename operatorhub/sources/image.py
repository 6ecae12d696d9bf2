"""A catalog or bundle in a registry, by the OCI distribution API."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pulled:
    """What an image holds, unpacked."""

    digest: str
    folder: Path


def pull(reference: str, target: Path) -> Pulled:
    raise NotImplementedError
