"""What operators ship as a beginning, sloppy as it is."""

import json
from typing import Any

import pytest

from kube.discovery import ResourceType
from resources.writing.examples import of_csvs

BOAT = ResourceType("sea.example", "v1", "boats", "Boat", True)


def csv(**annotations: str) -> dict[str, Any]:
    owned = [{"name": "boats.sea.example", "version": "v1", "kind": "Boat"}]
    return {"metadata": {"annotations": annotations}, "spec": {"customresourcedefinitions": {"owned": owned}}}


def boat(name: object, **more: Any) -> dict[str, Any]:
    return {"apiVersion": "sea.example/v1", "kind": "Boat", "metadata": {"name": name}, **more}


def names(**annotations: str) -> list[str]:
    offer = of_csvs([csv(**annotations)], BOAT)
    assert offer is not None
    return [one.name for one in offer.examples]


def test_all_of_the_kind_can_be_taken() -> None:
    assert names(**{"alm-examples": json.dumps([boat("a"), {"kind": "Ship"}, boat("b"), boat("a"), 7])}) == [
        "a",
        "b",
        "a+",
    ]


def test_what_the_operator_wants_first_is_first_and_once() -> None:
    examples = json.dumps([boat("a"), boat("b")])
    assert names(
        **{"alm-examples": examples, "operatorframework.io/initialization-resource": json.dumps(boat("b"))}
    ) == ["b", "a"]
    assert names(**{"operatorframework.io/initialization-resource": "{"}) == []


@pytest.mark.parametrize("text", ["[{", "null", "{}", "7"])
def test_broken_examples_are_none(text: str) -> None:
    assert names(**{"alm-examples": text}) == []


def test_why_they_can_not_be_read_is_known() -> None:
    offer = of_csvs([csv(**{"alm-examples": "[{"})], BOAT)
    assert offer is not None
    assert offer.problem
    assert of_csvs([csv(**{"alm-examples": "[]"})], BOAT).problem == ""  # type: ignore[union-attr]


def test_metadata_that_is_none_is_left_out() -> None:
    odd = json.dumps([{**boat("x"), "metadata": ["x"]}])
    assert names(**{"alm-examples": odd}) == ["boat"]
