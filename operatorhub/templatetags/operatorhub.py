"""`{% load operatorhub %}`: the installed operators in the navigation, and words about catalogs."""

from typing import Any

from django import template
from django.utils import translation
from django.utils.translation import ngettext

from kube.errors import KubeError
from operatorhub.admin import catalog_kinds
from operatorhub.models import Catalog
from operatorhub.views import navigation

register = template.Library()


@register.inclusion_tag("operatorhub/_navigation.html", takes_context=True)
def operators_navigation(context: Any) -> dict[str, Any]:
    """Never fails, because every page has this navigation. Stale entries are reloaded once the page is shown."""
    request, frame = context.get("request"), context.get("frame")
    found, ask = None, False
    # Where not even the namespaces are known nothing else is asked: the page has waited long enough.
    if request and frame and frame.cluster and frame.namespaces:
        language = translation.get_language() or ""
        try:
            found = navigation.cached_operators(frame.cluster, language) or navigation.read_operators(request, language)
            ask = not found.is_fresh
        except KubeError:
            pass
    path, namespace = (request.path, request.namespace) if request else ("", "")
    return navigation.navigation_context(found, path, ask=ask, namespace=namespace)


@register.filter
def kind_label(row: Catalog) -> str:
    """What one of the console's own catalogs is read from, in a word."""
    return str(catalog_kinds.BY_VALUE[row.kind].label)


@register.filter
def package_count(number: int) -> str:
    """ "3 packages"."""
    return ngettext("%(number)s package", "%(number)s packages", number) % {"number": number}


@register.filter
def not_shown_count(number: int) -> str:
    """ "3 not shown"."""
    return ngettext("%(number)s not shown", "%(number)s not shown", number) % {"number": number}
