"""Lists: columns of the API server, pages, filters and order in the address, and the message when there is no list."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.test import Client

from kube import limits
from kube.client import ClusterClient
from resources.lists import snapshot

MAPS = "/resources/core/v1/configmaps/"


@pytest.fixture
def maps(client: ClusterClient, namespace: str) -> Iterator[str]:
    """A namespace with ConfigMaps item-000 … item-119; every tenth is labelled tens=yes."""
    type_ = client.find("", "v1", "configmaps")
    for number in range(120):
        labels = {"tens": "yes"} if number % 10 == 0 else {}
        data = {str(key): "" for key in range(number % 3)}
        metadata = {"name": f"item-{number:03}", "labels": labels}
        client.create(type_, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}, namespace)
    yield namespace


def _names(browser: Client, **query: str) -> list[str]:
    text = browser.get(MAPS, query, HTTP_HX_REQUEST="true").content.decode()
    return re.findall(r'class="list-link" href="[^"]+/(item-\d+)/"', text)


def test_pages(browser: Client, maps: str) -> None:
    first = browser.get(MAPS, {"namespace": maps})
    assert _names(browser, namespace=maps) == [f"item-{number:03}" for number in range(50)]
    # The cluster itself may have put kube-root-ca.crt there.
    assert re.search("1–50 of 12[01]", first.content.decode())
    assert _names(browser, namespace=maps, page="3") == [f"item-{number:03}" for number in range(100, 120)]
    last = browser.get(MAPS, {"namespace": maps, "page": "3"}).content.decode()
    assert 'rel="next"' not in last
    assert f"?namespace={maps}&amp;page=2" in last
    assert "no longer exists" in browser.get(MAPS, {"namespace": maps, "page": "9"}).content.decode()
    for odd in ("0", "-1", "x", "٣", "99999999999"):
        assert _names(browser, namespace=maps, page=odd)[0] == "item-000"


def test_a_name_is_found_wherever_it_is(browser: Client, maps: str) -> None:
    assert _names(browser, namespace=maps, q="M-11") == [f"item-{number}" for number in range(110, 120)]
    # In all namespaces; objects of other tests might still be there.
    assert set(_names(browser, namespace="-", q="item-119")) == {"item-119"}
    nothing = browser.get(MAPS, {"namespace": maps, "q": "absent"}).content.decode()
    assert "No objects match the filter" in nothing


def test_beyond_what_is_searched_the_page_says_so(browser: Client, maps: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "CHUNK_ROWS", 20)
    monkeypatch.setattr(limits, "LIST_OBJECTS", replace(limits.LIST_OBJECTS, value=40))
    answer = browser.get(MAPS, {"namespace": maps, "q": "item-119"}).content.decode()
    assert "Only the first 40 objects were searched" in answer


def test_labels(browser: Client, maps: str) -> None:
    assert len(_names(browser, namespace=maps, labels="tens=yes")) == 12
    bad = browser.get(MAPS, {"namespace": maps, "labels": "a in ("})
    assert bad.status_code == 422
    assert b"unable to parse requirement" in bad.content
    assert b'value="a in ("' in bad.content
    fragment = browser.get(MAPS, {"namespace": maps, "labels": "a in ("}, HTTP_HX_REQUEST="true")
    assert b"unable to parse requirement" in fragment.content


def test_order(browser: Client, maps: str) -> None:
    assert _names(browser, namespace=maps, sort="-name")[0] == "item-119"
    assert _names(browser, namespace=maps, sort="data")[0] == "item-000"
    assert _names(browser, namespace=maps, sort="-data")[0] in ("item-002", "item-119")
    assert len(_names(browser, namespace=maps, sort="no such column")) == 50
    sorted_ = browser.get(MAPS, {"namespace": maps, "sort": "name"}).content.decode()
    assert 'aria-sort="ascending"' in sorted_
    assert f"?namespace={maps}&amp;sort=-name" in sorted_


def test_rows_are_live(browser: Client, maps: str) -> None:
    answer = browser.get(MAPS, {"namespace": maps, "q": "item"}).content.decode()
    assert re.search(rf'data-live-rows="[^"]+/core/v1/configmaps/{maps}"', answer)
    assert f'data-live-url="?namespace={maps}&amp;q=item"' in answer


def test_all_namespaces_have_a_column(browser: Client, maps: str) -> None:
    everything = browser.get(MAPS, {"namespace": "-", "q": "item-000"}).content.decode()
    assert re.search(r">\s*Namespace\s*</a>", everything)
    assert f'data-label="Namespace">{maps}<' in everything


def test_cluster_scope_ignores_the_namespace(browser: Client, namespace: str) -> None:
    answer = browser.get("/resources/core/v1/namespaces/", {"namespace": namespace}).content.decode()
    assert f'href="/resources/core/v1/namespaces/-/{namespace}/"' in answer
    assert 'id="pick-namespace"' in answer, "the picker stands in the same place on every page"


def test_nothing_yet(browser: Client, namespace: str) -> None:
    answer = browser.get("/resources/apps/v1/deployments/", {"namespace": namespace}).content.decode()
    assert "No Deployment in the namespace" in answer
    assert f'href="/resources/apps/v1/deployments/new/?namespace={namespace}"' in answer


def test_what_keeps_no_objects(browser: Client) -> None:
    answer = browser.get("/resources/authorization.k8s.io/v1/selfsubjectaccessreviews/")
    assert answer.status_code == 200
    assert b"list objects of this resource type" in answer.content


def test_no_such_kind(browser: Client) -> None:
    assert browser.get("/resources/example.com/v1/unicorns/").status_code == 404
