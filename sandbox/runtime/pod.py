"""The life of one Pod on this node: volumes, init containers in order, containers that start again, and its end.

Containers of known images are processes; the others are simulated by what their states show. Reasons, messages and
events are a kubelet's. A runner writes only the Pod's status; the Pod's controller deletes the Pod.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from ..client import Client
from ..context import POD_TOKEN_SECONDS, Context
from ..errors import ApiError, NotFound, ServiceUnavailable
from ..objects import Object, dig
from . import pod_status
from .confinement import Confinement
from .container import Container, containers_of
from .container_lifecycle import ContainerLifecycle
from .environment import ConfigError
from .images import Images
from .mounts import MountError, Mounts
from .place import PodPlace, log_folder
from .recorder import EventRecorder
from .reports import Reports

log = logging.getLogger("sandbox.kubelet")

#: Seconds before a volume that could not be mounted is tried again, if nothing it waits for changes before.
MOUNT_PAUSE = 5.0
#: How long a simulated Pod takes to come up.
SIMULATED_START = 0.4
#: A token is replaced when this share of its time is over (a kubelet's rule), and tried again so often while that
#: fails.
RENEW_AT, RENEWAL_PAUSE = 0.8, 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The parts of the node that all its Pods share."""

    cluster: Client
    context: Context
    images: Images
    recorder: EventRecorder
    services: Callable[[str], dict[str, str]]
    confinement: Confinement


