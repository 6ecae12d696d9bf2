"""Containers of one Pod while they run: started, probed, started again after a pause, and ended."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from ..errors import ServiceUnavailable
from ..objects import Object, dig
from . import probes
from .container import Container
from .environment import ConfigError
from .image_pull import pull
from .images import is_reference
from .logs import LogWriter
from .place import environment_of
from .start import start

if TYPE_CHECKING:
    from .pod import PodRunner

#: Seconds that a simulated container with an end runs, and one with a probe takes to be ready.
SIMULATED_RUN, SIMULATED_READY = 1.0, 0.2
CONFIG_PAUSE = 5.0
#: What a container gets to end after a probe had enough of it.
PROBE_GRACE = 30.0
TERMINATED = 143


class ContainerLifecycle:
    """Runs the containers of ``pod``."""

    def __init__(self, pod: PodRunner):
        self._pod = pod

    # In order

    async def initialize(self) -> bool:
        """Init containers one after the other; whether the others may start."""
        for container in self._pod.containers:
            if container.kind == "sidecar":
                self._pod.spawn(self.keep(container))
                while not container.started and not self._pod.stopping:
                    await self._pod.pause(1.0)
            elif container.kind == "init" and not (container.ended and container.ended["exitCode"] == 0):
                await self.keep(container)
                if not (container.ended and container.ended["exitCode"] == 0):
                    return False
        return not self._pod.stopping

    async def keep(self, container: Container) -> None:
        """Runs a container again and again, as the restart policy says."""
        loop = asyncio.get_running_loop()
        ended = container.ended
        if ended is not None:  # from before a restart of the sandbox
            if not self._again(container, int(ended["exitCode"])):
                return
            container.restarts += 1
        while not self._pod.stopping:
            begun = loop.time()
            code = await self._once(container)
            self._pod.publish()
            if self._pod.stopping or not self._again(container, code):
                return
            wait = container.next_backoff(loop.time() - begun)
            if wait:
                await self._back_off(container, wait)
            container.restarts += 1

    def _again(self, container: Container, code: int) -> bool:
        if container.kind == "sidecar":
            return True
        policy = "OnFailure" if container.kind == "init" and self._pod.policy == "Always" else self._pod.policy
        return policy == "Always" or (policy == "OnFailure" and code != 0)

    async def _back_off(self, container: Container, wait: float) -> None:
        pod = f"{self._pod.name}_{self._pod.namespace}({self._pod.uid})"
        container.wait_for(
            "CrashLoopBackOff", f"back-off {_duration(wait)} restarting failed container={container.name} pod={pod}"
        )
        self._pod.record_event(
            container, "BackOff", f"Back-off restarting failed container {container.name} in pod {pod}", warning=True
        )
        self._pod.publish()
        await self._pod.sleep(wait)

    # Once

    async def _once(self, container: Container) -> int:
        """One start until its end; the exit code."""
        await self._image(container)
        if self._pod.stopping:
            return self._never_ran(container)
        if container.simulated:
            return await self._simulate(container)
        return await self._execute(container)

    def _never_ran(self, container: Container) -> int:
        if container.ended is None:
            container.end(
                137, "ContainerStatusUnknown", "The container could not be located when the pod was terminated"
            )
        return 137

    async def _image(self, container: Container) -> None:
        """An invalid image reference keeps the container waiting until it is changed."""
        while not is_reference(container.image) and not self._pod.stopping:
            why = (
                f'Failed to apply default image tag "{container.image}": couldn\'t parse image name'
                f' "{container.image}": invalid reference format'
            )
            if dig(container.state, "waiting", "reason") != "InvalidImageName":
                container.wait_for("InvalidImageName", why)
                self._pod.publish()
                self._pod.record_event(container, "InspectFailed", why, warning=True)
                self._pod.record_event(container, "Failed", "Error: InvalidImageName", warning=True)
            await self._pod.pause(None)
        await pull(self._pod, container)

    def _started(self, container: Container) -> None:
        container.begin()
        self._pod.record_event(container, "Created", "Container created")
        self._pod.record_event(container, "Started", "Container started")
        self._pod.publish()
        self._pod.wake()

    async def _simulate(self, container: Container) -> int:
        if not container.running:
            text = f'Container image "{container.image}" is simulated by the embedded cluster: nothing was pulled'
            self._pod.record_event(container, "Pulled", text)
            self._started(container)
        if not container.ready and container.kind != "init":
            await self._pod.sleep(SIMULATED_READY)
            if not self._pod.stopping:
                container.started = container.ready = True
                self._pod.publish()
                self._pod.wake()
        finite = container.kind == "init" or (container.kind == "main" and self._pod.policy != "Always")
        image = container.image
        if finite:
            await self._pod.sleep(SIMULATED_RUN)
        while not finite and not self._pod.stopping and container.image == image:
            await self._pod.pause(None)
        code = TERMINATED if finite and self._pod.stopping else 0
        container.end(code)
        return code

    async def _execute(self, container: Container) -> int:
        text = f'Container image "{container.image}" already present on machine and can be accessed by the pod'
        self._pod.record_event(container, "Pulled", text)
        container.log = LogWriter(container.log_path(container.restarts))
        container.log_path(container.restarts - 2).unlink(missing_ok=True)
        try:
            if not await self._start(container):
                return int((container.ended or {}).get("exitCode", 137))
            assert container.process is not None
            watching = [self._pod.spawn(self._probe(container))]
            try:
                code = await container.process.wait()
            finally:
                for task in watching:
                    task.cancel()
            container.end(code)
            return code
        finally:
            container.process = None
            container.log.close()

    async def _start(self, container: Container) -> bool:
        """Starts the process, as soon as everything it needs exists; False when it never ran."""
        host = self._pod.host
        while not self._pod.stopping:
            try:
                container.process = await start(host.cluster, self._pod.pod, container, self._pod.place)
                self._started(container)
                if container.refused_variables:
                    names = ", ".join(container.refused_variables)
                    text = (
                        f"Variables [{names}] were skipped: Pods of the embedded cluster can't set what programs load"
                        " code by."
                    )
                    self._pod.record_event(container, "InvalidEnvironmentVariableNames", text, warning=True)
                return True
            except ConfigError as problem:
                container.wait_for("CreateContainerConfigError", str(problem))
                self._pod.publish()
                self._pod.record_event(container, "Failed", f"Error: {problem}", warning=True)
                await self._pod.pause(CONFIG_PAUSE)
            except ServiceUnavailable:  # the API server, which knows the environment, is away for a moment
                await self._pod.pause(CONFIG_PAUSE)
            except OSError as problem:
                why = (
                    f"failed to create containerd task: exec: {problem.filename or container.name}: {problem.strerror}"
                )
                self._pod.record_event(container, "Failed", f"Error: {why}", warning=True)
                container.begin()
                container.end(128, "StartError", why)
                return False
        self._never_ran(container)
        return False

    # Probes

    async def _probe(self, container: Container) -> None:
        """The startup probe first, then the other two side by side."""
        spec = container.spec
        if probe := spec.get("startupProbe"):
            await self._follow(container, "Startup", probe)
        jobs = []
        if probe := spec.get("readinessProbe"):
            jobs.append(self._follow(container, "Readiness", probe))
        if probe := spec.get("livenessProbe"):
            jobs.append(self._follow(container, "Liveness", probe))
        await asyncio.gather(*jobs)

    async def _follow(self, container: Container, kind: str, probe: Object) -> None:
        done = asyncio.Event()

        def changed(good: bool, message: str) -> None:
            if kind == "Readiness":
                container.ready = good and container.started
                self._pod.publish()
            elif not good:
                self._condemn(container, kind)
            elif kind == "Startup":
                container.started = True
                container.ready = not container.spec.get("readinessProbe")
                self._pod.publish()
                self._pod.wake()
                done.set()

        def failed(message: str) -> None:
            self._pod.record_event(container, "Unhealthy", f"{kind} probe failed: {message}", warning=True)

        async def run(command: list[str], seconds: float) -> tuple[int, str]:
            return await self.run(container, command, seconds)

        looking = self._pod.spawn(
            probes.follow(
                container=container.spec,
                probe=probe,
                port=self._pod.place.port,
                run=run,
                changed=changed,
                failed=failed,
            )
        )
        try:
            await done.wait()
        finally:
            looking.cancel()

    def _condemn(self, container: Container, kind: str) -> None:
        """A probe had enough: the container ends, and starts again if its policy says so."""
        process = container.process
        if process is None or container.unhealthy:
            return
        container.unhealthy = kind
        self._pod.record_event(
            container, "Killing", f"Container {container.name} failed {kind.lower()} probe, will be restarted"
        )
        process.terminate()
        asyncio.get_running_loop().call_later(self._grace(), process.kill)

    def _grace(self) -> float:
        return float(self._pod.pod["spec"].get("terminationGracePeriodSeconds") or PROBE_GRACE)

    # Commands in a container

    async def run(self, container: Container, command: list[str], seconds: float) -> tuple[int, str]:
        """Runs a command in the container's environment: (exit code, output); OSError, TimeoutError."""
        try:
            variables = environment_of(self._pod.host.cluster, self._pod.pod, container, self._pod.place)
        except (ConfigError, ServiceUnavailable) as problem:
            raise OSError(str(problem)) from problem
        place = self._pod.place
        shelter = place.shelter(container, self._pod.pod)
        with place.confinement.launch(command, variables, shelter) as launch:
            process = await asyncio.create_subprocess_exec(
                *launch.command,
                env=launch.environment,
                pass_fds=launch.descriptors,
                cwd=shelter.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        try:
            async with asyncio.timeout(seconds):
                output, _ = await process.communicate()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            raise
        return int(process.returncode or 0), output.decode("utf-8", "replace")

    async def pre_stop(self) -> None:
        """The preStop commands of processes, within the grace."""
        for container in self._pod.containers:
            command = dig(container.spec, "lifecycle", "preStop", "exec", "command")
            if command and container.process is not None:
                try:
                    await self.run(container, [str(word) for word in command], self._grace())
                except (OSError, TimeoutError):
                    self._pod.record_event(container, "FailedPreStopHook", "PreStopHook failed", warning=True)

    async def end_sidecars(self) -> None:
        """When the last main container has ended, sidecars are no longer needed."""
        for container in self._pod.containers:
            if container.kind == "sidecar" and container.process is not None:
                container.process.terminate()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
