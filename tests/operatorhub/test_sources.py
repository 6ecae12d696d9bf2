"""The pages of catalogs: CatalogSources, ClusterCatalogs, the console's own; permissions and input validation."""

import contextlib
import dataclasses
import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from kube.client import ClusterClient
from kube.errors import NotFound
from kube.objects import KubeObject
from operatorhub import olm, tasks
from operatorhub.admin import catalogsources, clustercatalogs
from operatorhub.bundle import bundles
from operatorhub.indexing import index, refresh
from operatorhub.models import Catalog, Index, Package
from operatorhub.sources import image
from tests import registry
from tests.conftest import ROOT
from tests.eventually import until

pytestmark = pytest.mark.django_db
SAMPLES = ROOT / "examples" / "operators" / "packages"
LIST, NEW = "/operatorhub/catalogs/", "/operatorhub/catalogs/new/"
NAME = "hub-sources"


def own(**more: Any) -> dict[str, Any]:
    return {"kind": "own", "name": NAME, "from": "url", "location": "http://127.0.0.1:1/x.yaml", "save": "1"} | more


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a worker was asked for; there is none here."""
    found: list[str] = []
    monkeypatch.setattr(tasks, "_asked", lambda task, *arguments: found.append(task.name) or True)
    return found


def page(path: str) -> str:
    response = Client().get(path)
    assert response.status_code == 200, response.content[:500]
    return response.content.decode()


def text(response: Any) -> str:
    content = response if isinstance(response, str) else response.content.decode()
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", content)))


@pytest.fixture
def home(client: ClusterClient) -> Iterator[str]:
    """Where the cluster's catalogs live; ours goes at the end."""
    index.build(client)
    found = sorted(catalogsources.everywhere(client.name))[0]
    yield found
    for plural, namespace in ((olm.SOURCES, found), (olm.SOURCES, "default")):
        try:
            client.delete(olm.type_of(client, plural), NAME, namespace)
        except NotFound:
            continue


@pytest.fixture
def mine(settings: Any) -> Iterator[None]:
    settings.LOCAL_ONLY = True
    yield


def samples(client: ClusterClient) -> catalogsources.CatalogSource:
    """Any catalog of the cluster that is well."""
    found, _words = catalogsources.listed(client)
    return next(item for item in found if item.packages)


def test_the_list(client: ClusterClient, home: str) -> None:
    sample = samples(client)
    words = text(page(LIST))
    assert sample.title in words and sample.place in words and "Whole cluster" in words
    assert f"{sample.packages} packages" in words
    assert re.findall(r'pf-m-current"\s+href="([^"]*)"\s+aria-current="page"', page(LIST)) == [LIST]
    assert page(LIST).count("pf-v6-c-nav__link pf-m-current") == 1


def test_global_namespaces_are_discovered(client: ClusterClient, home: str) -> None:
    assert home in catalogsources.everywhere(client.name)
    assert "default" not in catalogsources.everywhere(client.name)


def test_details(client: ClusterClient, home: str) -> None:
    sample = samples(client)
    package = catalogsources.packages(client.name, sample.namespace, sample.name)[0]
    words = text(page(f"{LIST}source/{sample.namespace}/{sample.name}/"))
    assert sample.title in words and "Registry Pods" in words and "Used by" in words and package.title in words
    assert Client().get(f"{LIST}source/{sample.namespace}/nothing/").status_code == 404
    assert Client().get(f"{LIST}source/~/nothing/").status_code == 404


def typed(namespace: str, /, **more: str) -> dict[str, str]:
    form = {
        "kind": "catalogsource",
        "name": NAME,
        "namespace": namespace,
        "endpoint": "image",
        "image": "127.0.0.1:1/team/catalog:v1",
    }
    return form | {"title": "Ours", "publisher": "Us", "interval": "45m", "priority": "7", "secrets": "one, two"} | more


