"""Packages side by side."""

import re
from html import unescape

import pytest
from django.test import Client

from kube.client import ClusterClient
from operatorhub.find import compare
from operatorhub.indexing import index, refresh
from operatorhub.models import Catalog
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db
SAMPLEDB, FLIGHT = "olm/samples-catalog/sampledb", "olm/samples-catalog/flightticket"


@pytest.fixture
def web(client: ClusterClient) -> Client:
    index.build(client)
    return Client()


def text(response) -> str:  # type: ignore[no-untyped-def]
    assert response.status_code == 200
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def test_keys_from_an_address() -> None:
    assert compare.keys(["a/b/c", "a/b/c", "x", "a//c", "1/2/3", "4/5/6", "7/8/9", "x/y/z"]) == (
        "a/b/c",
        "1/2/3",
        "4/5/6",
        "7/8/9",
    )


def test_what_is_not_known_is_said_in_its_cell(web: Client) -> None:
    page = text(web.get("/operatorhub/compare/", {"package": [SAMPLEDB, FLIGHT]}))
    assert "Permissions unknown unknown" in page
    assert "Capability level 3 – Full Lifecycle" in page


def test_side_by_side(web: Client, client: ClusterClient) -> None:
    row = Catalog.objects.create(
        cluster=client.name,
        kind=Catalog.FOLDER,
        name="whole",
        location=str(ROOT / "examples" / "operators" / "packages"),
        describes="olm/samples-catalog",
        given=True,
    )
    assert refresh.refresh(row, client)
    page = text(web.get("/operatorhub/compare/", {"package": [SAMPLEDB, FLIGHT, "olm/nowhere/x"]}))
    assert re.search(r"\d+ of \d+ dangerous", page)
    assert "Can read and write Secrets" in page
    assert "Channels stable stable archive candidate preview" in page or "archive" in page
    assert "Package “x” isn't in catalog nowhere" in page
    assert "SampleDB FlightTicket" in page
    differing = text(web.get("/operatorhub/compare/", {"package": [SAMPLEDB, FLIGHT], "differences": "1"}))
    assert "Capability level" in differing
    assert "Provider" not in differing
    columns = compare.columns(client, [SAMPLEDB, SAMPLEDB], "")
    assert all(item.same for item in compare.rows(columns))


def test_with_one_it_says_how_to_pick_another(web: Client) -> None:
    page = web.get("/operatorhub/compare/", {"package": SAMPLEDB})
    assert "Select 2 to 4 operators to compare" in text(page)
    assert 'href="/operatorhub/?compare=olm%2Fsamples-catalog%2Fsampledb"' in page.content.decode()
    assert web.get("/operatorhub/compare/").status_code == 200


def test_the_catalog_carries_what_is_picked(web: Client) -> None:
    page = web.get("/operatorhub/", {"q": "sampledb", "compare": [SAMPLEDB, FLIGHT]}).content.decode()
    assert re.search(rf'value="{SAMPLEDB}"\s+checked', page)
    assert f'<input type="hidden" name="compare" value="{FLIGHT}">' in page
    assert (
        "/operatorhub/compare/?package=olm%2Fsamples-catalog%2Fsampledb&amp;package=olm%2Fsamples-catalog%2Fflightticket"
        in page
    )
