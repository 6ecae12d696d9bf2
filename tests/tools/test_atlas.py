"""tools/atlas knows every page that there is."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver, resolve
from django.urls.exceptions import Resolver404

from tools.atlas.pages import LEFT_OUT, STOPS


def _names(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if str(pattern.namespace).endswith("-api"):
                continue
            yield from _names(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
        elif pattern.name and not str(pattern.name).startswith("api-"):
            yield f"{space}{pattern.name}"


def _visited() -> set[str]:
    found = set()
    for stop in STOPS:
        path = stop.address.format_map(
            {"plan": "install-1", "step": "1", "first": "2", "entry": "1", "key": "replicas"}
        ).partition("?")[0]
        try:
            found.add(resolve(path).view_name)
        except Resolver404:
            assert stop.status == 404, stop.address
    return found


def test_every_url_pattern_is_visited_or_left_out_for_a_reason() -> None:
    every = set(_names(get_resolver().url_patterns))
    left_out = {name for names in LEFT_OUT.values() for name in names}
    assert every - _visited() - left_out == set(), "name these pages in tools/atlas/pages.py"
    assert left_out - every == set(), "these are no more"
    assert left_out & _visited() == set(), "these are visited"


def test_no_name_is_twice() -> None:
    names = [stop.name for stop in STOPS]
    assert len(names) == len(set(names))
