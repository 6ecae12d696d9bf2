"""Ranking: where a word is found decides, and a slip of the finger is forgiven."""

import time

import pytest

from kube.client import ClusterClient
from operatorhub.find import catalog
from operatorhub.find.facets import CatalogQuery, edit_distance, rank_packages, search_texts
from operatorhub.indexing import index
from operatorhub.models import Index
from tests.conftest import ROOT


def package(
    name: str,
    title: str = "",
    keywords: tuple[str, ...] = (),
    provider: str = "",
    kinds: tuple[str, ...] = (),
    summary: str = "",
):  # type: ignore[no-untyped-def]
    return search_texts(name, title or name, keywords, provider, kinds, summary)


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
    assert rank_packages("redis", PACKAGES) == [6, 5, 4, 3, 2, 1, 0]


def test_every_word_must_be_somewhere() -> None:
    assert rank_packages("redis ltd", PACKAGES) == [2]
    assert rank_packages("redis nowhere", PACKAGES) == []


def test_an_empty_query_keeps_all_in_order() -> None:
    assert rank_packages("  ", PACKAGES) == list(range(7))


@pytest.mark.parametrize("typed", ["reids", "redsi", "rediss", "rdis"])
def test_a_typo_is_forgiven(typed: str) -> None:
    assert set(rank_packages(typed, PACKAGES)) >= {5, 6}


def test_a_title_without_its_gap() -> None:
    assert rank_packages("argocd", [package("gitops", title="Argo CD"), package("other")]) == [0]


@pytest.mark.parametrize(
    ("a", "b", "far"),
    [("redis", "redis", 0), ("redis", "reids", 1), ("redis", "rds", 2), ("abc", "xyz", 3), ("a", "abcdef", 3)],
)
def test_distances(a: str, b: str, far: int) -> None:
    assert edit_distance(a, b, 2) == far


def test_what_is_called_just_that_comes_first() -> None:
    many = [
        package("argocd-helper", title="Argo CD helper for Argo CD"),
        package("argo-cd-extras"),
        package("gitops", title="Argo CD"),
        package("argocd-operator", title="Something"),
    ]
    assert rank_packages("argo cd", many)[0] == 2
    assert rank_packages("argocd", many)[0] == 2
    assert rank_packages("ARGO-CD", many)[0] == 2
    # "redis" for redis-operator, before what only begins so.
    assert rank_packages("redis", [package("redis-enterprise"), package("redis-operator")])[0] == 1


def test_api_groups_and_descriptions_are_searched() -> None:
    from_group = search_texts("a", "A", (), "", (), "", ("stores.cache.example.com",))
    from_text = search_texts("b", "B", (), "", (), "", (), "keeps what example.com says")
    assert rank_packages("cache.example", [from_text, from_group]) == [1]
    assert rank_packages("example.com", [from_text, from_group]) == [1, 0]
    assert rank_packages("keeps example", [from_text, from_group]) == [0]


@pytest.mark.parametrize("typed", ["kafkatopics", "kafkatopics.kafka.strimzi.io"])
def test_a_plural_is_found_as_kubectl_prints_it(typed: str) -> None:
    strimzi = search_texts("strimzi", "Strimzi", (), "", ("KafkaTopic",), "", ("kafkatopics.kafka.strimzi.io",))
    assert rank_packages(typed, [strimzi]) == [0]


def test_the_words_of_real_packages(full_cluster: ClusterClient, db: None) -> None:
    index.build(full_cluster)
    every = catalog.everything(full_cluster.name, Index.objects.get(cluster=full_cluster.name).revision)
    for typed, first in (
        ("argocd", "argocd-operator"),
        ("argo cd", "argocd-operator"),
        ("sampledb", "sampledb"),
        ("keycloack", "keycloak-operator"),
        ("grafana", "grafana-operator"),
        ("cert manager", "cert-manager"),
        ("cert-manger", "cert-manager"),
        ("prometheus", "prometheus"),
        ("ArgoCD zzzqqqxxx", ""),
        ("KafkaTopic", "strimzi-kafka-operator"),
        ("kafka.strimzi.io", "strimzi-kafka-operator"),
    ):
        found = catalog.find(every.entries, {}, CatalogQuery(q=typed), every.labels)
        assert (found.entries[0].name if found.entries else "") == first, typed
    # Variants of a provider are one value; the level is a number of every package.
    whole = catalog.find(every.entries, {}, CatalogQuery(), every.labels)
    assert (
        whole.total
        == whole.everything
        == 268 + len(list((ROOT / "examples" / "operators" / "packages").glob("*/package.json")))
    )
    for facet in whole.facets:
        for choice in (*facet.choices, *facet.more)[:5]:
            chosen = {**CatalogQuery().chosen, facet.name: frozenset({choice.value})}
            assert catalog.find(every.entries, {}, CatalogQuery(chosen=chosen), every.labels).total == choice.count
    started = time.process_time()
    for end in range(1, 12):
        catalog.find(every.entries, {}, CatalogQuery(q="keycloack op"[:end]), every.labels)
    # A bound, twenty times what it takes; bench/pages.py measures it.
    assert (time.process_time() - started) / 11 < 1
