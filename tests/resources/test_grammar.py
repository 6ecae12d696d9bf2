"""What is typed to search, taken apart."""

import pytest

from resources.object_search import ObjectQuery, parse_query


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("front web", ObjectQuery(q="front web")),
        ("", ObjectQuery()),
        ("kind:pod,deploy k:sts x", ObjectQuery(q="x", kinds=("pod", "deploy", "sts"))),
        ("ns:shop namespace:* a", ObjectQuery(q="a", namespaces=("shop", "*"))),
        ("label:app=web,tier!=cache l:x", ObjectQuery(labels="app=web,tier!=cache,x")),
        ('annotation:"team=blue sky" a:b', ObjectQuery(annotations=("team=blue sky", "b"))),
        ("state:Degraded,ready group:apps", ObjectQuery(states=("degraded", "ready"), groups=("apps",))),
        ("system:node kind:", ObjectQuery(q="system:node")),
        ('"two words" "open', ObjectQuery(q="two words open")),
        ("kind:,, x:y", ObjectQuery(q="x:y")),
    ],
)
def test_parse(text: str, asked: ObjectQuery) -> None:
    assert parse_query(text) == asked
