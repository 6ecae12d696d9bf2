"""…/<namespace>/<name>/logs/ of kinds other than Pods: the logs of all its Pods as one text, followed by
resources/views/follow_all.py.
"""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.translation import gettext as _

from console.web import render
from console.web.request import ConsoleRequest
from resources.place import Place
from resources.podlogs import merged_logs, pods
from resources.podlogs.logs import PRINTED, SPANS, TAILS, LogPart, part
from resources.podlogs.merged_logs import LogLine, Source

#: Of each container.
MANY_TAILS = TAILS[:4]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsPage:
    """`lines`: the end of all logs; `problems`: (source, why it could not be read); `more`: there are more Pods than
    are shown.
    """

    place: Place
    sources: tuple[Source, ...]
    lines: tuple[LogLine, ...]
    problems: tuple[tuple[str, str], ...]
    part: LogPart
    more: bool
    selector: str = ""
    tails: tuple[int, ...] = MANY_TAILS
    spans: tuple[tuple[int, Any], ...] = SPANS

    @property
    def file_name(self) -> str:
        """What a saved one is called."""
        return f"{self.place.name}.log"

    @property
    def ended(self) -> str:
        """The text at the end of the log."""
        return _("ended")

    @property
    def follow_url(self) -> str:
        return f"{self.place.url('logs')}follow-all/?{urlencode(self.part.query)}"

    @property
    def command(self) -> str:
        """Only what has a selector has one command for all its Pods."""
        if not self.selector:
            return ""
        flags = (
            f"-l '{self.selector}' -n {self.place.namespace} --all-containers --prefix --max-log-requests={pods.MOST}"
        )
        return f"kubectl logs -f {flags}{self.part.kubectl}"


def part_of(query: dict[str, str]) -> LogPart:
    """Of each container; there is no run before of many."""
    return replace(part(query, MANY_TAILS, TAILS[0]), previous=False)


def logs_all(request: ConsoleRequest, place: Place) -> HttpResponse:
    """`?tail=`: lines of each container to begin with; `span=`, `since=`, `timestamps=1` as for one."""
    obj = place.get(request.cluster)
    found = pods.pods_of(request.cluster, place.type, obj)
    sources = merged_logs.sources(found[: pods.MOST])
    wanted = part_of(request.GET.dict())
    lines, problems = merged_logs.tails(request.cluster, sources, replace(wanted, tail=min(wanted.tail, PRINTED)))
    selector = pods.selector(place.type, obj)
    page = LogsPage(
        place=place,
        sources=sources,
        lines=lines[-2 * PRINTED :],
        problems=problems,
        part=wanted,
        more=len(found) > pods.MOST,
        selector=selector,
    )
    return render.page(request, "resources/logs_all.html", {"page": page})
