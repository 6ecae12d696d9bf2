"""The form pages over the embedded cluster: create, edit, refuse, conflict, and the parts without script."""

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound
from tests.eventually import until
from tests.resources.forms import html, pages
from tests.resources.views.form_submission import controls, send

NEW = "/resources/samples.operator-console.dev/v1/sampledbs/new/"
MAPS = "/resources/core/v1/configmaps/"


@pytest.fixture
def sampledbs(client: ClusterClient) -> ResourceType:
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    try:
        client.get(crds, "sampledbs.samples.operator-console.dev")
    except NotFound:
        client.create(crds, pages.read(next((pages.SAMPLEDB / "crds").iterdir())))

    def served() -> ResourceType | None:
        client.forget_types()
        found = client.find("samples.operator-console.dev", "v1", "sampledbs")
        return found if client.schema(found) is not None else None

    # A real cluster takes a moment to serve a new kind, and another to publish its schema.
    found = until(served, "SampleDB's schema", not_yet=(NotFound,))
    assert found is not None
    return found


@pytest.fixture
def csv(client: ClusterClient, namespace: str, sampledbs: ResourceType) -> None:
    obj = pages.read(pages.SAMPLEDB / "csv.yaml")
    obj["metadata"]["namespace"] = namespace
    client.create(client.find("operators.coreos.com", "", "clusterserviceversions"), obj, namespace)


def test_it_creates_from_an_example(
    browser: Client, client: ClusterClient, namespace: str, sampledbs: ResourceType, csv: None
) -> None:
    url = f"{NEW}?namespace={namespace}"
    page = browser.get(url)
    assert page.status_code == 200
    assert b"Append-only file" in page.content
    answer = send(browser, page, metadata__name="mine", spec__replicas="2")
    assert (answer.status_code, answer["Location"].endswith(f"/{namespace}/mine/")) == (303, True)
    made = client.get(sampledbs, "mine", namespace)
    assert made["spec"]["replicas"] == 2
    assert made["spec"]["users"][0]["name"] == "reporting"


def test_every_example_can_be_chosen(browser: Client, namespace: str, csv: None) -> None:
    page = browser.get(f"{NEW}?namespace={namespace}&example=sessions").content.decode()
    assert ("s:/spec/engine", "valkey") in html.controls(page)
    empty = browser.get(f"{NEW}?namespace={namespace}&example=-").content.decode()
    assert ("s:/spec/engine", "") in html.controls(empty)


def test_a_refusal_says_it_at_the_fields_and_keeps_what_was_typed(browser: Client, namespace: str, csv: None) -> None:
    url = f"{NEW}?namespace={namespace}"
    answer = send(browser, browser.get(url), metadata__name="Not Good", spec__replicas="99")
    text = answer.content.decode()
    assert answer.status_code == 422
    assert 'href="#f.spec.replicas"' in text
    assert 'aria-invalid="true"' in text
    assert {("i:/spec/replicas", "99"), ("s:/metadata/name", "Not Good")} <= set(html.controls(text))


def test_text_that_is_no_number_is_said_and_kept(browser: Client, namespace: str, csv: None) -> None:
    url = f"{NEW}?namespace={namespace}"
    answer = send(browser, browser.get(url), spec__replicas="many")
    assert answer.status_code == 422
    assert "This must be a whole number." in answer.content.decode()
    assert ("i:/spec/replicas", "many") in html.controls(answer.content.decode())


