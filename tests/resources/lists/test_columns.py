"""Which columns a list has, and choices of them as texts."""

import pytest

from kube.discovery import ResourceType
from kube.objects import Column
from resources.lists.columns import available, chosen, ranked, read, show
from resources.lists.entries import added_columns

PODS = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
MAPS = ResourceType(group="", version="v1", plural="configmaps", kind="ConfigMap", namespaced=True)
PRINTED = (
    Column(name="Name", type="string", format="name", priority=0, description=""),
    Column(name="Ready", type="string", format="", priority=0, description="how many"),
    Column(name="Age", type="string", format="", priority=0, description=""),
    Column(name="IP", type="string", format="", priority=1, description=""),
)


def test_everybody_gets_the_state_and_what_kubectl_prints() -> None:
    assert [column.key for column in chosen(PODS, PRINTED, ())] == ["state", "owner", "=Age"]
    assert [column.key for column in chosen(MAPS, PRINTED, ())] == ["=Ready", "=Age"]
    assert [column.key for column in available(PODS, PRINTED) if column.folded] == ["=Ready", "=IP", "labels"]


@pytest.mark.parametrize(
    ("group", "printed", "last"),
    [
        ("things.example.com", "Size", "age"),
        ("things.example.com", "Age", "=Age"),
        ("things.example.com", "Created", "=Created"),
        ("", "Size", "=Size"),
    ],
)
def test_a_custom_type_without_a_column_for_its_age_gets_one(group: str, printed: str, last: str) -> None:
    type_ = ResourceType(group=group, version="v1", plural="things", kind="Thing", namespaced=True)
    columns = (PRINTED[0], Column(name=printed, type="date", format="", priority=0, description=""))
    assert chosen(type_, columns, ())[-1].key == last
    assert read(show(["age"])) == ("age",)


def test_what_the_state_tells_has_no_column_and_names_its_cells() -> None:
    printed = (
        Column(name="Name", type="string", format="name", priority=0, description=""),
        Column(name="Status", type="string", format="", priority=0, description=""),
        *PRINTED[1:],
    )
    state = available(PODS, printed)[0]
    assert (state.key, state.status, state.ready) == ("state", 1, 2)
    assert "=Status" not in [column.key for column in chosen(PODS, printed, ())]
    assert [column.key for column in chosen(PODS, printed, ("=Status",))] == ["=Status"]


def test_columns_of_definitions_that_the_server_prints_too_are_offered_once() -> None:
    """Since 1.37 it prints all of them, three of them with `-o wide` only."""
    type_ = ResourceType(
        group="apiextensions.k8s.io",
        version="v1",
        plural="customresourcedefinitions",
        kind="CustomResourceDefinition",
        namespaced=False,
    )
    created = Column(name="Created At", type="date", format="", priority=0, description="")
    before = (PRINTED[0], created, *added_columns(type_))
    scope, versions, *wide = (
        Column(name=name, type="string", format="", priority=priority, description="")
        for name, priority in (
            *(("Scope", 0), ("Versions", 0)),
            *(("Group", 1), ("Kind", 1), ("ShortNames", 1), ("Established", 1)),
        )
    )
    since = (PRINTED[0], scope, versions, created, *wide, *added_columns(type_))
    keys = ["state", "=Group", "=Kind", "=Scope", "=Versions", "=Created At"]
    assert [column.key for column in chosen(type_, before, ())] == keys
    assert [column.key for column in chosen(type_, since, ())] == keys
    assert [since[column.index].description for column in chosen(type_, since, keys[1:5])] == [
        column.description for column in added_columns(type_)[:4]
    ]
    assert "=ShortNames" in [column.key for column in available(type_, since)]
    assert not [column.key for column in available(type_, since) if column.key.startswith("=Kind ")]


def test_ranks_go_from_left_to_right_and_spare_the_state_and_the_age() -> None:
    found = chosen(PODS, PRINTED, ("=IP", "state", "owner", "=Age"))
    assert [(column.key, rank) for column, rank in ranked(found)] == [
        ("=IP", 1),
        ("state", 0),
        ("owner", 2),
        ("=Age", 0),
    ]


def test_a_choice_has_its_own_order_and_labels() -> None:
    found = chosen(PODS, PRINTED, ("=IP", "label:app.kubernetes.io/name", "owner", "=Gone", "state"))
    assert [column.key for column in found] == ["=IP", "label:app.kubernetes.io/name", "owner", "state"]
    assert (found[1].heading, found[1].help) == ("name", "app.kubernetes.io/name")


def test_two_columns_of_one_name_are_two() -> None:
    twice = (*PRINTED, Column(name="Ready", type="string", format="", priority=0, description=""))
    found = chosen(MAPS, twice, ())
    assert [column.index for column in found] == [1, 4, 2]
    assert len({column.key for column in found}) == 3


@pytest.mark.parametrize("keys", [(), ("state",), ("=Last Schedule", "label:a/b", "=50%, or more?"), ("=한국어",)])
def test_a_choice_as_text_comes_back(keys: tuple[str, ...]) -> None:
    text = show(keys)
    assert read(text) == keys
    assert not set(text) & set(" ?&;\"'")


def test_what_is_no_choice_is_none() -> None:
    assert read("nonsense,<script>,label:,=,state,state") == ("state",)
    assert len(read(",".join(f"=c{number}" for number in range(100)))) == 30
