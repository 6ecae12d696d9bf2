"""Objects as YAML: shown, saved, created; what was typed is never lost."""

import html

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.resources.views.form_submission import controls, send, text_of

MAPS = "/resources/core/v1/configmaps/"


def test_an_object_is_shown_and_saved(browser: Client, client: ClusterClient, namespace: str, config_map: str) -> None:
    url = f"{MAPS}{namespace}/{config_map}/yaml/"
    page = browser.get(url)
    assert text_of(page).startswith("apiVersion: v1\nkind: ConfigMap\n")
    assert "colour: blue" in text_of(page)
    assert "managedFields" not in text_of(page)
    answer = send(browser, page, text=text_of(page).replace("blue", "green"))
    assert answer.status_code == 303
    assert answer["Location"] == f"{MAPS}{namespace}/{config_map}/"
    maps = client.find("", "v1", "configmaps")
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "green"}


def test_only_what_the_text_changed_is_sent(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page = browser.get(f"{MAPS}{namespace}/{config_map}/yaml/")
    client.patch(maps, config_map, {"data": {"size": "big"}}, namespace)
    assert send(browser, page, text=text_of(page).replace("blue", "green")).status_code == 303
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "green", "size": "big"}


def test_what_the_server_keeps_is_nobodys_change(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    page = browser.get(f"{MAPS}{namespace}/{config_map}/yaml/")
    lines = [line for line in text_of(page).split("\n") if "resourceVersion" not in line and "uid" not in line]
    answer = send(browser, page, text="\n".join(lines))
    assert answer.status_code == 303
    assert "No changes to save" in browser.get(answer["Location"]).content.decode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "Line "),
        ("kind: ConfigMap", "no apiVersion"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: x}", "v1 ConfigMap"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}", "can't be changed"),
    ],
)
def test_text_that_is_no_such_object(browser: Client, namespace: str, config_map: str, text: str, words: str) -> None:
    answer = send(browser, browser.get(f"{MAPS}{namespace}/{config_map}/yaml/"), text=text)
    assert answer.status_code == 422
    assert text_of(answer).rstrip() == text
    assert words in html.unescape(answer.content.decode())


def test_create_says_what_the_cluster_says(browser: Client, namespace: str) -> None:
    url = f"{MAPS}new-yaml/?namespace={namespace}"
    page = browser.get(url)
    assert f"namespace: {namespace}" in text_of(page)
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n  namespace: {namespace}\n"
    refused = send(browser, page, text=text)
    assert refused.status_code == 422
    assert b"metadata.name" in refused.content
    assert 'data-line="4"' in refused.content.decode()
    assert "Not_A_Name" in text_of(refused)
    made = send(browser, refused, text=text.replace("Not_A_Name", "good"))
    assert made["Location"] == f"{MAPS}{namespace}/good/"


def test_the_values_of_a_secret_are_hidden_until_asked_for(
    browser: Client, client: ClusterClient, namespace: str
) -> None:
    obj = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "stringData": {"word": "swordfish"}}
    client.create(client.find("", "v1", "secrets"), obj, namespace)
    url = f"/resources/core/v1/secrets/{namespace}/key/yaml/"
    hidden = browser.get(url)
    assert "c3dvcmRmaXNo" not in hidden.content.decode()
    assert "~original" not in dict(controls(hidden))
    assert "c3dvcmRmaXNo" in text_of(browser.get(f"{url}?reveal=1"))
