"""A package's page over HTTP: with what a PackageManifest tells, and with the whole bundles of a catalog that the
console read.
"""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client

from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.errors import Forbidden
from kube.reader import read
from kube.types.olm import CSVDescription
from operatorhub import olm
from operatorhub.bundle import bundles, contents, graph
from operatorhub.find import package_page
from operatorhub.indexing import index, refresh
from operatorhub.models import Catalog
from tests.conftest import ROOT
from tests.eventually import until
from tests.operatorhub.operators import make, place, sub_of, subscribe

pytestmark = pytest.mark.django_db
FLIGHT = "/operatorhub/olm/samples-catalog/flightticket/"
SAMPLES = ROOT / "examples" / "operators" / "packages"


@pytest.fixture
def web(client: ClusterClient) -> Client:
    index.build(client)
    return Client()


@pytest.fixture
def described(web: Client, client: ClusterClient) -> Client:
    """The console has read the folder of the CatalogSource."""
    row = Catalog.objects.create(
        cluster=client.name,
        kind=Catalog.FOLDER,
        name="whole",
        location=str(SAMPLES),
        describes="olm/samples-catalog",
        given=True,
    )
    assert refresh.refresh(row, client)
    return web


def html(response: HttpResponse) -> str:
    assert response.status_code == 200
    return response.content.decode()


def text(response: HttpResponse) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html(response))))


def test_what_a_package_manifest_does_not_tell_is_said(web: Client) -> None:
    page = text(web.get(FLIGHT, {"tab": "permissions"}))
    assert "This catalog provides only part of the details" in page
    assert "add the catalog's image or folder to this console" in page
    versions = text(web.get(FLIGHT, {"tab": "versions"}))
    assert "The upgrade path is unknown" in versions
    old = text(web.get(FLIGHT, {"version": "flightticket-operator.v1.0.0"}))
    assert "Only the name of this version is known" in old
    assert "Version 1.0.0 is deprecated" in old


def test_permissions_in_words(described: Client) -> None:
    page = text(described.get(FLIGHT, {"channel": "candidate", "tab": "permissions"}))
    assert re.search(r"\d+ dangerous permission", page)
    assert "Can read Secrets in the namespaces it watches" in page
    assert "Secrets contain the passwords" in page
    # The version before asked for less.
    stable = text(described.get(FLIGHT, {"tab": "permissions"}))
    assert "Secrets in" not in stable


def test_each_version_has_its_own_words_and_is_carried_to_the_install(described: Client) -> None:
    page = html(described.get(FLIGHT, {"channel": "candidate", "version": "flightticket-operator.v1.1.0"}))
    assert "You're viewing 1.1.0; the newest version in this channel is 2.0.0" in unescape(page)
    install = f"{FLIGHT}install/?channel=candidate&amp;version=flightticket-operator.v1.1.0"
    assert f'href="{install}"' in page
    # Nothing that would be chosen anyway stands in the address.
    assert f'href="{FLIGHT}install/"' in html(described.get(FLIGHT, {"channel": "stable"}))
    # Anything may stand there.
    assert "1.1.0" in text(described.get(FLIGHT, {"channel": "evil", "version": "evil", "tab": "evil"}))


def test_deprecations_of_a_channel_and_a_version(described: Client) -> None:
    page = text(described.get(FLIGHT, {"channel": "archive"}))
    assert "The channel archive is deprecated" in page
    assert "Version 1.0.0 is deprecated" in page


def test_the_graph_and_the_same_as_a_table(described: Client) -> None:
    page = html(described.get(FLIGHT, {"tab": "versions"}))
    assert page.count('class="hub-node') >= 8
    assert "style=" not in page[page.index("<svg class=") : page.index("</svg>", page.index("<svg class="))]
    assert "1.1.0 replaces 1.0.0 in stable" in page
    assert "Every version in &gt;=1.0.0 &lt;2.0.0 can be updated to 2.0.0 in candidate" in page
    words = text(described.get(FLIGHT, {"tab": "versions"}))
    assert "Other channels" in words
    assert "2.0.0 · 3 versions" in words
    assert "flightticket-operator.v1.0.0" in words


def test_what_it_needs_and_who_has_it(described: Client) -> None:
    page = text(described.get(FLIGHT, {"channel": "preview", "tab": "contents"}))
    assert "Memcached cache.example.com/v1alpha1" in page
    assert "OLM installs it too, from: Memcached" in page or "Available in the cluster." in page
    assert "operator-console.dev/flightticket-operator" in page


