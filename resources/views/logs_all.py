"""…/<namespace>/<name>/logs/ of what is no Pod: the logs of all its Pods as one text, which goes on (resources/views/follow_all.py)."""

from dataclasses import dataclass

from django.http import HttpResponse

from console.web import render
from console.web.request import ConsoleRequest
from resources import merged, pods
from resources.logs import TAILS
from resources.merged import Line, Source
from resources.place import Place


@dataclass(frozen=True, slots=True)
class LogsPage:
    """`lines`: the end of all logs; `problems`: (source, why it could not be read); `more`: there are more Pods than are shown."""

    place: Place
    sources: tuple[Source, ...]
    lines: tuple[Line, ...]
    problems: tuple[tuple[str, str], ...]
    tail: int
    more: bool
    tails: tuple[int, ...] = TAILS[:3]

    @property
    def follow_url(self) -> str:
        return f"{self.place.url('logs')}follow-all/?tail={self.tail}"


def logs_all(request: ConsoleRequest, place: Place) -> HttpResponse:
    """`?tail=`: lines of each container to begin with."""
    found = pods.of(request.cluster, place.type, place.get(request.cluster))
    sources = merged.sources(found[: pods.MOST])
    tail = next((tail for tail in TAILS[:3] if str(tail) == request.GET.get("tail")), TAILS[0])
    lines, problems = merged.tails(request.cluster, sources, tail)
    page = LogsPage(place, sources, lines, problems, tail, len(found) > pods.MOST)
    return render.page(request, "resources/logs_all.html", {"page": page})
