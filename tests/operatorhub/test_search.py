"""Ranking: where a word is found decides, and a slip of the finger is forgiven."""

import pytest

from operatorhub.search import distance, rank, texts


def package(
    name: str,
    title: str = "",
    keywords: tuple[str, ...] = (),
    provider: str = "",
    kinds: tuple[str, ...] = (),
    summary: str = "",
):  # type: ignore[no-untyped-def]
    return texts(name, title or name, keywords, provider, kinds, summary)


PACKAGES = [
    package("one", summary="runs redis for you"),
    package("two", kinds=("Redis",)),
    package("three", provider="Redis Ltd"),
    package("four", keywords=("redis",)),
    package("five", title="A Redis"),
    package("my-redis"),
    package("redis-operator"),
]


def test_the_order_of_places() -> None:
    assert rank("redis", PACKAGES) == [6, 5, 4, 3, 2, 1, 0]


def test_every_word_must_be_somewhere() -> None:
    assert rank("redis ltd", PACKAGES) == [2]
    assert rank("redis nowhere", PACKAGES) == []


def test_an_empty_query_keeps_all_in_order() -> None:
    assert rank("  ", PACKAGES) == list(range(7))


@pytest.mark.parametrize("typed", ["reids", "redsi", "rediss", "rdis"])
def test_a_typo_is_forgiven(typed: str) -> None:
    assert set(rank(typed, PACKAGES)) >= {5, 6}


def test_a_title_without_its_gap() -> None:
    assert rank("argocd", [package("gitops", title="Argo CD"), package("other")]) == [0]


@pytest.mark.parametrize(
    ("a", "b", "far"),
    [("redis", "redis", 0), ("redis", "reids", 1), ("redis", "rds", 2), ("abc", "xyz", 3), ("a", "abcdef", 3)],
)
def test_distances(a: str, b: str, far: int) -> None:
    assert distance(a, b, 2) == far
