"""Every address of the console, with names in it that exist."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

#: What a name in a pattern is filled with; `{mark}` is the staff's.
VALUES = {
    "group": "core",
    "version": "v1",
    "plural": "configmaps",
    "namespace": "{mark}-here",
    "name": "{mark}-mine",
    "catalog": "samples-catalog",
    "package": "sampledb",
    "csv": "{mark}-csv",
    "key": "0" * 32,
    "digest": "p-1",
    "step": "1",
    "schema": "spec",
    "crd": "sampledbs.samples.operator-console.dev",
    "kind": "ConfigMap",
    "tab": "instances",
}
OPEN = {"/healthz", "/readyz", "/metrics", "/sign-in/", "/sign-in/oidc/", "/sign-in/oidc/back/", "/sign-out/"}


def addresses(mark: str) -> list[str]:
    """Each pattern once, and those of objects for a Secret and a Pod too."""
    found = []
    for route, names in _walk(get_resolver().url_patterns, ""):
        for other in (
            ({}, {"plural": "secrets", "name": "{mark}-secret"}) if {"plural", "name"} <= names.keys() else ({},)
        ):
            address = route
            for name, converter in names.items():
                value = {**VALUES, **other}.get(name, "1" if converter == "int" else "x").replace("{mark}", mark)
                address = address.replace(f"<{converter}:{name}>", value).replace(f"<{name}>", value)
            found.append(f"/{address}")
    return found


def _walk(patterns: list[Any], before: str) -> Iterator[tuple[str, dict[str, str]]]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            names = {}
            for part in route.split("<")[1:]:
                converter, _colon, name = part.split(">")[0].rpartition(":")
                names[name] = converter
            yield route, names
