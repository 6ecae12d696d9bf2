"""What is typed to search, taken apart."""

import pytest

from resources.searching.lookup import ParsedQuery, parse_query


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("front web", ParsedQuery(words=("front", "web"))),
        ("", ParsedQuery()),
        ("kind:pod,deploy k:sts x", ParsedQuery(words=("x",), kinds=("pod", "deploy", "sts"))),
        ("ns:shop namespace:* a", ParsedQuery(words=("a",), namespaces=("shop", "*"))),
        ("label:app=web,tier!=cache l:x", ParsedQuery(labels="app=web,tier!=cache,x")),
        ('annotation:"team=blue sky" a:b', ParsedQuery(annotations=("team=blue sky", "b"))),
        ("state:Degraded,ready group:apps", ParsedQuery(states=("degraded", "ready"), groups=("apps",))),
        ("system:node kind:", ParsedQuery(words=("system:node",))),
        ('"two words" "open', ParsedQuery(words=("two words", "open"))),
        ("kind:,, x:y", ParsedQuery(words=("x:y",))),
    ],
)
def test_parse(text: str, asked: ParsedQuery) -> None:
    assert parse_query(text) == asked