def test_add_edit_and_delete_a_catalogsource(client: ClusterClient, home: str) -> None:
    # A dry run makes nothing, and shows what would be made.
    response = Client().post(NEW, typed("default") | {"try": "1"})
    assert response.status_code == 200 and "would accept this" in text(response)
    assert "interval: 45m" in unescape(response.content.decode())
    with pytest.raises(NotFound):
        catalogsources.get(client, "default", NAME)
    response = Client().post(NEW, typed("default") | {"save": "1"})
    assert response.status_code == 302 and response["Location"] == f"{LIST}source/default/{NAME}/"
    found = catalogsources.get(client, "default", NAME)
    assert (found.endpoint, found.interval, found.priority, found.secrets) == (
        "127.0.0.1:1/team/catalog:v1",
        "45m",
        7,
        ("one", "two"),
    )
    assert not found.everywhere
    # It is offered to its own namespace only; those of the whole cluster to all.
    assert NAME in page(f"{LIST}?namespace=default") and NAME not in page(f"{LIST}?namespace=kube-system")
    assert samples(client).title in page(f"{LIST}?namespace=kube-system")
    # OLM finds nothing there, and the page says so.
    until(lambda: catalogsources.get(client, "default", NAME).why)
    words = text(page(f"{LIST}source/default/{NAME}/"))
    assert "The catalog isn't healthy" in words and "Read the image" in words
    # What is emptied goes.
    edit = f"{LIST}source/default/{NAME}/edit/"
    assert 'value="45m"' in page(edit)
    response = Client().post(
        edit, typed("elsewhere", interval="", secrets="", priority="", title="New", name="other") | {"save": "1"}
    )
    assert response.status_code == 302
    found = catalogsources.get(client, "default", NAME)
    assert (found.title, found.interval, found.priority, found.secrets) == ("New", "", 0, ())
    # Another user was quicker: nothing is overwritten.
    response = Client().post(edit, typed("default") | {"save": "1", "version": "1"})
    assert response.status_code == 409 and catalogsources.get(client, "default", NAME).title == "New"
    delete = f"{LIST}source/default/{NAME}/delete/"
    assert "kubectl delete catalogsources" in text(page(delete))
    assert Client().post(delete, {"uid": "another"}).status_code == 409
    assert Client().post(delete, {"uid": found.uid}).status_code == 302
    until(lambda: Client().get(delete).status_code == 404)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", "", "Enter a name."),
        ("name", "Big Name", "lowercase letters"),
        ("namespace", "no/where", "Select a namespace: the namespace of"),
        ("image", "not an image", "isn't a valid image"),
        ("interval", "often", "Enter a duration such as 30m"),
        ("priority", "1.5", "whole number"),
        ("secrets", "a_b", "isn't a valid Secret name"),
    ],
)
def test_what_is_typed_wrong_is_said_at_its_field(client: ClusterClient, field: str, value: str, words: str) -> None:
    response = Client().post(NEW, typed("default", **{field: value}) | {"save": "1"})
    assert response.status_code == 422 and words in text(response)
    content = response.content.decode()
    assert re.search(rf'id="field-{field}"[^>]*aria-invalid="true"', content)
    # Nothing typed is lost.
    for name, typed_text in (typed("default") | {field: value}).items():
        field_of_it = rf'name="{name}"\s+value="{re.escape(typed_text)}"'
        assert name in ("kind", "endpoint") or re.search(field_of_it, unescape(content)), name


def test_a_choice_that_is_not_offered_is_refused_in_words(client: ClusterClient, home: str) -> None:
    response = Client().post(NEW, typed("default", endpoint="configmap") | {"save": "1"})
    assert response.status_code == 422 and "Select a valid choice" in text(response)


