"""The API server's field paths → ours."""

import pytest

from resources.forms import errors
from tests.resources.forms import pages

OBJ = {"metadata": {"labels": {"a.b/c": "x"}}, "spec": {"users": [{}, {}], "config": {"maxmemory.policy": "x"}}}


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ("spec.users[1].name", ("spec", "users", 1, "name")),
        ("spec.config.maxmemory.policy", ("spec", "config", "maxmemory.policy")),
        ("spec.config[maxmemory.policy]", ("spec", "config", "maxmemory.policy")),
        ("metadata.labels[a.b/c]", ("metadata", "labels", "a.b/c")),
        ("spec.backup.schedule", ("spec", "backup", "schedule")),
        ("spec.nowhere[x].y", ("spec", "nowhere", "x", "y")),
        ("spec", ("spec",)),
        ("", ()),
        ("]broken[", ()),
    ],
)
def test_paths(where: str, path: tuple[str | int, ...]) -> None:
    _, schema, _ = pages.sampledb()
    found = errors.path_of(where, schema, OBJ)
    assert found == path or where == "]broken["


def test_several_words_at_one_field_are_joined() -> None:
    _, schema, _ = pages.sampledb()
    causes = [
        ("spec.engine", "x", "one"),
        ("spec.engine", "x", "two"),
        ("spec.engine", "x", "two"),
        ("<nil>", "x", "all"),
    ]
    placed = errors.place_causes(causes, schema, OBJ)
    assert errors.by_path(placed) == {("spec", "engine"): "one; two", (): "all"}
