"""`{% load operators %}`: the installed operators in the navigation."""

from typing import Any

from django import template
from django.utils import translation

from kube.errors import KubeError
from operatorhub.running import navigation

register = template.Library()


@register.inclusion_tag("operatorhub/_navigation.html", takes_context=True)
def operators_navigation(context: Any) -> dict[str, Any]:
    """A frame is drawn whatever fails. What is not fresh is asked for again once the page is there."""
    request, frame = context.get("request"), context.get("frame")
    found, ask = None, False
    # Where not even the namespaces are known nothing else is asked: the page has waited long enough.
    if request and frame and frame.cluster and frame.namespaces:
        language = translation.get_language() or ""
        try:
            found = navigation.known(frame.cluster, language) or navigation.read(request, language)
            ask = not found.is_fresh
        except KubeError:
            pass
    path, namespace = (request.path, request.namespace) if request else ("", "")
    return navigation.context(found, path, ask=ask, namespace=namespace)
