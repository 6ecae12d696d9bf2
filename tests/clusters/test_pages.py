"""Every page on clusters that we don't run ourselves: each has an answer, valid HTML, and no larger a size."""

import re
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from console.web import clusters
from console.web.clusters import console_client
from kube import limits
from kube.client import ClusterClient
from kube.config import load
from kube.discovery import ResourceType, is_custom
from kube.errors import KubeError
from kube.objects import name_of, namespace_of
from resources.place import Place
from tests import processes
from tests.attacks import judge
from tests.clusters.shapes import NAMESPACES, SHAPES
from tests.console.signin.addresses import OPEN, addresses
from tests.eventually import until

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

#: Bytes of a page as it is sent, compressed: a page with all of its files has 250 KB.
_MOST = 100_000
#: Kinds of a shape that are looked at.
_KINDS = 40


@pytest.fixture(scope="module", params=SHAPES)
def shaped(
    request: pytest.FixtureRequest, redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    data = tmp_path_factory.mktemp("shape")
    with processes.sandbox(data, options=("--no-olm",)):
        SHAPES[request.param](ClusterClient(load(str(data / "kubeconfig"))))
        with override_settings(KUBECONFIG=str(data / "kubeconfig")), pytest.MonkeyPatch.context() as patch:
            for name, empty in (("_clients", {}), ("_endpoints", {}), ("_offered", None)):
                patch.setattr(clusters, name, empty)
            yield request.param


def _read(browser: Client, address: str) -> tuple[int, bytes]:
    answer: Any = browser.get(address)
    return answer.status_code, b"".join(answer.streaming_content) if answer.streaming else answer.content


def _faults(browser: Client, address: str) -> Iterator[str]:
    status, content = _read(browser, address)
    if status in (500, 504):
        yield f"{address}: {status}"
    if (sent := len(zlib.compress(content))) > _MOST:
        yield f"{address}: {sent:,} bytes, {len(content):,} uncompressed"
    if content.lstrip().startswith(b"<"):
        yield from (f"{address}: {complaint}" for complaint in judge.complaints(content.decode()))


def _own(client: ClusterClient) -> Iterator[str]:
    """Pages of the kinds that the shape brought, and of the first object of each."""
    for type_ in [type_ for type_ in client.types() if is_custom(type_.group)][:_KINDS]:
        yield Place(type_).kind_url(namespace="-")
        yield Place(type_).kind_url("new", namespace="default")
        for row in _rows(client, type_):
            place = Place(type_, row["namespace"], row["name"])
            yield from (place.url(view) for view in ("detail", "edit", "yaml", "delete", "history"))


def _rows(client: ClusterClient, type_: ResourceType) -> list[dict[str, str]]:
    try:
        rows = client.table(type_, limit=1).rows
    except KubeError:
        return []
    return [{"namespace": namespace_of(row.object), "name": name_of(row.object)} for row in rows]


def test_every_page_answers(shaped: str) -> None:
    browser = Client()
    every = [address for address in addresses("shape") if address not in OPEN]
    found = [fault for address in (*every, *_own(console_client())) for fault in _faults(browser, address)]
    assert not found, f"{shaped}: " + "\n".join(found[:40])


@pytest.mark.parametrize("shaped", ["many namespaces"], indirect=True)
def test_a_namespace_of_very_many_is_found(shaped: str) -> None:
    """Their page has the first ones, and leads to the list, which has pages and is searched."""
    browser = Client()
    _status, page = _read(browser, "/namespaces/")
    assert page.count(b'id="namespace-team-') <= limits.NAMESPACE_ROWS.value < NAMESPACES
    assert reverse("resources:list", args=("core", "v1", "namespaces")).encode() in page
    _status, page = _read(browser, "/resources/core/v1/namespaces/?q=team-4321")
    assert b"team-4321" in page and b"team-4322" not in page


@pytest.mark.parametrize("shaped", ["OpenShift"], indirect=True)
def test_what_openshift_comes_with_is_no_instance_of_an_operator(shaped: str) -> None:
    """Of the overview's first steps: a namespace is there, an operator and its instance aren't."""

    def steps() -> str:
        return re.sub(r"\s+", " ", _read(Client(), "/?part=tour")[1].decode())

    until(lambda: "1 of 5 steps done" in steps(), seconds=20)


@pytest.mark.parametrize("shaped", ["broken"], indirect=True)
def test_what_is_broken_is_said_where_it_matters_and_nowhere_else(shaped: str) -> None:
    browser = Client()
    _status, page = _read(browser, "/resources/broken.example.com/v1beta1/converteds/?namespace=-")
    assert b"webhook" in page
    status, page = _read(browser, "/resources/core/v1/configmaps/?namespace=-")
    assert status == 200 and b"kube-root-ca.crt" in page
