"""Every page over HTTP, on the embedded cluster: from the catalog to an installed operator and back to nothing."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound
from operatorhub import olm
from operatorhub.indexing import index
from operatorhub.models import Index, Package
from tests.eventually import until

pytestmark = pytest.mark.django_db
PACKAGE = "/operatorhub/olm/samples-catalog/sampledb/"
CSV = "sampledb-operator.v1.0.0"


@pytest.fixture(autouse=True)
def _index(client: ClusterClient) -> None:
    index.build(client)


@pytest.fixture
def web() -> Client:
    return Client()


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    """A namespace's name that the test may use; what it made there is deleted."""
    name = "hub-pages"
    yield name
    for plural in (olm.SUBSCRIPTIONS, olm.CSVS, "operatorgroups"):
        for item in client.list(olm.type_of(client, plural), name).items:
            client.delete(olm.type_of(client, plural), item["metadata"]["name"], name)
    spaces = client.find("", "v1", "namespaces")
    try:
        client.delete(spaces, name)
    except NotFound:
        return

    def gone() -> bool:
        try:
            client.get(spaces, name)
        except NotFound:
            return True
        return False

    until(gone)


def text(response) -> str:  # type: ignore[no-untyped-def]
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def version_shown(answer: Any) -> str:
    """Which version of the object the form on the page is of."""
    found = re.search(r'name="version" value="([^"]+)"', answer.content.decode())
    assert found
    return found[1]


def choices(namespace: str, **others: str) -> dict[str, str]:
    return {
        "channel": "stable",
        "version": "",
        "mode": "OwnNamespace",
        "install_namespace": "+",
        "new_namespace": namespace,
        "approval": "Automatic",
        **others,
    }


def test_the_catalog(web: Client) -> None:
    page = web.get("/operatorhub/", {"q": "sampledb"}).content.decode()
    assert 'data-total="1"' in page
    assert page.count("data-tile") == 1
    assert f'href="{PACKAGE}"' in page
    none = web.get("/operatorhub/", {"q": "xyzzy-plugh"}).content.decode()
    assert 'data-total="0"' in none
    assert "No matching operators" in none


def test_htmx_gets_the_part_and_a_clean_address(web: Client) -> None:
    part = web.get(
        "/operatorhub/", {"q": "samp", "sort": "relevance"}, headers={"HX-Request": "true", "HX-Trigger": "hub"}
    )
    assert "<html" not in part.content.decode()
    assert part["HX-Push-Url"] == "/operatorhub/?q=samp"
    assert "HX-Request" in part["Vary"]


@pytest.mark.parametrize(
    "query",
    [
        "?shown=abc",
        "?shown=²",
        "?sort=evil",
        "?level=9&state=x&source=%00",
        "?q=" + "é" * 500,
        "?category=a&category=b",
    ],
)
def test_any_address_is_answered(web: Client, query: str) -> None:
    assert web.get(f"/operatorhub/{query}").status_code == 200


def test_an_icon_can_only_be_looked_at(web: Client, client: ClusterClient) -> None:
    package = Package.objects.get(name="sampledb")
    first = web.get(f"/operatorhub/icons/p-{package.pk}")
    assert first.status_code == 200
    assert first["Content-Type"] == "image/svg+xml"
    assert "sandbox" in first["Content-Security-Policy"]
    assert first["X-Content-Type-Options"] == "nosniff"
    package.refresh_from_db()
    icon = web.get(f"/operatorhub/icons/{package.icon}")
    assert "immutable" in icon["Cache-Control"]
    assert web.get(f"/operatorhub/icons/{package.icon}", headers={"If-None-Match": icon["ETag"]}).status_code == 304
    for wrong in ("p-0", "p-99999999999999999999", "p-x", "nothing"):
        assert web.get(f"/operatorhub/icons/{wrong}").status_code == 404


def test_while_there_is_no_index_the_page_says_so(
    web: Client, monkeypatch: pytest.MonkeyPatch, client: ClusterClient
) -> None:
    Index.objects.all().delete()
    asked = []
    monkeypatch.setattr("operatorhub.tasks.refresh_catalogs.apply_async", lambda **options: asked.append(options))
    page = web.get("/operatorhub/").content.decode()
    assert "Reading the catalogs" in page
    assert 'hx-trigger="every' in page
    # It asks with what is typed by then, and not while a search is under way.
    assert 'hx-include="#hub" hx-sync="#hub:drop"' in page
    web.get("/operatorhub/")
    assert len(asked) == 1
    index.build(client)
    assert 'data-total="1"' in web.get("/operatorhub/", {"q": "sampledb"}).content.decode()


