"""Lifecycle metadata of a catalog: whether a version fits the cluster, and in which phase of support it is."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.bundle import bundles, package
from operatorhub.find.package_page import ClusterFacts
from operatorhub.indexing import index, refresh
from operatorhub.models import Catalog
from operatorhub.running import installed_operators
from operatorhub.sources.drafts import SupportPhase, VersionLifecycle
from tests.operatorhub.sources.test_fbc import bundle, channel, read
from tests.operatorhub.test_installed_operators import row
from tests.operatorhub.test_package_page import FLIGHT, text

FULL, MAINTENANCE = SupportPhase("Full", "2026-01-01", "2026-06-30"), SupportPhase("Upkeep", "2026-07-01", "2027-06-30")
STATED = (
    VersionLifecycle("1.0", {"openshift": ("4.14", "4.15")}, (MAINTENANCE, FULL)),
    VersionLifecycle("1.1", {"openshift": ()}, (SupportPhase("Odd", "soon", "later"),)),
    VersionLifecycle("2", {"robots": ("7",)}, ()),
    VersionLifecycle("3.0", {}, ()),
)
TODAY = date(2026, 11, 27)


@pytest.mark.parametrize(
    ("version", "openshift", "expected"),
    [
        ("1.0.3", "4.15.9", (True, "Upkeep")),
        ("v1.0", "4.16.0", (False, "Upkeep")),
        ("1.0.3", "", (None, "Upkeep")),
        ("1.1.0", "4.15.0", (False, "")),
        ("2.0.1", "4.15.0", (None, "")),
        ("3.0.0", "4.15.0", None),
        ("9.9.9", "4.15.0", None),
        ("latest", "4.15.0", None),
        ("", "4.15.0", None),
    ],
)
def test_of_a_version(version: str, openshift: str, expected: tuple[bool | None, str] | None) -> None:
    found = package.lifecycle(STATED, version, {"openshift": openshift}, TODAY)
    assert (found and (found.compatible, found.phase.name if found.phase else "")) == expected


@pytest.mark.parametrize(
    ("today", "name"),
    [
        (date(2025, 12, 31), ""),
        (date(2026, 1, 1), "Full"),
        (date(2026, 6, 30), "Full"),
        (date(2026, 7, 1), "Upkeep"),
        (date(2027, 7, 1), ""),
    ],
)
def test_a_phase_has_its_first_and_its_last_day(today: date, name: str) -> None:
    found = package.lifecycle(STATED, "1.0.0", {}, today)
    assert found is not None and [phase.name for phase in found.phases] == ["Full", "Upkeep"]
    assert (found.phase.name if found.phase else "") == name


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, None),
        ({"kubernetes": "v1.30.0"}, True),
        ({"kubernetes": "v1.30.0", "too_old": True}, False),
        ({"max_openshift": "4.9", "openshift": "4.15.0"}, False),
        ({"max_openshift": "4.15", "openshift": "4.15.7"}, True),
        ({"max_openshift": "4.15", "openshift": ""}, None),
        ({"lifecycle": package.lifecycle(STATED, "1.0", {"openshift": "4.15"}, TODAY), "kubernetes": "v1"}, True),
        ({"lifecycle": package.lifecycle(STATED, "1.0", {"openshift": "4.9"}, TODAY), "kubernetes": "v1"}, False),
    ],
)
def test_a_version_is_compatible_with_all_that_is_stated(facts: dict[str, Any], expected: bool | None) -> None:
    usual: dict[str, Any] = {
        "subscriptions": (),
        "unlisted": False,
        "kubernetes": "",
        "too_old": False,
        "offers": (),
        "answers": (),
        "running": (),
    }
    assert ClusterFacts(**(usual | facts)).compatible is expected


def blob(**more: Any) -> dict[str, Any]:
    day = timezone.now().date()
    return {
        "schema": "io.openshift.operators.lifecycles.v1alpha1",
        "package": "flightticket",
        "versions": [
            {
                "name": "1.1",
                "platformCompatibility": [{"name": "openshift", "versions": ["4.14"]}],
                "phases": [
                    {"name": "Full <b>", "startDate": str(day), "endDate": str(day + timedelta(9))},
                    {"name": "Upkeep", "startDate": "2020-01-01", "endDate": "2020-12-31"},
                ],
            }
        ],
        **more,
    }


WHOLE = [
    {"schema": "olm.package", "name": "flightticket", "defaultChannel": "stable"},
    channel("stable", {"name": "flightticket-operator.v1.1.0"}, package="flightticket"),
    bundle(
        "flightticket-operator.v1.1.0",
        "1.1.0",
        {"type": "olm.maxOpenShiftVersion", "value": "4.15"},
        package="flightticket",
    ),
]


def test_a_catalog_states_it() -> None:
    (found,), _bundles, bad = read("\n".join(map(json.dumps, [blob(), *WHOLE])))
    (stated,) = found.graph.lifecycle
    assert not bad and stated.platforms == {"openshift": ("4.14",)}
    assert [phase.name for phase in stated.phases] == ["Full <b>", "Upkeep"]


@pytest.mark.parametrize(
    ("odd", "problems"),
    [
        ([blob(), blob()], 1),
        ([blob(versions="x")], 0),
        ([blob(versions=[{"name": ["x"], "phases": 7}, 3])], 0),
        ([blob(package="")], 0),
        ([blob(schema="io.openshift.operators.lifecycles.v9")], 0),
    ],
)
def test_what_can_not_be_read_states_nothing(odd: list[Any], problems: int) -> None:
    (found,), _bundles, bad = read("\n".join(map(json.dumps, [*odd, *WHOLE])))
    assert len(bad) == problems
    assert not any(entry.phases or entry.platforms for entry in found.graph.lifecycle)


def test_it_is_bounded() -> None:
    phase = {"name": "x" * 5000, "startDate": "", "endDate": ""}
    many = [{"name": f"1.{number}", "phases": [phase] * 500} for number in range(1000)]
    (found,), _bundles, _bad = read("\n".join(map(json.dumps, [blob(versions=many), *WHOLE])))
    assert len(repr(found.graph.lifecycle)) < 1_000_000


@pytest.fixture
def stated(client: ClusterClient, tmp_path: Path) -> Client:
    """The console has read a file-based catalog that describes the CatalogSource, with its lifecycle metadata."""
    (tmp_path / "catalog.json").write_text("\n".join(map(json.dumps, [*WHOLE, blob()])))
    index.build(client)
    place = {"kind": Catalog.FOLDER, "name": "whole", "location": str(tmp_path), "describes": "olm/samples-catalog"}
    assert refresh.refresh(Catalog.objects.create(cluster=client.name, given=True, **place), client)
    return Client()


@pytest.fixture
def openshift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "platform_versions", lambda _client: {"openshift": "4.16.1"})


@pytest.mark.django_db
@pytest.mark.usefixtures("openshift")
def test_the_package_page_has_it(stated: Client) -> None:
    page = text(stated.get(FLIGHT))
    assert "Cluster compatibility Incompatible OpenShift 4.14 (this cluster: OpenShift 4.16.1)" in page
    assert "Support phase Full <b> until" in page and "Upkeep 2020-01-01 to 2020-12-31" in page
    assert "Maximum OpenShift version 4.15" in page


@pytest.mark.django_db
def test_a_package_without_it_has_nothing(client: ClusterClient) -> None:
    index.build(client)
    page = text(Client().get(FLIGHT))
    assert "Support phase" not in page and "Maximum OpenShift version" not in page


@pytest.mark.django_db
@pytest.mark.usefixtures("openshift", "stated")
def test_installed_operators_have_that_of_their_version(client: ClusterClient) -> None:
    spec = {"name": "flightticket", "source": "samples-catalog", "sourceNamespace": "olm"}
    sub = olm.subscription({"metadata": {"name": "flightticket", "namespace": "apps"}, "spec": spec})
    rows = [row("flightticket", version="1.1.3"), row("flightticket", version="1.0.0"), row("other")]
    first, second, third = installed_operators.with_lifecycles(client, rows, [sub])
    assert first.lifecycle is not None and first.lifecycle.compatible is False
    assert first.lifecycle.phase is not None and first.lifecycle.phase.name == "Full <b>"
    assert second.lifecycle is None and third.lifecycle is None


@pytest.mark.django_db
@pytest.mark.usefixtures("stated")
def test_it_is_shown_to_those_who_see_the_catalog(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bundles.stored_lifecycle(client, "olm", "samples-catalog", "flightticket")
    monkeypatch.setattr(bundles, "visible", lambda *_place: False)
    assert bundles.stored_lifecycle(client, "olm", "samples-catalog", "flightticket") == ()
