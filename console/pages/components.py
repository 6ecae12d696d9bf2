"""Every component of templates/components in each of its states, for those who build pages."""

from dataclasses import dataclass

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from resources.usage import sparkline


@dataclass(frozen=True, slots=True)
class ExampleHealth:
    """As resources.state words it."""

    state: str
    label: str
    icon: str
    colour: str


#: Untranslated: they are examples, for developers.
HEALTHS = (
    ExampleHealth("ready", "Ready", "success", "green"),
    ExampleHealth("progressing", "Progressing", "progress", "blue"),
    ExampleHealth("degraded", "Degraded", "error", "red"),
    ExampleHealth("warning", "Warning", "warning", "orange"),
    ExampleHealth("unknown", "Unknown", "info", ""),
)


@require_safe
def components(request: HttpRequest) -> HttpResponse:
    """The gallery of components, for development. 404 unless DEBUG or SHOW_COMPONENTS."""
    if not settings.SHOW_COMPONENTS:
        raise Http404
    examples = {
        "healths": HEALTHS,
        "variants": ("info", "success", "warning", "danger"),
        "buttons": ("primary", "secondary", "tertiary", "link", "danger", "warning"),
        "line": sparkline([2, 3, 5, 4, 8, 6, None, None, 5, 4, 4, 7]),
        "colors": ("", "blue", "green", "orange", "red", "purple", "teal", "yellow"),
    }
    return render(request, "console/components.html", examples)
