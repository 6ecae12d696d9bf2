"""What the YAML editor asks for: a kind's schema, small and cacheable, and the list of kinds."""

import gzip

import pytest
from django.test import Client

from kube.client import ClusterClient

URL = "/resources/schema/?apiVersion=apps/v1&kind=Deployment"


def test_a_schema_with_what_it_refers_to(browser: Client, client: ClusterClient) -> None:
    schema = browser.get(URL).json()
    assert {"spec", "metadata"} <= set(schema["properties"])
    reference = schema["properties"]["spec"]
    name = (reference.get("$ref") or reference["allOf"][0]["$ref"]).rpartition("/")[2]
    assert schema["components"][name]["required"] == ["selector", "template"]
    assert schema["components"][name]["properties"]["replicas"]["description"]
    assert "x-kubernetes-group-version-kind" not in schema


def test_it_is_not_sent_twice(browser: Client, client: ClusterClient) -> None:
    first = browser.get(URL)
    assert "no-cache" in first["Cache-Control"]
    again = browser.get(URL, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert browser.get(URL, headers={"If-None-Match": f"W/{first['ETag']}"}).status_code == 304
    cached = browser.get(f"{URL}&v={first['ETag'].strip(chr(34))}")
    assert "immutable" in cached["Cache-Control"]


def test_it_travels_compressed(browser: Client, client: ClusterClient) -> None:
    packed = browser.get(URL, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert len(packed.content) * 3 < len(gzip.decompress(packed.content))


@pytest.mark.parametrize("query", ["", "?apiVersion=v1&kind=Nothing", "?apiVersion=nope.example/v1&kind=Boat"])
def test_a_kind_that_is_not_served(browser: Client, client: ClusterClient, query: str) -> None:
    answer = browser.get(f"/resources/schema/{query}")
    assert answer.status_code == 404
    assert answer.json()["title"]


def test_kinds_that_can_be_created(browser: Client, client: ClusterClient) -> None:
    found = browser.get("/resources/kinds/").json()
    assert ["apps/v1", "Deployment"] in found
    assert ["v1", "ConfigMap"] in found
    assert len(found) == len({tuple(item) for item in found})
