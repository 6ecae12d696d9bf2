"""What is typed to search, taken apart."""

import pytest

from resources.searching.grammar import Asked, parse


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("front web", Asked(words=("front", "web"))),
        ("", Asked()),
        ("kind:pod,deploy k:sts x", Asked(words=("x",), kinds=("pod", "deploy", "sts"))),
        ("ns:shop namespace:* a", Asked(words=("a",), namespaces=("shop", "*"))),
        ("label:app=web,tier!=cache l:x", Asked(labels="app=web,tier!=cache,x")),
        ('annotation:"team=blue sky" a:b', Asked(annotations=("team=blue sky", "b"))),
        ("state:Degraded,ready group:apps", Asked(states=("degraded", "ready"), groups=("apps",))),
        ("system:node kind:", Asked(words=("system:node",))),
        ('"two words" "open', Asked(words=("two words", "open"))),
        ("kind:,, x:y", Asked(words=("x:y",))),
    ],
)
def test_parse(text: str, asked: Asked) -> None:
    assert parse(text) == asked
