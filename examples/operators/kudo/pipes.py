"""Files that a Pipe task's Pod makes, which become Secrets and ConfigMaps: names, the Pod, the objects. Pure.

The package's Pod has one init container, which writes into an empty folder; a container that only waits is added, so
that the files can be read from it. https://kudo.dev/docs/developing-operators/tasks.html#pipe-task
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from examples.operators.kubeapi import Object

from .version import DEPLOY, OperatorVersion, Pipe, Plan

#: Bytes of a file; a Secret can't be larger.
LARGEST = 1 << 20
#: The container that waits, and its default image.
WAITER, IMAGE = "waiter", "operator-console.dev/kudo-waiter:1.0.0"
_NO_NAME = re.compile(r"[^a-z0-9]+")
_KEY = re.compile(r"[-._a-zA-Z0-9]+")


class PipeError(Exception):
    """What is wrong with the Pod or with a file, for the author of the package."""


def name(*parts: str) -> str:
    """``<instance>.<plan>.<phase>.<step>.<task>.<key>``, as KUDO names what a Pipe task makes; nothing but letters
    and digits stays of the later ones.
    """
    instance, *rest = parts
    return ".".join([instance, *(_NO_NAME.sub("", part.lower()) for part in rest)])


def names(version: OperatorVersion, instance: str, plan: str) -> dict[str, str]:
    """``.Pipes``: the object of each key.

    A plan sees what its own Pipe tasks make, and of the others what deploy has made.
    """
    found: dict[str, str] = {}
    for fromkey in dict.fromkeys((DEPLOY, plan)):
        found |= {pipe.key: made for pipe, made in _made(version, instance, version.plans[fromkey])}
    return found


def _made(version: OperatorVersion, instance: str, plan: Plan) -> Iterator[tuple[Pipe, str]]:
    for phase in plan.phases:
        for step in phase.steps:
            for task in step.tasks:
                for pipe in version.tasks[task].pipes:
                    yield pipe, name(instance, plan.name, phase.name, step.name, task, pipe.key)


def pod(written: Object, made: str, pipes: Iterable[Pipe], image: str) -> Object:
    """The template's Pod with the waiting container and the name ``made``; PipeError."""
    spec = dict(written.get("spec") or {})
    first = spec.get("initContainers") or []
    if spec.get("containers") or len(first) != 1:
        raise PipeError("the Pod of a Pipe task has one init container, which writes the files, and no others")
    volume, mount = _shared(spec, first[0])
    for pipe in pipes:
        if not _KEY.fullmatch(_inside(pipe.path, mount)):
            raise PipeError(f"{pipe.path} is no file in {mount}, where the volume {volume} is mounted")
    waiter = {
        "name": WAITER,
        "image": image,
        "volumeMounts": [{"name": volume, "mountPath": mount}],
        # The same user, so that it can read files with mode 0600.
        **({"securityContext": first[0]["securityContext"]} if first[0].get("securityContext") else {}),
    }
    rest = {"restartPolicy": "OnFailure", "terminationGracePeriodSeconds": 1, "containers": [waiter]}
    return {**written, "metadata": {**(written.get("metadata") or {}), "name": made}, "spec": {**spec, **rest}}


def mount_path(made: Object) -> str:
    """Where the waiting container of a Pod has the files."""
    (waiter,) = (container for container in made["spec"]["containers"] if container["name"] == WAITER)
    return str(waiter["volumeMounts"][0]["mountPath"])


def reading(pipe: Pipe, mount: str) -> list[str]:
    """The command that writes a file to its output, and one byte more than is allowed of one that is too large.

    On the embedded cluster a volume is in another folder than in a container; a variable tells where.
    """
    variable = "SANDBOX_MOUNT_" + re.sub(r"[^0-9A-Za-z]", "_", mount).upper()
    script = f'cd "${{{variable}:-$0}}" && exec head -c "$2" -- "$1"'
    return ["sh", "-c", script, mount, _inside(pipe.path, mount), str(LARGEST + 1)]


def artifact(pipe: Pipe, made: str, content: bytes) -> Object:
    """The Secret or the ConfigMap; PipeError."""
    if len(content) > LARGEST:
        raise PipeError(f"{pipe.path} is larger than {LARGEST} bytes")
    data = _variables(pipe, content) if pipe.env else {PurePosixPath(pipe.path).name: content}
    meta = {"apiVersion": "v1", "kind": pipe.kind, "metadata": {"name": made}}
    if pipe.kind == "Secret":
        return {**meta, "type": "Opaque", "data": {key: _encoded(piece) for key, piece in data.items()}}
    plain = {key: text for key, piece in data.items() if (text := _text(piece)) is not None}
    binary = {key: _encoded(piece) for key, piece in data.items() if key not in plain}
    return {**meta, "data": plain, **({"binaryData": binary} if binary else {})}


def _shared(spec: Object, container: Object) -> tuple[str, str]:
    """The empty folder: its volume, and where the container has it."""
    empty = [str(volume["name"]) for volume in spec.get("volumes") or [] if "emptyDir" in volume]
    mounts = {mount.get("name"): str(mount.get("mountPath")) for mount in container.get("volumeMounts") or []}
    if len(empty) != 1 or empty[0] not in mounts:
        raise PipeError("the Pod of a Pipe task has one volume of the kind emptyDir, mounted in its init container")
    return empty[0], mounts[empty[0]]


def _inside(path: str, mount: str) -> str:
    """The file's path in the folder; empty when it is elsewhere."""
    place, folder = PurePosixPath(path), PurePosixPath(mount)
    return str(place.relative_to(folder)) if place.is_relative_to(folder) and ".." not in place.parts else ""


def _variables(pipe: Pipe, content: bytes) -> dict[str, bytes]:
    """The lines ``KEY=value`` of a file; empty ones and those that begin with # are nothing."""
    found: dict[str, bytes] = {}
    for number, line in enumerate(content.splitlines(), 1):
        key, equals, value = line.partition(b"=")
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        if not equals or not _KEY.fullmatch(key.decode(errors="replace")):
            raise PipeError(f"{pipe.path}, line {number}: this is not KEY=value")
        found[key.decode()] = value
    return found


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _text(content: bytes) -> Any:
    """None when it isn't UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