def test_without_a_worker_the_request_builds_it(
    web: Client, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    Index.objects.all().update(built_at=None, requested_at="2020-01-01T00:00:00Z")
    monkeypatch.setattr("operatorhub.tasks.refresh_catalogs.apply_async", lambda **options: pytest.fail("asked again"))
    assert 'data-total="1"' in web.get("/operatorhub/", {"q": "sampledb"}).content.decode()


def test_a_cluster_without_olm_says_so(web: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operatorhub.olm.served", lambda client: False)
    for page in ("/operatorhub/", "/operators/"):
        assert "has no Operator Lifecycle Manager" in text(web.get(page))


def test_a_package(web: Client) -> None:
    page = text(web.get(PACKAGE))
    assert "provided by Operator Console" in page
    assert "Full Lifecycle" in page
    assert "SampleDB · samples.operator-console.dev/v1" in page
    gone = web.get("/operatorhub/olm/samples-catalog/nothing/")
    assert gone.status_code == 404
    assert "Package “nothing” isn't in catalog" in text(gone)


def test_the_form_shows_what_it_would_make(web: Client) -> None:
    page = text(web.get(f"{PACKAGE}install/", choices("hub-preview")))
    assert "kind: Namespace metadata: name: hub-preview" in page
    assert "targetNamespaces: - hub-preview" in page
    assert "installPlanApproval: Automatic" in page


def test_a_bad_choice_makes_nothing(web: Client, client: ClusterClient) -> None:
    answer = web.post(f"{PACKAGE}install/", choices("Not_A_Name"))
    assert answer.status_code == 422
    assert "lowercase letters" in text(answer)
    assert "Not_A_Name" not in str(client.list(client.find("", "v1", "namespaces")).items)
    assert client.list(olm.type_of(client, olm.SUBSCRIPTIONS), "default").items == []


def test_install_approve_view_uninstall(web: Client, client: ClusterClient, namespace: str) -> None:
    made = web.post(f"{PACKAGE}install/", choices(namespace, approval="Manual"))
    progress = f"/operators/{namespace}/subscriptions/sampledb/"
    assert (made.status_code, made["Location"]) == (302, progress)
    page = until(
        lambda: (found := web.get(progress).content.decode()) and 'data-state="asks"' in found and found, seconds=40
    )
    # OLM writes it on the Subscription a moment after it made the plan.
    until(lambda: "Waiting for approval" in text(web.get("/operators/")))
    approve = re.search(r'action="(/operators/[^"]+/approve/)"', page)
    assert approve is not None
    assert web.post(approve[1], {"subscription": "sampledb"})["Location"] == progress
    until(lambda: re.search(r'id="progress-title"\s+data-state="done"', web.get(progress).content.decode()))

    rows = text(web.get("/operators/"))
    assert "SampleDB" in rows
    assert "Succeeded" in rows
    assert "Installed" in text(web.get("/operatorhub/", {"q": "sampledb"}))
    assert f"View operator in {namespace}" in text(web.get(PACKAGE))
    again = web.post(f"{PACKAGE}install/", {**choices(""), "install_namespace": namespace})
    assert "already installed" in text(again)

    operator = web.get(f"/operators/{namespace}/{CSV}/").content.decode()
    assert f'href="/resources/samples.operator-console.dev/v1/sampledbs/new/?namespace={namespace}"' in operator
    assert f'href="/operators/{namespace}/{CSV}/instances/' in operator
    confirm = web.get(f"/operators/{namespace}/{CSV}/uninstall/").content.decode()
    uids = dict(re.findall(r'name="(csv_uid|subscription_uid)" value="([^"]+)"', confirm))
    assert len(uids) == 2
    # What it does otherwise is tests/operatorhub/test_uninstall.py.
    done = web.post(f"/operators/{namespace}/{CSV}/uninstall/", uids)["Location"]
    until(lambda: "SampleDB is uninstalled" in text(web.get(done)) or (web.post(done) and False))
    # Below the navigation, which may show for a minute what was there.
    listed = web.get("/operators/", {"namespace": namespace}).content.decode().partition("<main")[2]
    assert listed and "SampleDB" not in listed
    assert web.get(progress).status_code == 404


def test_the_reason_why_nothing_comes(web: Client, client: ClusterClient, namespace: str) -> None:
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    spec = {"name": "sampledb", "source": "samples-catalog", "sourceNamespace": "olm", "channel": "stable"}
    sub = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": "sampledb", "namespace": namespace},
        "spec": spec,
    }
    client.create(olm.type_of(client, olm.SUBSCRIPTIONS), sub, namespace)
    page = until(
        lambda: (
            (found := text(web.get(f"/operators/{namespace}/subscriptions/sampledb/")))
            and "The installation of SampleDB failed" in found
            and found
        ),
        seconds=40,
    )
    assert "OperatorGroup" in page


def test_installed_operators_of_a_namespace_without_any(web: Client) -> None:
    assert "No operators in the namespace default" in text(web.get("/operators/", {"namespace": "default"}))