def test_an_address_instead_of_an_image(client: ClusterClient, home: str) -> None:
    response = Client().post(NEW, typed("default", endpoint="address", address="nowhere", interval="") | {"save": "1"})
    assert response.status_code == 422 and "host and a port" in text(response)
    form = typed("default", endpoint="address", address="catalog.default.svc:50051", interval="")
    assert Client().post(NEW, form | {"save": "1"}).status_code == 302
    found = catalogsources.get(client, "default", NAME)
    assert (found.kind, found.endpoint) == ("address", "catalog.default.svc:50051")


def test_cluster_catalogs(client: ClusterClient) -> None:
    if not clustercatalogs.served(client):
        pytest.skip("this cluster serves no ClusterCatalogs (OLM v1)")
    form = {
        "kind": "clustercatalog",
        "name": NAME,
        "image": "127.0.0.1:1/a/b:v1",
        "priority": "3",
        "interval": "5",
        "mode": "Available",
    }
    type_ = client.find(clustercatalogs.GROUP, "v1", clustercatalogs.PLURAL)
    try:
        assert Client().post(NEW, form | {"interval": "0", "save": "1"}).status_code == 422
        assert Client().post(NEW, form | {"save": "1"}).status_code == 302
        found = clustercatalogs.get(client, NAME)
        assert (found.image, found.priority, found.minutes, found.mode) == ("127.0.0.1:1/a/b:v1", 3, 5, "Available")
        edit = f"{LIST}source/-/{NAME}/edit/"
        response = Client().post(edit, form | {"interval": "", "priority": "", "mode": "Unavailable", "save": "1"})
        assert response.status_code == 302, text(response)
        found = clustercatalogs.get(client, NAME)
        assert (found.priority, found.minutes, found.mode) == (0, 0, "Unavailable")
        assert NAME in text(page(LIST)) and NAME in text(page(f"{LIST}source/-/{NAME}/"))
        assert Client().post(f"{LIST}source/-/{NAME}/delete/", {"uid": found.uid}).status_code == 302
    finally:
        with contextlib.suppress(NotFound):
            client.delete(type_, NAME)


@pytest.fixture
def serving(client: ClusterClient) -> Iterator[clustercatalogs.ClusterCatalog]:
    """A ClusterCatalog that serves; one that is switched off is on for the test."""
    there = clustercatalogs.listed(client) if clustercatalogs.served(client) else ()
    if not there:
        pytest.skip("this cluster has no ClusterCatalog (OLM v1)")
    type_, name, mode = client.find(clustercatalogs.GROUP, "v1", clustercatalogs.PLURAL), there[0].name, there[0].mode
    client.patch(type_, name, {"spec": {"availabilityMode": "Available"}})
    yield until(lambda: (found := clustercatalogs.get(client, name)).serving and found)
    client.patch(type_, name, {"spec": {"availabilityMode": mode}})


def test_cluster_catalogs_are_read_through_the_api_server(
    client: ClusterClient, serving: clustercatalogs.ClusterCatalog, asked: list[str]
) -> None:
    item = serving
    # The list and its own page see that it is unread, and queue a reading.
    for address in (LIST, f"{LIST}source/-/{item.name}/"):
        Index.objects.update(requested_at=None)
        asked.clear()
        page(address)
        assert asked == ["operatorhub.tasks.refresh_catalogs"], address
    clustercatalogs.sync(client)
    row = Catalog.objects.get(namespace="-", name=item.name)
    assert refresh.refresh(row, client), Catalog.objects.get(pk=row.pk).error
    package = Package.objects.filter(namespace="-", catalog=item.name).first()
    assert package is not None and package.source == "clustercatalog"
    graph = bundles.graph(client, "-", item.name, package.name)
    found = bundles.bundle(client, "-", item.name, package.name, graph.channels[0].entries[0].name)
    assert found is not None and found.csv and found.crds
    # The same again is not read again.
    row.refresh_from_db()
    assert refresh.refresh(row, client) and Catalog.objects.get(pk=row.pk).generation == row.generation