class PodRunner:
    """One Pod from its arrival until it is gone."""

    def __init__(self, host: Host, pod: Object, address: str):
        self.host = host
        self.pod = pod
        self.address = address
        metadata = pod["metadata"]
        self.namespace, self.name, self.uid = str(metadata["namespace"]), str(metadata["name"]), str(metadata["uid"])
        context, data = host.context, host.context.data_dir
        self.place = PodPlace(
            folder=data / "pods" / self.uid,
            data_dir=data,
            api_url=context.api_url,
            authority=context.authority,
            token=self._token,
            services=host.services,
            namespace=self.namespace,
            confinement=host.confinement,
        )
        self.mounts = Mounts(host.cluster, self.place, self._token)
        self.containers = containers_of(pod, host.images, log_folder(data, pod))
        self.stopping = False
        self._reports = Reports(host.cluster, pod, self._status)
        self.publish = self._reports.publish
        self._wakers: set[asyncio.Future[None]] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ending: asyncio.Task[None] | None = None
        self._forgetting: asyncio.Task[None] | None = None
        self._deadline: float | None = None
        self._life = self.spawn(self._live())
        self._life.add_done_callback(lambda _life: self.place.release_ports())

    # Parts

    @property
    def simulated(self) -> bool:
        """No container of it really runs."""
        return all(container.simulated for container in self.containers)

    @property
    def policy(self) -> str:
        return str(self.pod["spec"].get("restartPolicy") or "Always")

    def container(self, name: str) -> Container | None:
        """The container of this name."""
        return next((container for container in self.containers if container.name == name), None)

    def _token(self) -> str:
        account = str(self.pod["spec"].get("serviceAccountName") or "default")
        try:
            return self.host.context.pod_token(self.pod, account)
        except NotFound:
            raise ConfigError(f'serviceaccount "{account}" not found') from None

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """A task that ends with the Pod at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Called by the node

    def update(self, pod: Object) -> None:
        """The Pod as it is stored now."""
        self.pod = pod
        self._change_images()
        if pod["metadata"].get("deletionTimestamp"):
            grace = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
            until = asyncio.get_running_loop().time() + grace
            self._deadline = until if self._deadline is None else min(until, self._deadline)
            if self._ending is None:
                self._ending = self.spawn(self._end())

    def _change_images(self) -> None:
        specs = {
            item["name"]: item for kind in ("initContainers", "containers") for item in self.pod["spec"].get(kind) or []
        }
        for container in self.containers:
            spec = specs.get(container.name)
            if spec is not None and spec.get("image") != container.image:
                container.spec, container.program = spec, self.host.images.find(str(spec.get("image")))
                if container.running:
                    self.record_event(
                        container, "Killing", f"Container {container.name} definition changed, will be restarted"
                    )
                    if container.process is not None:
                        container.process.terminate()
                self.wake()

    def changed(self, resource: str, name: str) -> None:
        """A ConfigMap, Secret or claim that the Pod may wait for or show. A simulated one waits for nothing."""
        if self.simulated:
            return
        if self.place.volumes:
            self.mounts.refresh(self.pod, resource, name)
        self.wake()

    def wake(self) -> None:
        """Ends every pause, so that its condition is checked again."""
        for waker in self._wakers:
            if not waker.done():
                waker.set_result(None)

    async def pause(self, seconds: float | None) -> None:
        """Waits; shorter when something changed or the Pod is ending."""
        waker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wakers.add(waker)
        try:
            async with asyncio.timeout(seconds):
                await waker
        except TimeoutError:
            pass
        finally:
            self._wakers.discard(waker)

    async def sleep(self, seconds: float) -> None:
        """Waits the whole time, unless the Pod is ending."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self.stopping and (left := until - loop.time()) > 0:
            await self.pause(left)

    # Life

    async def _live(self) -> None:
        """Runs the Pod; an error of ours is logged, and the Pod tried again."""
        while not self.stopping:
            try:
                await self._run()
                return
            except (NotFound, asyncio.CancelledError):
                raise
            except Exception:
                log.exception("pod %s/%s failed; trying again", self.namespace, self.name)
                await self.sleep(5.0)

    async def _run(self) -> None:
        if dig(self.pod, "status", "phase") in ("Succeeded", "Failed") or self.pod["metadata"].get("deletionTimestamp"):
            return
        resumed = self._resume()
        if not resumed:
            names = [container.name for container in self.containers if container.simulated]
            self._reports.simulates(self.pod, names, everything=self.simulated)
            inits = any(container.kind == "init" for container in self.containers)
            for container in self.containers:
                container.wait_for("PodInitializing" if inits and container.kind == "main" else "ContainerCreating")
        self.publish()
        await self._prepare(resumed)
        lifecycle = ContainerLifecycle(self)
        renewing = self.spawn(self._keep_tokens_good())
        try:
            if await lifecycle.initialize():
                mains = [container for container in self.containers if container.kind == "main"]
                await asyncio.gather(*(lifecycle.keep(container) for container in mains))
            await lifecycle.end_sidecars()
        finally:
            renewing.cancel()
        self.publish()

    def _resume(self) -> bool:
        """After a restart of the sandbox: simulated containers resume, processes are gone."""
        statuses = {
            item["name"]: item
            for kind in ("initContainerStatuses", "containerStatuses")
            for item in dig(self.pod, "status", kind) or []
        }
        for container in self.containers:
            if container.name in statuses:
                container.resume(statuses[container.name])
                if container.running and not container.simulated:
                    container.lose()
        return bool(statuses)

    async def _prepare(self, resumed: bool) -> None:
        """Folders and ports. A Pod whose volumes are not there waits for them."""
        if self.simulated:
            if not resumed:
                await self.sleep(SIMULATED_START)
            return
        self.place.claim_ports(self.containers)
        while not self.stopping:
            try:
                self.place.volumes = self.mounts.prepare(self.pod)
                return
            except (MountError, ConfigError, ServiceUnavailable, OSError) as problem:
                self.host.recorder.warning(self.pod, "FailedMount", str(problem))
                await self.pause(MOUNT_PAUSE)

    async def _keep_tokens_good(self) -> None:
        """Replaces tokens in their files in time. By the wall clock, which also counts while a laptop sleeps."""
        if self.simulated:
            return
        renewal = time.time() + RENEW_AT * POD_TOKEN_SECONDS
        while not self.stopping:
            await self.sleep(min(RENEWAL_PAUSE, max(0.0, renewal - time.time())))
            if self.stopping or time.time() < renewal:
                continue
            try:
                self.place.account(self.namespace)
                self.mounts.renew_tokens(self.pod)
                renewal = time.time() + RENEW_AT * POD_TOKEN_SECONDS
            except (ApiError, ConfigError, MountError, OSError) as problem:
                log.warning("pod %s/%s: no new token: %s", self.namespace, self.name, problem)
                await self.sleep(RENEWAL_PAUSE)

    # Telling

    def record_event(self, container: Container, reason: str, message: str, *, warning: bool = False) -> None:
        """Creates an Event about a container."""
        record = self.host.recorder.warning if warning else self.host.recorder.normal
        record(self.pod, reason, message, container.field_path)

    def _status(self, stored: Object) -> Object:
        return pod_status.calculate(stored, self.containers, self.address, stopping=self.stopping)

    # The end

    async def _end(self) -> None:
        """The Pod is being deleted: ends containers within the grace, then removes the Pod."""
        for container in self.containers:
            if container.running:
                self.record_event(container, "Killing", f"Stopping container {container.name}")
        await self._stop_processes()
        self.publish()
        await self._reports.end()

    async def _stop_processes(self) -> None:
        self.stopping = True
        self.wake()
        await ContainerLifecycle(self).pre_stop()
        for container in self.containers:
            if container.process is not None:
                container.process.terminate()
        loop = asyncio.get_running_loop()
        while not self._life.done():
            left = (self._deadline if self._deadline is not None else loop.time()) - loop.time()
            if left <= 0:
                break
            # A later deletion may shorten the grace.
            await asyncio.wait([self._life], timeout=min(left, 1.0))
        await self._kill()

    async def _kill(self) -> None:
        for container in self.containers:
            if container.process is not None:
                container.process.kill()
        if not self._life.done():
            await asyncio.wait([self._life], timeout=2.0)

    def vanish(self) -> None:
        """The Pod is deleted, perhaps by force: ends its processes and removes its files."""
        self.stopping = True
        self._reports.mute()
        self.wake()
        for container in self.containers:
            if container.process is not None:
                container.process.kill()
        self._forgetting = asyncio.get_running_loop().create_task(self._forget())

    async def _forget(self) -> None:
        await self._kill()
        self._cancel()
        shutil.rmtree(self.place.folder, ignore_errors=True)
        shutil.rmtree(log_folder(self.host.context.data_dir, self.pod), ignore_errors=True)

    async def shut_down(self, seconds: float) -> None:
        """The sandbox stops: processes end, the Pod's status stays as it was."""
        self.stopping = True
        self._reports.mute()
        self.wake()
        living = [container.process for container in self.containers if container.process is not None]
        for process in living:
            process.terminate()
        if living and not self._life.done():
            await asyncio.wait([self._life], timeout=seconds)
        for process in living:
            process.kill()
        self._cancel()

    def _cancel(self) -> None:
        for task in list(self._tasks):
            task.cancel()
