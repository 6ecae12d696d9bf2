"""The list that a page belongs to: the target after a switch to a namespace or cluster without the page's object."""

from django.urls import ResolverMatch, reverse

_KIND = ("group", "version", "plural")
_ROOMS = {"operators": "installed", "extensions": "extensions"}


def kind_of(found: ResolverMatch) -> dict[str, str]:
    """The kind that a page of resources is about; empty for any other page."""
    kind = {name: str(value) for name, value in found.kwargs.items() if name in _KIND}
    return kind if found.app_name == "resources" and len(kind) == len(_KIND) else {}


def list_above(found: ResolverMatch) -> str:
    """Its address; '' for a page that belongs to none."""
    if kind := kind_of(found):
        return reverse("resources:list", kwargs=kind)
    if found.app_name == "operatorhub":
        return reverse(f"operatorhub:{_ROOMS.get(found.route.partition('/')[0], 'catalog')}")
    return ""