def test_the_image_of_a_catalogsource_is_read_by_a_click(client: ClusterClient, home: str, mine: None) -> None:
    with registry.serving() as server:
        files = {f"configs/{item.name}": b"" for item in ()}
        blobs = [
            {"schema": "olm.package", "name": "x", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "x", "name": "stable", "entries": [{"name": "x.v1"}]},
        ]
        files["configs/c.json"] = "\n".join(map(json.dumps, blobs)).encode()
        reference = server.add("team/catalog", "v1", [files], labels={image.CONFIGS: "/configs"})
        assert Client().post(NEW, typed("default", image=reference, interval="") | {"save": "1"}).status_code == 302
        assert Client().post(f"{LIST}source/default/{NAME}/read/").status_code == 302
        row = Catalog.objects.get(describes=f"default/{NAME}")
        assert row.location == reference
        assert refresh.refresh(row, client), Catalog.objects.get(pk=row.pk).error
    assert bundles.graph(client, "default", NAME, "x").edges_known
    assert not Package.objects.filter(name="x").exists()
    assert "Discard bundles" in page(f"{LIST}source/default/{NAME}/")
    # The CatalogSource gets another image: nothing of the old one holds any more.
    catalogsources.follow(client)
    assert Catalog.objects.get(pk=row.pk).generation == 1
    form = typed("default", image="127.0.0.1:1/other:v1", interval="") | {"save": "1"}
    assert Client().post(f"{LIST}source/default/{NAME}/edit/", form).status_code == 302
    catalogsources.follow(client)
    row.refresh_from_db()
    assert (row.location, row.generation) == ("127.0.0.1:1/other:v1", 0)
    assert Client().post(f"{LIST}source/default/{NAME}/read/", {"stop": "1"}).status_code == 302
    assert not Catalog.objects.filter(pk=row.pk).exists()


def test_a_stranger_may_look_at_nothing_and_add_nothing(
    client: ClusterClient, mine: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = (("Impersonate-User", "stranger"), ("Impersonate-Group", "system:authenticated"))
    other = ClusterClient(dataclasses.replace(client.config, user="stranger", headers=headers))
    monkeypatch.setattr("console.web.request.console_client", lambda: other)
    words = text(page(LIST))
    assert "You don't have permission to list CatalogSources" in words
    assert Client().post(NEW, own()).status_code == 403
    assert not Catalog.objects.exists()
    assert Client().post(NEW, typed("default") | {"save": "1"}).status_code == 403


@pytest.fixture
def openshift(client: ClusterClient) -> Iterator[KubeObject]:
    """OpenShift's object of default catalogs, as its marketplace operator fills it in; and the catalog of one."""
    source = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 20}, "disabled": {"type": "boolean"}},
        "x-kubernetes-preserve-unknown-fields": True,
    }
    sources = {"type": "object", "properties": {"sources": {"type": "array", "items": source}}}
    preserved = {**sources, "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": preserved, "status": preserved}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }
    names = {"kind": "OperatorHub", "listKind": "OperatorHubList", "plural": "operatorhubs", "singular": "operatorhub"}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "operatorhubs.config.openshift.io"},
        "spec": {"group": "config.openshift.io", "scope": "Cluster", "names": names, "versions": [version]},
    }
    crds, spaces = (
        client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
        client.find("", "v1", "namespaces"),
    )
    client.create(crds, crd)
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-marketplace"}})
    catalog = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": "redhat-operators", "namespace": "openshift-marketplace"},
        "spec": {"sourceType": "grpc", "address": "127.0.0.1:1", "displayName": "Red Hat Operators"},
    }
    client.create(olm.type_of(client, olm.SOURCES), catalog, "openshift-marketplace")
    until(lambda: catalogsources.hub_type(client) or client.forget_types())
    hubs = catalogsources.hub_type(client)
    assert hubs is not None
    hub = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "OperatorHub",
        "metadata": {"name": "cluster"},
        "spec": {"sources": [{"name": "certified-operators", "disabled": True}]},
    }
    client.create(hubs, hub)
    reported = [
        {"name": "redhat-operators", "disabled": False, "status": "Success"},
        {"name": "certified-operators", "disabled": True, "status": "Error", "message": "stuck on its finalizer"},
    ]
    yield client.patch(hubs, "cluster", {"status": {"sources": reported}}, subresource="status")
    client.delete(crds, "operatorhubs.config.openshift.io")
    client.delete(olm.type_of(client, olm.SOURCES), "redhat-operators", "openshift-marketplace")
    client.delete(spaces, "openshift-marketplace")
    until(lambda: client.forget_types() or catalogsources.hub_type(client) is None)


