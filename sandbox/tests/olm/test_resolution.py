"""Which bundles Subscriptions lead to, and OLM's own sentences when there are none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.catalog.loader import load
from sandbox.catalog.manifests import Api
from sandbox.catalog.store import CatalogStore
from sandbox.olm.resolution import Installed, Request, Resolution, SelectedBundle, Unsatisfiable
from sandbox.tests.catalog.bundles import csv, owns, package

POT = Api("example.dev", "v1", "Pot")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CatalogStore]:
    place = tmp_path / "packages"
    versions = [csv(f"tea.v{n}", f"{n}.0.0", customresourcedefinitions=owns("Pot")) for n in (3, 2, 1)]
    package(place, "tea", *versions, edges={"tea.v3": {"skipRange": ">=1.5.0 <3.0.0"}})
    package(place, "cup", csv("cup.v1", "1.0.0", customresourcedefinitions=owns("Pot", which="required")))
    package(place, "spoon", csv("spoon.v1", "1.0.0", customresourcedefinitions=owns("Sugar", which="required")))
    oats = [csv(f"oat.v{n}", f"{n}.0.0") for n in (3, 2, 1)]
    package(place, "oat", *oats, edges={"oat.v3": {"skipRange": ">2.0.0"}, "oat.v2": {"skipRange": ">1.0.0"}})
    needs = [{"type": "olm.package", "value": {"packageName": "tea", "version": ">=2.0.0 <3.0.0"}}]
    package(place, "tray", csv("tray.v1", "1.0.0"), dependencies=needs)
    package(place, "mug", csv("mug.v1", "1.0.0", customresourcedefinitions=owns("Pot")))
    store = CatalogStore(tmp_path / "catalogs.sqlite")
    load(store, "c", place)
    yield store
    store.close()


def ask(
    package: str, current: Installed | None = None, starting: str = "", channel: str = "", catalog: str = "c"
) -> Request:
    return Request(
        name=f"{package}-sub",
        package=package,
        channel=channel,
        starting_csv=starting,
        catalog=catalog,
        catalog_namespace="olm",
        current=current,
    )


def resolve(store: CatalogStore, *requests: Request, installed: tuple[Installed, ...] = ()) -> list[SelectedBundle]:
    return Resolution(store, ["c"], "olm", installed).resolve(requests)


def names(choices: list[SelectedBundle]) -> list[tuple[str, str, str]]:
    return [(choice.bundle.name, choice.subscription, choice.replaces) for choice in choices]


def tea(version: int, *, subscribed: bool = True) -> Installed:
    return Installed(name=f"tea.v{version}", version=f"{version}.0.0", provides=frozenset({POT}), subscribed=subscribed)


def test_it_takes_the_head_of_the_default_channel(store: CatalogStore) -> None:
    assert names(resolve(store, ask("tea"))) == [("tea.v3", "tea-sub", "tea.v2")]


def test_it_starts_at_the_csv_that_is_named(store: CatalogStore) -> None:
    assert names(resolve(store, ask("tea", starting="tea.v1"))) == [("tea.v1", "tea-sub", "")]


def test_an_upgrade_follows_replaces(store: CatalogStore) -> None:
    found = resolve(store, ask("tea", tea(1)), installed=(tea(1),))
    assert names(found) == [("tea.v2", "tea-sub", "tea.v1")]


def test_a_skip_range_leads_straight_to_the_head(store: CatalogStore) -> None:
    found = resolve(store, ask("tea", tea(2)), installed=(tea(2),))
    assert names(found) == [("tea.v3", "tea-sub", "tea.v2")]


def test_h30_a_range_without_an_end_leads_from_the_head_nowhere(store: CatalogStore) -> None:
    """debezium-operator's: 3.0.0 has >2.7.3 and 2.7.0 has >2.6.1. OLM's resolver lets the head take its own place."""
    newest = Installed(name="oat.v3", version="3.0.0", provides=frozenset(), subscribed=True)
    assert resolve(store, ask("oat", newest), installed=(newest,)) == []
    older = Installed(name="oat.v1", version="1.0.0", provides=frozenset(), subscribed=True)
    assert names(resolve(store, ask("oat", older), installed=(older,))) == [("oat.v2", "oat-sub", "oat.v1")]


def test_the_newest_has_no_upgrade(store: CatalogStore) -> None:
    assert resolve(store, ask("tea", tea(3)), installed=(tea(3),)) == []


def test_a_required_kind_brings_its_provider(store: CatalogStore) -> None:
    assert ("cup.v1", "cup-sub", "") in names(resolve(store, ask("cup")))
    assert len(resolve(store, ask("cup"))) == 2


def test_a_required_kind_that_is_there_brings_nothing(store: CatalogStore) -> None:
    assert names(resolve(store, ask("cup"), installed=(tea(3),))) == [("cup.v1", "cup-sub", "")]


def test_a_required_package_in_its_range(store: CatalogStore) -> None:
    assert names(resolve(store, ask("tray"))) == [("tray.v1", "tray-sub", ""), ("tea.v2", "", "tea.v1")]


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (
            ask("milk"),
            (
                "no operators found in package milk in the catalog referenced by subscription milk-sub, subscription"
                " milk-sub exists"
            ),
        ),
        (
            ask("tea", channel="beta"),
            (
                "no operators found in channel beta of package tea in the catalog referenced by subscription tea-sub, "
                "subscription tea-sub exists"
            ),
        ),
        (
            ask("tea", channel="stable", starting="tea.v9"),
            (
                "no operators found with name tea.v9 in channel stable of package tea in the catalog referenced by"
                " subscription tea-sub, subscription tea-sub exists"
            ),
        ),
        (
            ask("tea", catalog="other"),
            (
                "no operators found from catalog other in namespace olm referenced by subscription tea-sub, "
                "subscription tea-sub exists"
            ),
        ),
        (
            ask("spoon"),
            (
                "bundle spoon.v1 requires an operator providing an API with group: example.dev, version: v1, kind:"
                " Sugar, subscription spoon-sub requires c/olm/stable/spoon.v1, subscription spoon-sub exists"
            ),
        ),
    ],
)
def test_what_can_not_be_is_said_as_olm_says_it(store: CatalogStore, request_: Request, sentence: str) -> None:
    with pytest.raises(Unsatisfiable) as refused:
        resolve(store, request_)
    assert str(refused.value) == f"constraints not satisfiable: {sentence}"


def test_two_providers_of_one_kind_are_refused(store: CatalogStore) -> None:
    with pytest.raises(Unsatisfiable, match=r"provide Pot \(example.dev/v1\)"):
        resolve(store, ask("mug"), installed=(tea(3),))


def test_a_csv_that_nobody_follows_is_named(store: CatalogStore) -> None:
    with pytest.raises(
        Unsatisfiable, match=r"clusterserviceversion tea\.v3 exists and is not referenced by a subscription"
    ):
        resolve(store, ask("tea"), installed=(tea(3, subscribed=False),))
