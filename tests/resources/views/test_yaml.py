"""Objects as YAML: shown, saved, created; what was typed is never lost."""

import html
import re

import pytest
from django.test import Client

from kube.client import ClusterClient

MAPS = "/resources/core/v1/configmaps/"


def text_of(body: bytes) -> str:
    """What stands in the editor."""
    found = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", body.decode(), re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


def test_an_object_is_shown_and_saved(browser: Client, client: ClusterClient, namespace: str, config_map: str) -> None:
    url = f"{MAPS}{namespace}/{config_map}/yaml/"
    text = text_of(browser.get(url).content)
    assert "colour: blue" in text
    assert "managedFields" not in text
    answer = browser.post(url, {"text": text.replace("blue", "green")})
    assert answer.status_code == 302
    assert answer["Location"] == f"{MAPS}{namespace}/{config_map}/"
    maps = client.find("", "v1", "configmaps")
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "green"}


def test_a_conflict_keeps_the_text_and_can_be_overridden(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    url = f"{MAPS}{namespace}/{config_map}/yaml/"
    mine = text_of(browser.get(url).content).replace("blue", "mine")
    maps = client.find("", "v1", "configmaps")
    client.patch(maps, config_map, {"data": {"colour": "theirs"}}, namespace)
    answer = browser.post(url, {"text": mine})
    assert answer.status_code == 409
    assert "colour: mine" in text_of(answer.content)
    assert b'name="overwrite"' in answer.content
    assert browser.post(url, {"text": mine, "overwrite": "1"}).status_code == 302
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "mine"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "Line "),
        ("kind: ConfigMap", "no apiVersion"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: x}", "v1 ConfigMap"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}", "can’t be changed"),
    ],
)
def test_text_that_is_no_such_object(browser: Client, namespace: str, config_map: str, text: str, words: str) -> None:
    answer = browser.post(f"{MAPS}{namespace}/{config_map}/yaml/", {"text": text})
    assert answer.status_code == 422
    assert text_of(answer.content).rstrip() == text
    assert words.replace("’", "'") in html.unescape(answer.content.decode())


def test_create_says_what_the_cluster_says(browser: Client, namespace: str) -> None:
    url = f"{MAPS}new-yaml/?namespace={namespace}"
    assert f"namespace: {namespace}" in text_of(browser.get(url).content)
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n  namespace: {namespace}\n"
    refused = browser.post(url, {"text": text})
    assert refused.status_code == 422
    assert b"metadata.name" in refused.content
    assert "Not_A_Name" in text_of(refused.content)
    made = browser.post(url, {"text": text.replace("Not_A_Name", "good")})
    assert made["Location"] == f"{MAPS}{namespace}/good/"


def test_the_values_of_a_secret_are_hidden_until_asked_for(
    browser: Client, client: ClusterClient, namespace: str
) -> None:
    obj = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "stringData": {"word": "swordfish"}}
    client.create(client.find("", "v1", "secrets"), obj, namespace)
    url = f"/resources/core/v1/secrets/{namespace}/key/yaml/"
    assert "c3dvcmRmaXNo" not in browser.get(url).content.decode()
    assert "c3dvcmRmaXNo" in text_of(browser.get(f"{url}?reveal=1").content)
