"""Preserves typed input in views whose page can't be made because the cluster fails."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpResponse

from console.web import preserve_input
from console.web.errors import explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from resources import yamltext
from resources.views import submission

View = Callable[..., HttpResponse]


def keeping(view: View) -> View:
    """A KubeError that rises from a POST is answered with everything that was posted."""

    @wraps(view)
    def keeps(request: ConsoleRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except KubeError as error:
            if request.method != "POST":
                raise
            return preserve_input.preserved_response(request, explain(error), typed(request))

    return keeps


def typed(request: ConsoleRequest) -> str:
    """What was typed, as YAML, without asking the cluster anything."""
    if "text" in request.POST:
        return submission.yaml_of(request.POST)
    try:
        return yamltext.dump(submission.of_form(request.POST).obj)
    except (ValueError, RecursionError):
        return ""