@pytest.mark.parametrize(
    ("posted", "words"),
    [
        ([("r:/spec", "- a list"), ("w:/spec", "[]")], "This must be a mapping: names with values."),
        ([("r:/spec", "engine: redis"), ("w:/spec", "[]")], "The field “engine” is a duplicate."),
        ([("r:/spec", "{"), ("w:/spec", "[]")], "Invalid YAML"),
        ([(f"{mark}:/metadata/labels/@n{n}", "a") for n in (1, 2) for mark in "ks"], "The key “a” is a duplicate."),
    ],
)
def test_what_can_not_be_read_is_said_in_words(
    browser: Client, namespace: str, csv: None, posted: list[tuple[str, str]], words: str
) -> None:
    answer = send(browser, browser.get(f"{NEW}?namespace={namespace}"), *posted)
    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_bytes_that_are_no_base64_are_said_and_kept(browser: Client, client: ClusterClient, namespace: str) -> None:
    secrets = "/resources/core/v1/secrets/"
    client.create(
        client.find("", "v1", "secrets"),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "YQ=="}},
        namespace,
    )
    answer = send(browser, browser.get(f"{secrets}{namespace}/s/edit/"), **{"data__@0": "not base64!"})
    assert answer.status_code == 422
    assert "Invalid Base64" in answer.content.decode()
    assert ("d:/data/@0", "not base64!") in html.controls(answer.content.decode())


def test_a_name_that_is_taken_is_said_at_the_name(browser: Client, namespace: str, config_map: str) -> None:
    url = f"{MAPS}new/?namespace={namespace}"
    answer = send(browser, browser.get(url), metadata__name=config_map)
    assert answer.status_code == 409
    assert 'href="#f.metadata.name"' in answer.content.decode()


def test_an_edit_sends_only_what_changed(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    type_ = client.find("", "v1", "configmaps")
    url = f"{MAPS}{namespace}/{config_map}/edit/"
    page = browser.get(url)
    client.patch(type_, config_map, {"data": {"size": "big"}}, namespace)
    assert send(browser, page, **{"data__@0": "red"}).status_code == 303
    assert client.get(type_, config_map, namespace)["data"] == {"colour": "red", "size": "big"}


def test_without_script_items_are_added_and_removed_by_buttons(
    browser: Client, namespace: str, config_map: str
) -> None:
    url = f"{MAPS}{namespace}/{config_map}/edit/"
    page = browser.get(url)
    more = send(browser, page, ("~add", "/data"))
    assert more.status_code == 200
    assert ("k:/data/@n1", "") in html.controls(more.content.decode())
    less = send(browser, page, ("~remove", "/data/@0"))
    assert not [name for name, _ in html.controls(less.content.decode()) if name.startswith("s:/data/")]


def test_a_section_is_fetched(browser: Client, namespace: str, csv: None) -> None:
    url = NEW.replace("new/", "section/")
    data = {"~base": '{"metadata":{},"spec":{"users":[{"name":"a"}]}}', "~pointer": "/spec/users/@n9", "~number": "2"}
    answer = browser.post(f"{url}?namespace={namespace}", data)
    assert answer.status_code == 200
    assert ("s:/spec/users/@n9/name", "") in html.controls(answer.content.decode())
    assert browser.post(url, {"~base": "[]", "~pointer": "x"}).status_code == 400


def test_an_edit_that_changes_nothing_sends_nothing(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    type_ = client.find("", "v1", "configmaps")
    before = client.get(type_, config_map, namespace)["metadata"]["resourceVersion"]
    url = f"{MAPS}{namespace}/{config_map}/edit/"
    assert send(browser, browser.get(url)).status_code == 303
    assert client.get(type_, config_map, namespace)["metadata"]["resourceVersion"] == before


def test_without_script_a_closed_section_is_opened_by_its_button(browser: Client, namespace: str) -> None:
    url = f"/resources/apps/v1/deployments/new/?namespace={namespace}"
    page = browser.get(url)
    assert "a:/spec/template/spec/containers" not in dict(html.controls(page.content.decode()))
    opened = send(browser, page, ("~open", "/spec/template/spec"))
    assert "a:/spec/template/spec/containers" in dict(html.controls(opened.content.decode()))
    assert len(opened.content) < 250_000


def test_htmx_gets_the_form_alone_and_is_sent_on_by_a_header(browser: Client, namespace: str, config_map: str) -> None:
    url = f"{MAPS}new/?namespace={namespace}"
    page = browser.get(url)
    data = dict(controls(page)) | {"s:/metadata/name": "second"}
    answer = browser.post(url, data, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"].endswith(f"/{namespace}/second/")
    again = browser.post(url, data, headers={"HX-Request": "true"})
    assert again.status_code == 409
    assert "<html" not in again.content.decode()
