"""Whatever goes wrong between a page and the cluster, what was typed is in the answer."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound, Unauthorized
from resources.views import form as form_views
from tests.eventually import until
from tests.resources.views.form_submission import controls, element, send, text_of

MAPS = "/resources/core/v1/configmaps/"
HERE = {"Origin": "http://testserver"}


@pytest.fixture
def checked(client: ClusterClient, db: None) -> Client:
    """A browser whose forms need their token."""
    return Client(enforce_csrf_checks=True)


def test_a_token_that_is_too_old_is_renewed_and_all_of_it_can_be_sent_again(
    checked: Client, client: ClusterClient, namespace: str
) -> None:
    page = checked.get(f"{MAPS}new/?namespace={namespace}")
    checked.cookies.clear()
    refused = send(checked, page, metadata__name="kept", headers=HERE)
    assert refused.status_code == 403
    root = element(refused, "main")
    assert root is not None
    resend = next(item for item in root.walk() if item.tag == "form" and item.attributes["action"].startswith(MAPS))
    pairs = {item.name: item.value or "" for item in resend.walk() if item.tag == "input"}
    assert pairs["s:/metadata/name"] == "kept"
    assert checked.post(resend.attributes["action"], pairs, headers=HERE).status_code == 303
    assert client.get(client.find("", "v1", "configmaps"), "kept", namespace)


def test_htmx_gets_a_new_token_and_may_send_once_more(checked: Client, namespace: str) -> None:
    page = checked.get(f"{MAPS}new/?namespace={namespace}")
    checked.cookies.clear()
    refused = send(checked, page, metadata__name="kept", headers={**HERE, "HX-Request": "true"})
    assert refused.status_code == 403
    assert refused["X-Console-Again"] == "1"
    sent = dict(controls(page)) | {"s:/metadata/name": "kept", "csrfmiddlewaretoken": refused["X-Console-Kept"]}
    assert checked.post(page.wsgi_request.get_full_path(), sent, headers=HERE).status_code == 303


def test_a_form_of_another_site_is_not_offered_again(checked: Client, namespace: str) -> None:
    url = f"{MAPS}new/?namespace={namespace}"
    refused = checked.post(url, {"~base": "{}", "s:/metadata/name": "evil"}, headers={"Origin": "http://evil.example"})
    assert refused.status_code == 403
    assert "evil" not in refused.content.decode().replace("evil.example", "")


@pytest.mark.parametrize("view", ["new", "new-yaml"])
def test_a_cluster_that_fails_first_of_all_loses_nothing(
    browser: Client, namespace: str, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = browser.get(f"{MAPS}{view}/?namespace={namespace}")
    typed = {"metadata__name": "kept"} if view == "new" else {"text": text_of(page) + "data: {a: kept}\n"}

    def fails(*_: object, **__: object) -> None:
        raise Unauthorized("the token has expired")

    monkeypatch.setattr(form_views, "place_of", fails)
    answer = send(browser, page, **typed)
    assert answer.status_code == 401
    shown = element(answer, "kept-text")
    assert shown is not None
    assert "kept" in shown.text
    part = send(browser, page, headers={"HX-Request": "true"}, **typed)
    assert part.status_code == 401
    assert part["X-Console-Kept"]
    assert "<html" not in part.content.decode()


def _schema(client: ClusterClient) -> dict[str, Any] | None:
    client.forget_types()
    try:
        return client.schema(client.find("going.example", "v1", "boats"))
    except NotFound:
        return None


def test_a_kind_that_is_gone_is_said_with_what_was_typed(
    browser: Client, client: ClusterClient, namespace: str
) -> None:
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "boats.going.example"},
        "spec": {
            "group": "going.example",
            "scope": "Namespaced",
            "names": {"plural": "boats", "singular": "boat", "kind": "Boat"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {"spec": {"type": "object", "properties": {"sail": {"type": "string"}}}},
                        }
                    },
                }
            ],
        },
    }
    client.create(crds, crd)
    try:
        until(lambda: "sail" in str(_schema(client)), "the kind is not served")
        page = browser.get(f"/resources/going.example/v1/boats/new/?namespace={namespace}")
        # The field is renamed while the form is open: the cluster's words land in the list, and nothing is lost.
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] = {
            "mast": {"type": "string"}
        }  # type: ignore[index]
        client.patch(crds, "boats.going.example", crd)
        until(lambda: "mast" in str(_schema(client)), "the new schema is not served")
        refused = send(browser, page, metadata__name="titanic", spec__sail="white")
        assert refused.status_code == 422
        assert "sail" in refused.content.decode()
        assert "white" in dict(controls(refused))["~base"]
    finally:
        client.delete(crds, "boats.going.example")
        until(lambda: _schema(client) is None, "the kind is still served")
    gone = send(browser, page, metadata__name="titanic", spec__sail="white")
    assert gone.status_code == 404
    shown = element(gone, "kept-text")
    assert shown is not None
    assert "sail: white" in shown.text


def test_more_than_the_console_takes_is_said(browser: Client, namespace: str) -> None:
    url = f"{MAPS}new-yaml/?namespace={namespace}"
    form = "application/x-www-form-urlencoded"
    big = browser.generic("POST", url, "text=" + "a" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1), form)
    assert big.status_code == 413
    assert "Your input is too large" in big.content.decode()
    many = "&".join(f"s:/data/{n}=x" for n in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1))
    answer = browser.generic("POST", url, many, form)
    assert answer.status_code == 413


def test_an_object_of_5_mb_is_refused_with_all_of_it(browser: Client, namespace: str) -> None:
    page = browser.get(f"{MAPS}new-yaml/?namespace={namespace}")
    text = (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: large, namespace: {namespace}}}\ndata:\n  a:"
        f" {'x' * 5_000_000}\n"
    )
    answer = send(browser, page, text=text)
    assert answer.status_code in (413, 422)
    assert text_of(answer) == text


def test_a_kind_without_a_schema_says_so_and_takes_yaml(
    browser: Client, client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ClusterClient, "schema", lambda self, type_: None)
    page = browser.get(f"{MAPS}new/?namespace={namespace}")
    assert "publishes no schema" in page.content.decode()
    yaml = browser.get(f"{MAPS}new-yaml/?namespace={namespace}&view=yaml")
    made = send(
        browser, yaml, text=f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: plain, namespace: {namespace}}}\n"
    )
    assert made.status_code == 303


def test_a_broken_page_is_refused_in_words(browser: Client, namespace: str) -> None:
    url = f"{MAPS}new/?namespace={namespace}"
    for base in ("", "[]", "{", json.dumps({"metadata": 1})):
        assert browser.post(url, {"~base": base}).status_code == 400
