"""Addresses of everything that shows an object, taken from the console's own table of addresses: a page that is
added is tried as well.
"""

from collections.abc import Iterable, Iterator
from urllib.parse import quote

from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from tests.attacks.objects import NAMELESS
from tests.attacks.placement import Placement

_HTMX = {"HX-Request": "true"}
#: What an address may hold beside an object, and a value for each that leads somewhere.
_MORE = {"step": 1, "act": "restart", "key": "x", "crd": "attacks.attacks.example.com", "tab": "instances", "number": 0}


def routes(name: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """(name, arguments) of every address."""

    def walk(patterns: Iterable[URLPattern | URLResolver], space: str) -> Iterator[tuple[str, frozenset[str]]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
            elif pattern.name:
                yield f"{space}{pattern.name}", frozenset(pattern.pattern.regex.groupindex)

    yield from (
        (found, arguments) for found, arguments in walk(get_resolver().url_patterns, "") if found.startswith(name)
    )


def of_object(group: str, version: str, plural: str, namespace: str, name: str) -> Iterator[str]:
    """Every view of it, and those of its kind and of its operator."""
    known = {
        "group": group,
        "version": version,
        "plural": plural,
        "namespace": namespace,
        "name": name,
        "csv": name,
        "package": name,
        "subscription": name,
        "plan": name,
    } | _MORE
    for route, arguments in routes():
        if not arguments & {"name", "csv"} or ("csv" in arguments) != (
            plural == "clusterserviceversions" and "csv" in arguments
        ):
            continue
        if "name" in arguments and "plural" not in arguments:
            continue
        with_ = {key: known[key] for key in arguments if key in known}
        if {*with_} != arguments:
            continue
        try:
            yield reverse(route, kwargs=with_)
        except NoReverseMatch:
            continue


def detail(*item: str) -> str:
    return reverse("resources:detail", args=item)


def of_operator(_group: str, _version: str, plural: str, namespace: str, name: str) -> Iterator[str]:
    """The pages of OLM's objects, which are named otherwise than others."""
    page, argument = {
        "subscriptions": ("", "subscription"),
        "operatorgroups": ("operatorhub:group", "name"),
        "installplans": ("", "plan"),
        "catalogsources": ("operatorhub:source", "name"),
    }.get(plural, ("", "none"))
    known = {"namespace": namespace, argument: name}
    for route, arguments in routes("operatorhub:"):
        if arguments == known.keys() and (not page or route.startswith(page)):
            yield reverse(route, kwargs=known)


def of_kind(group: str, version: str, plural: str, namespace: str) -> Iterator[str]:
    known = {"group": group, "version": version, "plural": plural}
    for route, arguments in routes():
        if arguments == known.keys():
            yield f"{reverse(route, kwargs=known)}?namespace={namespace}"


def of_all(namespace: str) -> Iterator[str]:
    """Pages that name no object: overviews, searches, lists of everything."""
    words = ("script", "data-atk", quote("<img"), "full", "attack")
    for route, arguments in routes():
        if not arguments and not route.startswith("signin:") and route not in ("pages:metrics", "pages:healthz"):
            yield f"{reverse(route)}?namespace={namespace}"
    yield f"{reverse('pages:overview')}?all=1"
    for word in words:
        yield f"/resources/search/?q={word}"
        yield f"/palette/?q={word}"
        yield f"/operators/?q={word}&namespace={namespace}"
        yield f"/audit/?q={word}"


def everything(made: Placement) -> list[tuple[str, dict[str, str]]]:
    """(address, headers): each whole; lists and objects as the part that htmx asks for, too."""
    found: list[str] = [*of_all(made.namespace)]
    for item in made.full:
        found += of_object(*item)
    for number, item in enumerate(made.references):
        # Every view for the first name that no object can have, and for the others the pages that are read most.
        found += of_object(*item) if number < len(made.references) / len(NAMELESS) else [detail(*item)]
        found += of_operator(*item)
    for number, item in enumerate(made.numbered):
        if item[2] == "roles" and number % 6:
            continue  # their names stand in the list, each of them
        found.append(detail(*item))
        if item[2] == "clusterserviceversions":
            found.append(reverse("operatorhub:operator", kwargs={"namespace": item[3], "csv": item[4]}))
    kinds = {item[:4] for item in (*made.full, *made.numbered, *made.references)}
    for group, version, plural, namespace in sorted(kinds):
        found += of_kind(group, version, plural, namespace)
    for path in (
        f"/resources/core/v1/events/?namespace={made.namespace}",
        f"/resources/attacks.example.com/v1/attacks/?namespace={made.namespace}&columns=all",
    ):
        found.append(path)
    parts = [
        path for path in found if path.count("/") in (5, 7) and path.startswith("/resources/") and "/n" not in path
    ]
    return [(path, {}) for path in found] + [(path, _HTMX) for path in parts]
