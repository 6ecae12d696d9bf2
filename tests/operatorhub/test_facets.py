"""Filters of the catalog: what a package counts as, and numbers that are what a click would show."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict

from operatorhub import csv
from operatorhub.find import catalog, facets
from operatorhub.find.facets import CatalogQuery
from operatorhub.models import Package


def package(name: str, **values: Any) -> Package:
    known = {"cluster": "c", "namespace": "olm", "catalog": "cat", "catalog_title": "Cat", "title": name}
    row = Package(name=name, **{**known, **{key: value for key, value in values.items() if key != "created"}})
    row.created = values.get("created", "")  # type: ignore[attr-defined]
    return row


def everything(*rows: Package) -> catalog.Everything:
    return catalog.Everything(tuple(map(catalog._entry, rows)), catalog._labels(rows))


def find(every: catalog.Everything, query: str = "", **states: tuple[str, ...]) -> catalog.SearchResult:
    known = {f"olm/cat/{name}": state for name, state in states.items()}
    return catalog.find(every.entries, known, CatalogQuery.read(QueryDict(query)), every.labels)


def names(result: catalog.SearchResult) -> list[str]:
    return [entry.name for entry in result.entries]


def counts(result: catalog.SearchResult, facet: str) -> dict[str, int]:
    found = next(item for item in result.facets if item.name == facet)
    return {choice.label: choice.count for choice in (*found.choices, *found.more)}


SHOP = everything(
    package(
        "a", provider="Red Hat", level=5, categories=["Database"], features=["fips"], rights="cluster-admin", webhooks=2
    ),
    package("b", provider="Red Hat, Inc.", level=1, categories=["database", "Security"], rights="", webhooks=0),
    package("c", provider="GitLab Inc", level=1, deprecated=True, deprecation="use d", modes=["AllNamespaces"]),
    package("d", level=3, categories=["Security"], rights="elevated", crds=["things.example.org"], kinds=["Thing"]),
)


def test_or_inside_and_between() -> None:
    assert names(find(SHOP, "category=database")) == ["a", "b"]
    assert names(find(SHOP, "category=database&category=other")) == ["a", "b", "c"]
    assert names(find(SHOP, "category=Database&level=1")) == ["b"]
    assert names(find(SHOP, "rights=cluster-admin&rights=elevated")) == ["a", "d"]
    assert names(find(SHOP, "webhooks=yes")) == ["a"]
    assert names(find(SHOP, "webhooks=unknown")) == ["d", "c"] or names(find(SHOP, "webhooks=unknown")) == ["c", "d"]
    assert names(find(SHOP, "deprecated=yes")) == ["c"]
    assert names(find(SHOP, "feature=fips")) == ["a"]
    assert names(find(SHOP, "category=nothing-has-this")) == []


def test_numbers_honour_the_other_filters_but_not_their_own() -> None:
    found = find(SHOP, "category=database")
    assert counts(found, "category") == {"Database": 2, "Security": 2, "Other": 1}
    # Levels keep their places, also those that would leave nothing.
    assert counts(found, "level") == {"Basic Install": 1, "Full Lifecycle": 0, "Auto Pilot": 1}
    assert counts(found, "provider") == {"Red Hat": 2}


def test_a_state_counts_as_well() -> None:
    found = find(SHOP, "", a=("installed", "update"), b=("installing",))
    assert counts(found, "state") == {"Installed": 1, "Update available": 1, "Installing": 1, "Not installed": 2}
    assert names(find(SHOP, "state=update", a=("installed", "update"))) == ["a"]
    # Where nothing is installed the filter is there all the same.
    assert counts(find(SHOP), "state") == {"Installed": 0, "Not installed": 4}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Red Hat, Inc.", "red hat"),
        ("Red Hat Inc", "red hat"),
        ("red hat", "red hat"),
        ("Oracle Corporation", "oracle"),
        ("LightWell Co., Ltd.", "lightwell"),
        ("Dynatrace LLC", "dynatrace"),
        ("Inc", "inc"),
        ("Costco", "costco"),
        ("", ""),
    ],
)
def test_variants_of_a_provider_are_one(name: str, key: str) -> None:
    assert facets.provider_key(name) == key


def test_a_provider_in_an_address_may_be_any_variant() -> None:
    assert names(find(SHOP, "provider=RED+HAT%2C+Inc.")) == ["a", "b"]


def test_catalogs_of_the_same_title_are_told_apart() -> None:
    shop = everything(package("a"), package("b", namespace="team"), package("c", catalog="x", catalog_title="Other"))
    assert counts(find(shop), "source") == {"Cat (olm/cat)": 1, "Cat (team/cat)": 1, "Other": 1}


def test_chips_take_one_value_away() -> None:
    found = find(SHOP, "q=a&category=database&category=security&sort=name&view=list")
    assert [(chip.facet, chip.label) for chip in found.chips] == [("Category", "Database"), ("Category", "Security")]
    assert found.chips[0].url == "?q=a&category=security&sort=name&view=list"
    query = CatalogQuery.read(QueryDict("q=a&category=database&view=list"))
    assert query.cleared == "?view=list"
    assert (query.filtered, query.filters) == (True, 1)


def test_the_address_says_everything_and_anything_may_stand_there() -> None:
    whole = "q=a+b&category=x&level=3&sort=newest&view=list&shown=120&compare=olm%2Fcat%2Fa"
    assert CatalogQuery.read(QueryDict(whole)).address() == f"?{whole}"
    odd = CatalogQuery.read(QueryDict("sort=evil&view=cube&shown=-3&compare=a/b&compare=a/b/c/d&level=&level=9"))
    assert (odd.sort, odd.view, odd.shown, odd.compared) == ("relevance", "grid", 60, ())
    assert odd.chosen["level"] == {"9"}


def test_orders() -> None:
    shop = everything(
        package("x", title="beta", level=2, created="2024-01-01"),
        package("y", title="Alpha", provider="Zed", level=5),
        package("z", title="gamma", provider="Ace", created="2026-01-01"),
    )
    assert names(find(shop, "sort=name")) == ["y", "x", "z"]
    assert names(find(shop, "sort=name-desc")) == ["z", "x", "y"]
    assert names(find(shop, "sort=level")) == ["y", "x", "z"]
    assert names(find(shop, "sort=provider")) == ["z", "y", "x"]
    assert names(find(shop, "sort=newest")) == ["z", "x", "y"]


def test_what_is_picked_to_be_compared_stays_when_it_is_not_found() -> None:
    found = find(SHOP, "q=a&compare=olm/cat/a&compare=olm/cat/d&compare=olm/cat/gone")
    assert [item.name for item in found.compared] == ["a", "d"]
    assert "d" not in names(find(SHOP, "category=database&compare=olm/cat/d"))
    assert [item.name for item in find(SHOP, "category=database&compare=olm/cat/d").aside] == ["d"]


def test_features_in_both_dialects() -> None:
    old = "operators.openshift.io/infrastructure-features"
    new = "features.operators.openshift.io/"
    assert csv.features({old: '["Disconnected", "proxy", "Proxy-aware", "fips"]'}) == (
        "disconnected",
        "proxy-aware",
        "fips",
    )
    assert csv.features({old: '["disconnected"]', f"{new}disconnected": "false"}) == ()
    assert csv.features({f"{new}fips-compliant": "“true”", f"{new}csi": "false"}) == ("fips",)
    assert csv.features({old: "[fips]", f"{new}odd": "true"}) == ("fips", "odd")
    assert csv.features({old: "{broken"}) == ("{broken",)


def test_subscriptions_and_days() -> None:
    name = "operators.openshift.io/valid-subscription"
    assert csv.subscriptions({name: '["One", "Two"]'}) == ("One", "Two")
    assert csv.subscriptions({name: "none"}) == csv.subscriptions({name: "[]"}) == csv.subscriptions({}) == ()
    assert csv.subscriptions({name: "Vision Subscription"}) == ("Vision Subscription",)
    assert csv.created({"createdAt": "2025-09-11 00:00:00+00:00"}) == "2025-09-11"
    assert csv.created({"createdAt": "24-09-2023"}) == csv.created({"createdAt": "2021-2-15T07-18-39Z"}) == ""


@pytest.fixture(scope="module")
def real(real_catalog: Path) -> catalog.Everything:
    """The 268 real packages, without a cluster: what package.json says is enough to be counted."""
    rows = []
    for number, file in enumerate(sorted(real_catalog.glob("*/package.json"))):
        found = json.loads(file.read_text())
        rows.append(
            package(
                found["name"],
                pk=number,
                title=found.get("displayName") or found["name"],
                level=number % 6,
                provider=f"Maker {number % 40}",
            )
        )
    return everything(*rows)


def test_every_number_is_what_a_click_shows(real: catalog.Everything) -> None:
    whole = find(real, "", **{"argocd-operator": ("installed",)})
    for facet in whole.facets:
        for choice in (*facet.choices, *facet.more)[:5]:
            found = catalog.find(
                real.entries,
                {"olm/cat/argocd-operator": ("installed",)},
                CatalogQuery.read(QueryDict(f"{facet.name}={choice.value}")),
                real.labels,
            )
            assert found.total == choice.count, (facet.name, choice)


def test_a_keystroke_is_bounded(real: catalog.Everything) -> None:
    started = time.process_time()
    for typed in ("r", "re", "red", "redi", "redis", "redsi"):
        find(real, f"q={typed}&category=other")
    # A bound, twenty times what it takes; bench/pages.py measures it.
    assert (time.process_time() - started) / 6 < 1
