"""The Pods that an object stands for, and their logs.

Its Pods are the object itself, those its selector finds, or those it owns, however far down. Of their logs: the
containers, which part of a log to show, and several logs as one text, in the order in which the lines were written.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from console.web.front import Workers
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType, is_custom
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.selectors import pod_selector
from resources.tree import belongings

#: Lines that a page may begin with; the rest is in the download.
TAILS = (100, 500, 2000, 10000, 100000)
#: Lines that stand in the page itself, for who reads without script. The stream brings the others.
PRINTED = 500
#: How far back a page may go: seconds, and what people call them.
SPANS = (
    (60, _("1 minute")),
    (300, _("5 minutes")),
    (1800, _("30 minutes")),
    (3600, _("1 hour")),
    (6 * 3600, _("6 hours")),
    (24 * 3600, _("1 day")),
)
#: The logs of more Pods are too much to read as one text.
MAX_PODS = 30
#: Kinds of Kubernetes that stand for Pods.
_POD_KINDS = frozenset(
    {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "Service", "ReplicationController"}
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?")
_workers = Workers(8, thread_name_prefix="logs")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart:
    """Which part of a log.

    `tail`: lines from the end, 0: all; `span`: seconds back, 0: no limit; `moment`: since then, as a
    datetime-local field has it, in UTC.
    """

    tail: int = 0
    span: int = 0
    moment: str = ""
    previous: bool = False
    timestamps: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """For ClusterClient.log and follow_log."""
        since = f"{self.moment}{':00' if len(self.moment) == 16 else ''}Z" if self.moment else ""
        return {
            "tail": self.tail,
            "previous": self.previous,
            "timestamps": self.timestamps,
            "since_seconds": 0 if since else self.span,
            "since_time": since,
        }

    @property
    def query(self) -> dict[str, str]:
        """For addresses."""
        found = {"tail": str(self.tail or ""), "span": str(self.span or ""), "since": self.moment}
        found |= {"previous": "1" if self.previous else "", "timestamps": "1" if self.timestamps else ""}
        return {key: value for key, value in found.items() if value}

    @property
    def kubectl(self) -> str:
        """Flags of `kubectl logs`."""
        since = self.options["since_time"]
        flags = (
            (f"--tail={self.tail}", self.tail),
            (f"--since-time={since}", since),
            (f"--since={self.span}s", self.span and not since),
            ("--previous", self.previous),
            ("--timestamps", self.timestamps),
        )
        return "".join(f" {flag}" for flag, wanted in flags if wanted)


def log_part(query: Mapping[str, str], tails: tuple[int, ...] = TAILS, usual: int = 500) -> LogPart:
    """From `?tail=&span=&since=&previous=&timestamps=`; what makes no sense is as if it were not there."""
    tail = next((tail for tail in tails if str(tail) == query.get("tail")), usual)
    span = next((seconds for seconds, _words in SPANS if str(seconds) == query.get("span")), 0)
    moment = query.get("since", "")
    return LogPart(
        tail=tail,
        span=span,
        moment=moment if _MOMENT.fullmatch(moment) else "",
        previous=bool(query.get("previous")),
        timestamps=bool(query.get("timestamps")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogContainer:
    """`restarts` above 0: there may be a log of the run before.

    `reason`: why it waits, as far as the node says; `known`: the node says anything of it.
    """

    name: str
    kind: str
    state: str
    restarts: int
    reason: str = ""
    known: bool = True


def containers(pod: dict[str, Any]) -> tuple[LogContainer, ...]:
    """Long-running containers first, then init and ephemeral ones."""
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    found = []
    for kind, key, states in (
        ("container", "containers", "containerStatuses"),
        ("init", "initContainers", "initContainerStatuses"),
        ("ephemeral", "ephemeralContainers", "ephemeralContainerStatuses"),
    ):
        container_statuses = {state.get("name"): state for state in status.get(states) or ()}
        for container in spec.get(key) or ():
            name = str(container.get("name") or "")
            state = container_statuses.get(name) or {}
            word = next(iter(state.get("state") or {}), "waiting")
            why = (state.get("state") or {}).get("waiting") or {}
            reason = ": ".join(str(why[key]) for key in ("reason", "message") if why.get(key))
            found.append(
                LogContainer(
                    name=name,
                    kind=kind,
                    state=word,
                    restarts=int(state.get("restartCount") or 0),
                    reason=reason,
                    known=bool(state),
                )
            )
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSource:
    """One container of one Pod. `state`: running, waiting or terminated; `restarts`: of which run the log is."""

    uid: str
    namespace: str
    pod: str
    container: str
    state: str
    restarts: int = 0

    @property
    def key(self) -> str:
        return f"{self.pod}/{self.container}"

    @property
    def has_log(self) -> bool:
        """A container that waits to be started again has that of its last run."""
        return self.state != "waiting" or self.restarts > 0


@dataclass(frozen=True, slots=True)
class LogLine:
    """`at` is RFC 3339 in UTC, '' where the container runtime gave none."""

    source: str
    at: str
    text: str


def log_sources(pods: Iterable[KubeObject]) -> tuple[LogSource, ...]:
    """All containers; of the init containers only those that run."""
    return tuple(
        LogSource(
            uid=uid_of(pod),
            namespace=namespace_of(pod),
            pod=name_of(pod),
            container=container.name,
            state=container.state,
            restarts=container.restarts,
        )
        for pod in pods
        for container in containers(pod)
        if container.kind != "init" or container.state == "running"
    )


def merged_tails(
    client: ClusterClient, wanted: Iterable[LogSource], part: LogPart
) -> tuple[tuple[LogLine, ...], tuple[tuple[str, str], ...]]:
    """That part of each log, merged; and (source, why) of those that could not be read."""
    asked = [source for source in wanted if source.has_log]
    share = min(limits.LOGS_PAGE.value // max(len(asked), 1), limits.LOG_PAGE.value)
    options = {**replace(part, timestamps=True).options, "limit_bytes": share}

    def read(source: LogSource) -> tuple[LogSource, str, str]:
        try:
            text = client.log(source.pod, source.namespace, container=source.container, **options)
        except KubeError as error:
            return source, "", str(error)
        return source, text, ""

    answers = list(_workers.map(read, asked))
    found = [
        log_line(source.key, line, keep=part.timestamps)
        for source, text, _why in answers
        for line in text.split("\n")
        if line
    ]
    # Stable: lines without a time stay behind the line they followed.
    last = ""
    keyed = []
    for line in found:
        last = line.at or last
        keyed.append((last, line))
    keyed.sort(key=lambda pair: pair[0])
    return tuple(line for _at, line in keyed), tuple((source.key, why) for source, _text, why in answers if why)


def log_line(source: str, line: str, *, keep: bool = False) -> LogLine:
    """A line that begins with its time, which stays in its text when it is to be kept."""
    at, space, text = line.partition(" ")
    if space and len(at) >= 20 and at[4] == "-" and at[10] == "T":
        return LogLine(source, at, line if keep else text)
    return LogLine(source, "", line)


def pods_of(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[KubeObject, ...]:
    """By name, MAX_PODS + 1 at most: so that it shows when there are more.

    Raises Forbidden if the user can't list Pods.
    """
    if type_.kind == "Pod" and not type_.group:
        return (obj,)
    found: list[dict[str, Any]]
    if labels := pods_selector(type_, obj):
        pods = client.find("", "v1", "pods")
        found = client.list(pods, namespace_of(obj), labels=labels, limit=MAX_PODS + 1).items
    else:
        found = [row.object for row in belongings(client, type_, obj).rows if row.type.kind == "Pod"]
    return tuple(sorted(found, key=name_of)[: MAX_PODS + 1])


def pods_selector(type_: ResourceType, obj: KubeObject) -> str:
    """The labels by which its Pods are found, '' where they are found by their owner."""
    return pod_selector({**obj, "kind": type_.kind})


def may_have_pods(type_: ResourceType) -> bool:
    """Whether objects of this kind can stand for Pods: what runs them, Services, and everything that operators
    bring.
    """
    return type_.kind in _POD_KINDS if not is_custom(type_.group) else type_.namespaced
