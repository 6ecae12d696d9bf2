"""Starts a container of a known image as a process."""

from __future__ import annotations

from ..client import Client
from ..objects import Object
from . import environment
from .container import Container
from .place import PodPlace, environment_of
from .processes import Process


async def start(cluster: Client, pod: Object, container: Container, place: PodPlace) -> Process:
    """Starts the program of an image; environment.ConfigError, OSError."""
    assert container.program is not None and container.log is not None
    variables = environment_of(cluster, pod, container, place)
    arguments = [environment.expand(str(word), variables) for word in container.spec.get("args") or []]
    record = place.data_dir / "processes" / f"{pod['metadata']['uid']}.{container.name}.json"
    shelter = place.shelter(container, pod)
    with place.confinement.launch([*container.program.command, *arguments], variables, shelter) as launch:
        return await Process.start(launch, shelter.folder, record, container.log.write, place.confinement.terminate)