def test_the_schema_before_anything_is_installed(described: Client) -> None:
    place = f"{FLIGHT}apis/flighttickets.flights.com/"
    page = text(described.get(place, {"channel": "candidate"}))
    assert "spec" in page
    assert "Author's examples" in page
    inside = text(described.get(place, {"channel": "candidate", "at": "/spec"}))
    assert "number integer" in inside
    assert "≥ 1 · ≤ 9" in inside
    assert "≤ 10" in text(described.get(place, {"at": "/spec"}))
    part = described.get(place, {"at": "/spec"}, headers={"HX-Request": "true", "HX-Target": "in-0badcafe"})
    assert html(part).strip().startswith("<ul")
    found = text(described.get(place, {"q": "number"}))
    assert "spec.number" in found
    assert "0 fields" in text(described.get(place, {"q": "nothing-has-this"}))
    assert "No fields." in text(described.get(place, {"at": "/no/such/place"}))


def test_a_schema_that_nobody_knows(web: Client) -> None:
    page = text(web.get(f"{FLIGHT}apis/nothing.example.org/"))
    assert "The schema is unknown" in page


def test_a_user_who_may_not_list_subscriptions_is_told(web: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    real = ClusterClient.list

    def refused(self: ClusterClient, type_, *rest, **more):  # type: ignore[no-untyped-def]
        if type_.plural == olm.SUBSCRIPTIONS:
            raise Forbidden("no")
        return real(self, type_, *rest, **more)

    monkeypatch.setattr(ClusterClient, "list", refused)
    assert "You don't have permission to list Subscriptions here" in text(web.get(FLIGHT))
    assert "You don't have permission to list Subscriptions here" in text(web.get("/operatorhub/"))


def test_a_bundle_that_can_not_be_read_now(web: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_rest: object) -> None:
        raise bundles.SourceError("the folder is gone")

    monkeypatch.setattr(bundles, "bundle", gone)
    page = text(web.get(FLIGHT))
    assert "The bundle can't be read right now" in page
    assert "the folder is gone" in page
    assert "FlightTicket" in page


def test_images_are_shown_only_when_asked_for(described: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    real = package_page.package.describe_bundle

    def with_image(bundle, version, name, *, images=False):  # type: ignore[no-untyped-def]
        spec = {**bundle.csv["spec"], "description": "![x](https://example.org/x.png) ![y](http://example.org/y.png)"}
        return real(replace(bundle, csv={**bundle.csv, "spec": spec}), version, name, images=images)

    monkeypatch.setattr(package_page.package, "describe_bundle", with_image)
    without = described.get(FLIGHT)
    assert "Show description images" in text(without)
    assert "example.org/x.png" not in html(without)
    shown = described.get(FLIGHT, {"images": "1"})
    assert 'src="https://example.org/x.png"' in html(shown)
    assert 'referrerpolicy="no-referrer"' in html(shown)
    assert "img-src 'self' data: https:" in shown["Content-Security-Policy"]
    assert "https:" not in without["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("here", "wanted", "old"),
    [
        ("v1.30.2", "1.31.0", True),
        ("v1.31.0-eks.3", "1.31.0", False),
        ("v1.36.3+sandbox", "1.30", False),
        ("v1.9.0", "1.10.0", True),
        ("", "1.0.0", False),
        ("v1.2.3", "soon", False),
        ("v1.19.0", "1.19.0-0", False),
    ],
)
def test_kubernetes_that_is_too_old(here: str, wanted: str, old: bool) -> None:
    assert package_page.too_old(here, wanted) is old


def test_needs_of_all_kinds() -> None:
    properties = (
        {"type": "olm.package.required", "value": {"packageName": "a", "versionRange": ">=1.0.0"}},
        {"type": "olm.gvk.required", "value": {"group": "g", "kind": "K", "version": "v1"}},
        {
            "type": "olm.constraint",
            "value": {
                "all": {"constraints": [{"package": {"packageName": "b"}}, {"gvk": {"group": "h", "kind": "H"}}]}
            },
        },
        {"type": "olm.constraint", "value": {"failureMessage": "needs luck", "cel": {"rule": "true"}}},
        {"type": "olm.package", "value": "odd"},
    )
    spec = {"customresourcedefinitions": {"required": [{"name": "ks.g", "kind": "K", "version": "v1"}]}}
    found = contents.needs(read(spec, CSVDescription), properties)
    assert [(item.kind, item.package or item.api_kind or item.words) for item in found] == [
        ("package", "a"),
        ("api", "K"),
        ("package", "b"),
        ("api", "H"),
        ("other", "needs luck"),
    ]


def test_webhooks_and_images_in_words() -> None:
    hook = {
        "type": "MutatingAdmissionWebhook",
        "generateName": "m.example.org",
        "failurePolicy": "Ignore",
        "rules": [{"operations": ["CREATE"], "apiGroups": ["apps"], "resources": ["deployments"]}],
    }
    container = {"name": "manager", "image": "example.org/a@sha256:1"}
    install = {"spec": {"deployments": [{"name": "d", "spec": {"template": {"spec": {"containers": [container]}}}}]}}
    csv = {
        "spec": {
            "webhookdefinitions": [hook, {"type": "ConversionWebhook", "conversionCRDs": ["a.b"]}],
            "install": install,
            "relatedImages": [
                {"name": "a", "image": "example.org/a@sha256:1"},
                {"name": "b", "image": "example.org/b:1"},
            ],
        }
    }
    first, second = contents.webhooks(csv)
    assert (first.objects, first.operations, first.silent) == (
        ("deployments.apps",),
        ("CREATE",),
        "The webhook is skipped.",
    )
    assert second.objects == ("a.b",)
    images = contents.images(csv, (), "example.org/bundle:1")
    assert [(image.name, image.pinned) for image in images] == [
        ("example.org/a@sha256:1", True),
        ("example.org/b:1", False),
        ("example.org/bundle:1", False),
    ]
    assert images[0].uses == ("container manager of Deployment d",)


def test_every_real_package_has_a_page(
    full_cluster: ClusterClient, real_catalog: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one of the oddities of the real ones breaks it: all are described, their graphs read and their rights
    judged.
    """
    row = Catalog.objects.create(
        cluster=full_cluster.name,
        kind=Catalog.FOLDER,
        name="real",
        location=str(real_catalog),
        describes="olm/community-catalog",
        given=True,
    )
    assert refresh.refresh(row, full_cluster)
    for name in ("argocd-operator", "stackgres-community", "cert-manager", "etcd", "eclipse-che"):
        manifest = package_page.package.read(full_cluster, "olm", "community-catalog", name)
        chosen = package_page.choose(full_cluster, manifest, "", "")
        assert chosen is not None and chosen.about is not None and chosen.whole, name
        assert chosen.graph.edges_known
        place = package_page.here(full_cluster, chosen)
        assert place.subscriptions == ()
        assert all(answer.need.kind for answer in place.answers)
    # The cluster's catalog has only two versions of its 31, so the others can't be updated.
    argocd = bundles.graph(full_cluster, "olm", "community-catalog", "argocd-operator")
    assert len(argocd.missing) == 29
    assert "argocd-operator.v0.17.0" not in argocd.missing
    assert "argocd-operator.v0.15.0" in graph.stranded(argocd, "alpha")
    assert "argocd-operator.v0.17.0" not in graph.stranded(argocd, "alpha")
    che = package_page.choose(full_cluster, manifest, "", "")
    assert che is not None
    assert any(not answer.there and not answer.offers for answer in package_page.here(full_cluster, che).answers)


def test_a_version_that_the_catalog_does_not_have(described: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It isn't linked to a page that would show the newest version."""
    old = "flightticket-operator.v1.0.0"
    monkeypatch.setattr(bundles, "_missing_versions", lambda *_arguments: (old,))
    page = described.get(FLIGHT, {"tab": "versions"})
    channel = package_page.package.read(console_client(), "olm", "samples-catalog", "flightticket").channels[0]
    assert f"version={channel.csv}" in html(page)
    assert f"version={old}" not in html(page)
    assert " not in the catalog " in text(page)
    words = text(described.get(FLIGHT, {"version": "flightticket-operator.v9.9.9"}))
    assert f"flightticket-operator.v9.9.9 isn't in the channel {channel.name} of this catalog; you're viewing" in words


def test_a_subscription_without_a_channel_follows_the_default_one(web: Client, client: ClusterClient) -> None:
    with place(client, "any-channel") as namespace:
        spec = {"name": "flightticket", "source": "samples-catalog", "sourceNamespace": "olm"}
        make(client, olm.GROUP, "Subscription", "flightticket", namespace, spec=spec)
        until(lambda: sub_of(client, namespace).installed_csv)
        page = text(web.get(FLIGHT))
    assert re.search(rf"Installed in {namespace} flightticket-operator\.v[\d.]+, channel stable\.", page), page


def test_the_first_thing_to_do_with_what_is_installed_is_to_look_at_it(web: Client, client: ClusterClient) -> None:
    """H9: it was “Install again”."""
    assert web.get(FLIGHT).context["present"] is None
    with place(client, "primary") as namespace:
        subscribe(client, namespace)
        begun = web.get(FLIGHT).context["present"]
        assert begun and f"/operators/{namespace}/" in begun.url
        until(lambda: sub_of(client, namespace).installed_csv)
        answer = web.get(FLIGHT)
        csv = sub_of(client, namespace).installed_csv
        assert answer.context["present"].url == f"/operators/{namespace}/{csv}/"
        content = html(answer).partition("<main")[2]
        (primary,) = re.findall(r'<a\s+class="pf-v6-c-button pf-m-primary\s*"\s+href="([^"]+)"', content)
        assert primary == f"/operators/{namespace}/{csv}/"
