"""Several logs as one text: the last lines of each, in the order in which they were written."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from console.web.front import Workers
from kube import limits
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from resources.podlogs.logs import LogPart, containers

_workers = Workers(8, thread_name_prefix="logs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
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


def sources(pods: Iterable[KubeObject]) -> tuple[Source, ...]:
    """All containers but those that ran before the others and went well."""
    return tuple(
        Source(
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


def tails(
    client: ClusterClient, wanted: Iterable[Source], part: LogPart
) -> tuple[tuple[LogLine, ...], tuple[tuple[str, str], ...]]:
    """That part of each, merged; and (source, why) of those that could not be read."""
    asked = [source for source in wanted if source.has_log]
    share = min(limits.LOGS_PAGE.value // max(len(asked), 1), limits.LOG_PAGE.value)
    options = {**replace(part, timestamps=True).options, "limit_bytes": share}

    def read(source: Source) -> tuple[Source, str, str]:
        try:
            text = client.log(source.pod, source.namespace, container=source.container, **options)
        except KubeError as error:
            return source, "", str(error)
        return source, text, ""

    answers = list(_workers.map(read, asked))
    found = [
        stamped(source.key, line, keep=part.timestamps)
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


def stamped(source: str, line: str, *, keep: bool = False) -> LogLine:
    """A line that begins with its time, which stays in its text when it is to be kept."""
    at, space, text = line.partition(" ")
    if space and len(at) >= 20 and at[4] == "-" and at[10] == "T":
        return LogLine(source, at, line if keep else text)
    return LogLine(source, "", line)
