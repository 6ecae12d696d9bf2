"""Which columns a list has, and choices of them as texts."""

import pytest

from kube.discovery import ResourceType
from kube.table import Column
from resources.lists.columns import available, chosen, read, show

PODS = ResourceType("", "v1", "pods", "Pod", True)
MAPS = ResourceType("", "v1", "configmaps", "ConfigMap", True)
PRINTED = (
    Column("Name", "string", "name", 0, ""),
    Column("Ready", "string", "", 0, "how many"),
    Column("Age", "string", "", 0, ""),
    Column("IP", "string", "", 1, ""),
)


def test_everybody_gets_the_state_and_what_kubectl_prints() -> None:
    assert [column.key for column in chosen(PODS, PRINTED, ())] == ["state", "=Ready", "=Age"]
    assert [column.key for column in chosen(MAPS, PRINTED, ())] == ["=Ready", "=Age"]
    assert [column.key for column in available(PODS, PRINTED) if column.wide] == ["=IP", "owner", "labels"]


def test_a_choice_has_its_own_order_and_labels() -> None:
    found = chosen(PODS, PRINTED, ("=IP", "label:app.kubernetes.io/name", "owner", "=Gone", "state"))
    assert [column.key for column in found] == ["=IP", "label:app.kubernetes.io/name", "owner", "state"]
    assert (found[1].heading, found[1].help) == ("name", "app.kubernetes.io/name")


def test_two_columns_of_one_name_are_two() -> None:
    twice = (*PRINTED, Column("Ready", "string", "", 0, ""))
    found = chosen(MAPS, twice, ())
    assert [column.index for column in found] == [1, 2, 4]
    assert len({column.key for column in found}) == 3


@pytest.mark.parametrize("keys", [(), ("state",), ("=Last Schedule", "label:a/b", "=50%, or more?"), ("=한국어",)])
def test_a_choice_as_text_comes_back(keys: tuple[str, ...]) -> None:
    text = show(keys)
    assert read(text) == keys
    assert not set(text) & set(" ?&;\"'")


def test_what_is_no_choice_is_none() -> None:
    assert read("nonsense,<script>,label:,=,state,state") == ("state",)
    assert len(read(",".join(f"=c{number}" for number in range(100)))) == 30
