"""What the catalog page says when a part of it is not there: a catalog that fails, OLM that is missing, packages that
the user can't see.
"""

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.find import catalog
from operatorhub.indexing import index, refresh
from operatorhub.models import Catalog, Package
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db
SAMPLES = ROOT / "examples" / "operators" / "packages"


@pytest.fixture
def web(client: ClusterClient) -> Client:
    index.build(client)
    return Client()


def text(response) -> str:  # type: ignore[no-untyped-def]
    assert response.status_code == 200
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def own(client: ClusterClient, path: Path, **more: str) -> Catalog:
    return Catalog.objects.create(
        cluster=client.name, kind=Catalog.FOLDER, name="mine", location=str(path), given=True, **more
    )


def test_a_catalog_that_fails_is_named_and_the_rest_is_shown(
    web: Client, client: ClusterClient, tmp_path: Path
) -> None:
    assert not refresh.refresh(own(client, tmp_path / "nothing"), client)
    page = web.get("/operatorhub/", {"q": "sampledb"})
    assert "The catalog mine can't be read" in text(page)
    assert "SampleDB" in text(page)
    assert 'href="/operatorhub/catalogs/source/~/mine/"' in page.content.decode()


def test_catalog_sources_that_do_not_answer(client: ClusterClient) -> None:
    source = {
        "metadata": {"namespace": "olm", "name": "bad"},
        "status": {"connectionState": {"lastObservedState": "TRANSIENT_FAILURE"}},
    }
    ready = {
        "metadata": {"namespace": "olm", "name": "good"},
        "status": {"connectionState": {"lastObservedState": "READY"}},
    }
    found = catalog.catalog_problems(client, [source, ready, {"metadata": {"namespace": "olm", "name": "new"}}])
    assert [(item.name, "TRANSIENT_FAILURE" in item.words) for item in found] == [("olm/bad", True)]


def test_without_olm_the_consoles_own_catalogs_are_shown(
    web: Client, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refresh.refresh(own(client, SAMPLES), client)
    Package.objects.exclude(namespace="~").delete()
    monkeypatch.setattr("operatorhub.olm.served", lambda client: False)
    page = web.get("/operatorhub/", {"q": "sampledb"})
    assert "This cluster has no Operator Lifecycle Manager" in text(page)
    assert 'href="/operatorhub/~/mine/sampledb/"' in page.content.decode()


def test_a_package_of_the_consoles_own_catalog(web: Client, client: ClusterClient) -> None:
    assert refresh.refresh(own(client, SAMPLES), client)
    place = "/operatorhub/~/mine/flightticket/"
    page = web.get(place, {"channel": "candidate"})
    assert "provided by Operator Console" in text(page)
    assert (
        'href="/operatorhub/run/?catalog=mine&amp;package=flightticket&amp;bundle=flightticket-operator.v2.0.0"'
        in page.content.decode()
    )
    for tab in ("permissions", "versions", "contents"):
        assert "provides only part of the details" not in text(web.get(place, {"tab": tab}))
    assert "Install it first, from:" in text(
        web.get(place, {"tab": "contents", "channel": "preview"})
    ) or "Available in the cluster." in text(web.get(place, {"tab": "contents", "channel": "preview"}))
    # The other catalog that has it is named on both pages.
    assert "/operatorhub/olm/samples-catalog/flightticket/" in web.get(place).content.decode()
    assert place in web.get("/operatorhub/olm/samples-catalog/flightticket/").content.decode()


def test_what_may_not_be_chosen_is_not_shown(web: Client, client: ClusterClient) -> None:
    Package.objects.filter(name="sampledb").update(hidden="platform")
    assert 'data-total="0"' in web.get("/operatorhub/", {"q": "sampledb"}).content.decode()


def test_installed_is_said_once_and_updates_too(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def subscription(name: str, installed: str, current: str) -> dict[str, object]:
        spec = {"name": "p", "source": "c", "sourceNamespace": "olm"}
        status = {"installedCSV": installed, "currentCSV": current}
        return {"metadata": {"name": name, "namespace": "x"}, "spec": spec, "status": status}

    class Found:
        items = [subscription("a", "p.v1", "p.v2"), subscription("b", "", "p.v2")]

    real = ClusterClient.list
    monkeypatch.setattr(
        ClusterClient,
        "list",
        lambda self, type_, *rest, **more: (
            Found if type_.plural == olm.SUBSCRIPTIONS else real(self, type_, *rest, **more)
        ),
    )
    assert catalog.installed_states(client).states["olm/c/p"] == ("installed", "update")


@pytest.mark.parametrize(
    ("before", "now", "header"),
    [
        ("", {"q": "s"}, "HX-Push-Url"),
        ("?q=s", {"q": "sa"}, "HX-Replace-Url"),
        ("?q=s&level=3", {"q": "sa", "level": "3"}, "HX-Replace-Url"),
        ("?q=s", {"q": "s", "level": "3"}, "HX-Push-Url"),
        ("?q=s", {}, "HX-Push-Url"),
        ("?q=s", {"q": "s"}, ""),
    ],
)
def test_typing_on_is_one_step_of_the_history(web: Client, before: str, now: dict[str, str], header: str) -> None:
    headers = {"HX-Request": "true", "HX-Trigger": "hub", "HX-Current-URL": f"http://testserver/operatorhub/{before}"}
    found = web.get("/operatorhub/", now, headers=headers)
    assert [name for name in ("HX-Push-Url", "HX-Replace-Url") if name in found] == ([header] if header else [])
