"""tools/atlas knows every page that there is."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver, resolve
from django.urls.exceptions import Resolver404

from tools.atlas.pages import LEFT_OUT, STOPS


def _names(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for one in patterns:
        if isinstance(one, URLResolver):
            if str(one.namespace).endswith("-api"):
                continue
            yield from _names(one.url_patterns, f"{one.namespace}:" if one.namespace else space)
        elif one.name and not str(one.name).startswith("api-"):
            yield f"{space}{one.name}"


def _visited() -> set[str]:
    found = set()
    for one in STOPS:
        path = one.address.format_map(
            {"plan": "install-1", "step": "1", "first": "2", "entry": "1", "key": "replicas"}
        ).partition("?")[0]
        try:
            found.add(resolve(path).view_name)
        except Resolver404:
            assert one.status == 404, one.address
    return found


def test_every_url_pattern_is_visited_or_left_out_for_a_reason() -> None:
    every = set(_names(get_resolver().url_patterns))
    left_out = {name for names in LEFT_OUT.values() for name in names}
    assert every - _visited() - left_out == set(), "name these pages in tools/atlas/pages.py"
    assert left_out - every == set(), "these are no more"
    assert left_out & _visited() == set(), "these are visited"


def test_no_name_is_twice() -> None:
    names = [one.name for one in STOPS]
    assert len(names) == len(set(names))