def test_default_catalogs_are_on_and_off(client: ClusterClient, home: str, openshift: KubeObject) -> None:
    """On OpenShift: each default source is named, with its error, and one button patches spec.sources."""
    hubs = catalogsources.hub_type(client)
    assert hubs is not None
    assert [(source.name, source.disabled) for source in catalogsources.defaults(client, hubs)] == [
        ("certified-operators", True),
        ("redhat-operators", False),
    ]
    words = text(page(LIST))
    assert "openshift-marketplace/redhat-operators Default" in words and "stuck on its finalizer" in words
    web, version = Client(), openshift["metadata"]["resourceVersion"]

    def switch(name: str, disabled: str, version: str) -> Any:
        return web.post(f"{LIST}default/{name}/", {"disabled": disabled, "version": version})

    assert switch("redhat-operators", "1", version).status_code == 302
    hub = client.get(hubs, "cluster")
    assert hub["spec"]["sources"] == [
        {"name": "certified-operators", "disabled": True},
        {"name": "redhat-operators", "disabled": True},
    ]
    # What another tool wrote meanwhile isn't overwritten; other entries stay.
    assert switch("certified-operators", "", version).status_code == 409
    switch("certified-operators", "", hub["metadata"]["resourceVersion"])
    found = client.get(hubs, "cluster")["spec"]["sources"]
    assert found == [{"name": "certified-operators", "disabled": False}, {"name": "redhat-operators", "disabled": True}]
    # Without an entry, disableAllDefaultSources counts.
    all_off = {"spec": {"sources": [{"name": "redhat-operators"}], "disableAllDefaultSources": True}}
    client.patch(hubs, "cluster", all_off)
    assert {source.name: source.disabled for source in catalogsources.defaults(client, hubs)} == {
        "certified-operators": True,
        "redhat-operators": False,
    }


def test_without_openshift_no_default_catalogs(client: ClusterClient, home: str) -> None:
    assert catalogsources.hub_type(client) is None
    assert "Default catalogs" not in page(LIST)
    assert Client().post(f"{LIST}default/redhat-operators/", {"disabled": "1", "version": ""}).status_code == 404


def test_a_new_catalog_without_a_kind_leads_to_the_kinds(client: ClusterClient) -> None:
    answer = Client().get(NEW)
    assert (answer.status_code, answer["Location"]) == (302, LIST)
    assert Client().get(NEW, {"kind": "nonsense"}).status_code == 404


def test_packages_of_an_own_catalog_that_operatorhub_does_not_show_are_counted(client: ClusterClient) -> None:
    Catalog.objects.create(
        cluster=client.name,
        namespace="~",
        name=NAME,
        kind=Catalog.URL,
        location="https://example.com/c.yaml",
        packages=3,
        state=Catalog.READY,
    )
    for name, hidden in (("a", ""), ("b", "platform"), ("c", "non-standalone")):
        Package.objects.create(
            cluster=client.name, namespace="~", catalog=NAME, name=name, title=name, hidden=hidden, digest=name
        )
    assert "1 package 2 not shown" in text(page(LIST))
    assert "Packages 1 2 not shown" in text(page(reverse("operatorhub:source", args=("~", NAME))))
