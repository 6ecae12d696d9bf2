"""A container with tools beside those of a running Pod: an ephemeral container, as `kubectl debug` makes it.

It shares the Pod's network, and with a target that container's processes; it stays until the Pod ends.
https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/
"""

import secrets
from typing import Any

from kube.client import ClusterClient
from kube.kubectl import Command, CommandArgument, Commands
from kube.objects import KubeObject
from resources.place import Place

#: Small, and it has a shell.
IMAGE = "busybox:1.37"


def container(image: str, target: str) -> dict[str, Any]:
    """An ephemeral container that idles until a terminal is opened in it. `target` '' shares no processes."""
    found: dict[str, Any] = {
        "name": f"debugger-{secrets.token_hex(3)}",
        "image": image,
        "command": ["sh"],
        "stdin": True,
        "tty": True,
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }
    return {**found, "targetContainerName": target} if target else found


def add(client: ClusterClient, place: Place, item: dict[str, Any]) -> KubeObject:
    """Raises KubeError: Forbidden needs patch on pods/ephemeralcontainers, Invalid names the field."""
    patch = {"spec": {"ephemeralContainers": [item]}}
    return client.patch(
        place.type, place.name, patch, place.namespace, style="strategic", subresource="ephemeralcontainers"
    )


def command(place: Place, image: str, target: str) -> Commands:
    """As the form's fields `image` and `target` say."""
    fields = (
        CommandArgument("image", image, before=" --image=", otherwise=" --image=IMAGE"),
        CommandArgument("target", target, before=" --target="),
    )
    return Commands((Command(f"kubectl debug -it {place.name} -n {place.namespace}", rest=(*fields, " -- sh")),))
