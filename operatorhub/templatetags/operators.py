"""`{% load operators %}`: the installed operators in the navigation."""

from typing import Any

from django import template
from django.utils import translation

from console.web.deadline import within
from kube.errors import KubeError
from operatorhub.running import navigation

register = template.Library()
#: So long a page waits for what was never read before; then the page asks for it by itself.
_WAIT_SECONDS = 0.3


@register.inclusion_tag("operatorhub/_navigation.html", takes_context=True)
def operators_navigation(context: Any) -> dict[str, Any]:
    """A frame is drawn whatever fails."""
    request, frame = context.get("request"), context.get("frame")
    found, ask = None, False
    if request and frame and frame.cluster:
        language = translation.get_language() or ""
        found, ask = navigation.known(frame.cluster, language), True
        if found is None:
            questions = {"": lambda: navigation.read(request, language)}
            try:
                answers, _late = within(frame.cluster, "navigation", questions, _WAIT_SECONDS)
                found = answers.get("")
            except KubeError:
                ask = False
        if found and found.is_fresh:
            ask = False
    return navigation.context(found, request.path if request else "", ask=ask)
