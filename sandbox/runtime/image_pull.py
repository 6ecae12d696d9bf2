"""The one image that is pulled here: of a registry that can't exist.

It never comes, in containerd's and the kubelet's words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .container import Container
from .images import lost_registry

if TYPE_CHECKING:
    from .pod import PodRunner

#: Seconds between a pull that failed and the back-off, and the first and longest back-off.
PAUSE, FIRST, LONGEST = 1.0, 10.0, 300.0


async def pull(pod: PodRunner, container: Container) -> None:
    """Returns when the image is another one, or the Pod ends."""
    tries = 0
    while (host := lost_registry(container.image)) and not pod.stopping:
        image = container.image
        why = reason(image, host)
        pod.record_event(container, "Pulling", f'Pulling image "{image}"')
        pod.record_event(container, "Failed", f'Failed to pull image "{image}": {why}', warning=True)
        pod.record_event(container, "Failed", "Error: ErrImagePull", warning=True)
        container.wait_for("ErrImagePull", why)
        pod.publish()
        await pod.sleep(PAUSE)
        pod.record_event(container, "BackOff", f'Back-off pulling image "{image}"', warning=True)
        pod.record_event(container, "Failed", "Error: ImagePullBackOff", warning=True)
        container.wait_for("ImagePullBackOff", f'Back-off pulling image "{image}": ErrImagePull: {why}')
        pod.publish()
        left, tries = min(FIRST * 2**tries, LONGEST), tries + 1
        while left > 0 and container.image == image and not pod.stopping:
            await pod.sleep(1.0)
            left -= 1.0


def reason(image: str, host: str) -> str:
    """containerd's sentence."""
    path, _, tag = image.partition("/")[2].partition(":")
    url = f"https://{host}/v2/{path}/manifests/{tag or 'latest'}"
    return (
        f'failed to pull and unpack image "{image}": failed to resolve reference "{image}": failed to do request: '
        f'Head "{url}": dial tcp: lookup {host.partition(":")[0]}: no such host'
    )
