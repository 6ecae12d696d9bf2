"""One container of a Pod: its states as the status shows them. pod.py decides about the transitions."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from ..objects import Object, now
from .images import Image, Images
from .logs import LogWriter
from .processes import Process

#: A crashing container waits 0, 10, 20, 40 … seconds; after ten good minutes the wait is reset (kubelet.go).
FIRST_BACKOFF, LONGEST_BACKOFF, GOOD_SECONDS = 10.0, 300.0, 600.0


@dataclass(slots=True, kw_only=True)
class Container:
    """``kind``: main, init or sidecar (an init container that keeps running). ``program``: None for a simulated one."""

    spec: Object
    kind: str
    program: Image | None
    logs: Path
    state: Object = field(default_factory=dict)
    last_state: Object = field(default_factory=dict)
    ready: bool = False
    started: bool = False
    restarts: int = 0
    id: str = ""
    backoff: float = 0.0
    process: Process | None = None
    log: LogWriter | None = None
    #: Variables of its spec that it doesn't get (environment.py).
    refused_variables: tuple[str, ...] = ()
    #: Why a probe had it killed, until it has ended.
    unhealthy: str = ""

    @property
    def name(self) -> str:
        return str(self.spec["name"])

    @property
    def image(self) -> str:
        return str(self.spec.get("image", ""))

    @property
    def simulated(self) -> bool:
        return self.program is None

    @property
    def field_path(self) -> str:
        kind = "containers" if self.kind == "main" else "initContainers"
        return f"spec.{kind}{{{self.name}}}"

    @property
    def running(self) -> bool:
        return "running" in self.state

    @property
    def ended(self) -> Object | None:
        """The terminated state."""
        found: Object | None = self.state.get("terminated")
        return found

    def log_path(self, start: int) -> Path:
        """The log of one start: 0 is the first."""
        return self.logs / f"{start}.log"

    def wait_for(self, reason: str, message: str = "") -> None:
        """Sets the state waiting, with a reason."""
        if self.ended is not None:
            self.last_state = self.state
        waiting = {"reason": reason}
        if message:
            waiting["message"] = message
        self.state = {"waiting": waiting}
        self.ready = False

    def begin(self) -> None:
        """Sets the state running."""
        if self.ended is not None:
            self.last_state = self.state
        self.id = f"processes://{secrets.token_hex(32)}"
        self.state = {"running": {"startedAt": now()}}
        self.started = not self.spec.get("startupProbe")
        self.ready = self.started and not self.spec.get("readinessProbe")

    def end(self, code: int, reason: str = "", message: str = "") -> None:
        """Sets the state terminated."""
        begun = (self.state.get("running") or {}).get("startedAt") or now()
        self.state = {
            "terminated": {
                "exitCode": code,
                "reason": reason or ("Completed" if code == 0 else "Error"),
                **({"message": message} if message else {}),
                "startedAt": begun,
                "finishedAt": now(),
                "containerID": self.id,
            }
        }
        self.ready = self.started = False
        self.unhealthy = ""

    def next_backoff(self, ran_seconds: float) -> float:
        """The seconds to wait before the next start."""
        if ran_seconds >= GOOD_SECONDS:
            self.backoff = 0.0
        wait = self.backoff
        self.backoff = min(self.backoff * 2, LONGEST_BACKOFF) if self.backoff else FIRST_BACKOFF
        return wait

    def resume(self, status: Object) -> None:
        """Restores the state from the Pod's status, after a restart of the sandbox."""
        self.state = dict(status.get("state") or {})
        self.last_state = dict(status.get("lastState") or {})
        self.restarts = int(status.get("restartCount") or 0)
        self.id = str(status.get("containerID") or "")
        self.ready, self.started = bool(status.get("ready")), bool(status.get("started"))

    def lose(self) -> None:
        """Sets the state terminated after a restart of the sandbox, which ended the process."""
        self.end(255, "Unknown")

    def status(self) -> Object:
        """Its containerStatus."""
        found: Object = {
            "name": self.name,
            "state": self.state or {"waiting": {"reason": "PodInitializing" if self.kind == "main" else ""}},
            "lastState": self.last_state,
            "ready": self.ready or (self.kind == "init" and self.ended is not None and self.ended["exitCode"] == 0),
            "restartCount": self.restarts,
            "image": self.image,
            "imageID": self.image if self.id else "",
            "started": self.started if self.kind != "init" else self.running,
        }
        if self.id:
            found["containerID"] = self.id
        return found


def containers_of(pod: Object, images: Images, logs: Path) -> list[Container]:
    """A Pod's containers, those that run before the others first."""
    spec = pod["spec"]
    kinds = [
        (container, "sidecar" if container.get("restartPolicy") == "Always" else "init")
        for container in spec.get("initContainers") or []
    ]
    kinds += [(container, "main") for container in spec.get("containers") or []]
    return [
        Container(spec=item, kind=kind, program=images.find(str(item.get("image"))), logs=logs / str(item["name"]))
        for item, kind in kinds
    ]
