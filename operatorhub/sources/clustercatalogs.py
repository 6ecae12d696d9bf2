"""OLM v1's ClusterCatalogs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kube.client import ClusterClient


@dataclass(frozen=True, slots=True)
class Source:
    served: bool
    image: str
    digest: str
    title: str


def look(client: ClusterClient, name: str) -> Source:
    raise NotImplementedError


@contextmanager
def content(client: ClusterClient, source: Source, scratch: Path) -> Iterator[BinaryIO]:
    with (scratch / source.title).open('rb') as stream:
        yield stream
