"""Many objects from one text: each tried and sent separately, each with its own result."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from kube.client import ClusterClient
from tests.forms import dom
from tests.resources.views.form_submission import element, send, text_of

IMPORT = "/resources/import/"
CHECK, SEND, RETRY = ("~check", "1"), ("~send", "1"), ("~retry", "1")


def config_map(name: str, **more: str) -> str:
    lines = [f"  {key}: {value}" for key, value in more.items()]
    return "\n".join(["apiVersion: v1", "kind: ConfigMap", "metadata:", f"  name: {name}", *lines, ""])


def rows(page: Any) -> list[list[str]]:
    """The table of results: the cells' words."""
    results = element(page, "results")
    assert results is not None, page.content.decode()[:6000]
    body = next(item for item in results.walk() if item.tag == "tbody")
    return [
        [" ".join(cell.words.split()) for cell in row.walk() if cell.tag == "td"]
        for row in body.children
        if row.tag == "tr" and "apply-diff" not in row.attributes.get("class", "")
    ]


@pytest.fixture
def page(browser: Client, namespace: str) -> Any:
    return browser.get(f"{IMPORT}?namespace={namespace}")


def test_every_document_is_tried_without_being_kept(
    browser: Client, client: ClusterClient, namespace: str, page: Any
) -> None:
    text = "---\n".join([config_map("one"), config_map("Not_Good"), config_map("three")])
    answer = send(browser, page, CHECK, text=text)
    assert rows(answer)[0][2:] == ["one", namespace, "would be created"]
    assert rows(answer)[1][4].startswith("would be refused")
    assert "metadata.name" in rows(answer)[1][4]
    assert [row[0] for row in rows(answer)] == ["1", "6", "11"]
    assert "1 of 3 objects would be refused." in answer.content.decode()
    assert text_of(answer) == text
    assert not [
        obj
        for obj in client.list(client.find("", "v1", "configmaps"), namespace).items
        if obj["metadata"]["name"] == "one"
    ]


def test_what_failed_is_sent_again_alone(browser: Client, client: ClusterClient, namespace: str, page: Any) -> None:
    text = "---\n".join([config_map("one"), config_map("Not_Good")])
    answer = send(browser, page, SEND, text=text)
    assert "1 of 2 objects failed" in answer.content.decode()
    link = next(
        item
        for item in (element(answer, "results") or dom.Element(tag="", attributes={})).walk()
        if item.attributes.get("href", "").endswith("/one/")
    )
    assert browser.get(link.attributes["href"]).status_code == 200
    again = send(browser, answer, RETRY, text=text.replace("Not_Good", "good"))
    assert [row[4] for row in rows(again)] == ["not sent again", "created"]
    assert client.get(client.find("", "v1", "configmaps"), "good", namespace)


def test_what_is_there_is_changed_only_when_that_was_asked_for(
    browser: Client, client: ClusterClient, namespace: str, page: Any
) -> None:
    text = config_map("one") + "data: {a: '1'}\n"
    only_new = {"text": text, "namespace": namespace, "~send": "1"}
    assert rows(browser.post(IMPORT, only_new))[0][4] == "created"
    assert "already" in rows(browser.post(IMPORT, only_new))[0][4]
    apply = ("apply", "1")
    # The first one created it, so the fields are another manager's, with the same values: no conflict.
    assert rows(send(browser, page, SEND, apply, text=text))[0][4] in ("unchanged", "changed")
    assert rows(send(browser, page, CHECK, apply, text=text + "immutable: false\n"))[0][4] == "would be changed"
    assert rows(send(browser, page, SEND, apply, text=text + "immutable: false\n"))[0][4] == "changed"
    conflict = rows(send(browser, page, SEND, apply, text=text.replace("'1'", "'2'")))[0][4]
    assert conflict.startswith("failed")
    assert "conflict" in conflict


def test_kinds_and_namespaces_of_the_same_text_come_first(browser: Client, client: ClusterClient, page: Any) -> None:
    name = f"test-{uuid4().hex[:8]}"
    group = f"{name}.example"
    text = f"""apiVersion: {group}/v1
kind: Ship
metadata: {{name: first, namespace: {name}}}
---
apiVersion: v1
kind: Namespace
metadata: {{name: {name}}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: ships.{group}}}
spec:
  group: {group}
  scope: Namespaced
  names: {{plural: ships, singular: ship, kind: Ship}}
  versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: inside, namespace: {name}}}
"""
    try:
        checked = rows(send(browser, page, CHECK, text=text))
        assert checked[0][4].startswith("depends on another document, not checked yet")
        assert checked[3][4].startswith("depends on another document, not checked yet")
        done = send(browser, page, SEND, text=text)
        assert [row[4] for row in rows(done)] == ["created"] * 4
        assert "Applied all 4 objects." in done.content.decode()
    finally:
        client.delete(client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"), f"ships.{group}")
        client.delete(client.find("", "v1", "namespaces"), name)
        client.forget_types()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [1", "Line 2"),
        ("", "the text is empty"),
        ("a: 1\na: 2", "is a duplicate"),
    ],
)
def test_a_text_that_can_not_be_taken_apart(browser: Client, page: Any, text: str, words: str) -> None:
    answer = send(browser, page, SEND, text=text)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert text_of(answer).rstrip("\n") == text


def test_what_is_wrong_with_one_document_is_said_at_it(browser: Client, page: Any, namespace: str) -> None:
    parts = [
        "just text\n",
        "kind: ConfigMap\n",
        config_map("a"),
        config_map("a"),
        "apiVersion: v1\nkind: Nothing\nmetadata: {name: x}\n",
        "apiVersion: v1\nkind: ConfigMap\n",
    ]
    found = [row[4] for row in rows(send(browser, page, CHECK, text="---\n".join(parts)))]
    words = [
        "isn't an object",
        "no apiVersion",
        "would be created",
        "Duplicate of document 3.",
        "Nothing",
        "no metadata.name",
    ]
    assert [word in item for word, item in zip(words, found, strict=True)] == [True] * 6, found


def test_items_of_a_list_are_documents(browser: Client, page: Any) -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n- apiVersion:"
        " v1\n  kind: ConfigMap\n  metadata: {name: b}\n"
    )
    assert [row[2] for row in rows(send(browser, page, CHECK, text=text))] == ["a", "b"]


def test_several_documents_pasted_into_a_kinds_page_can_be_imported(browser: Client, namespace: str) -> None:
    yaml = browser.get(f"/resources/core/v1/configmaps/new-yaml/?namespace={namespace}")
    text = "---\n".join([config_map("one"), config_map("two")])
    answer = send(browser, yaml, text=text)
    assert answer.status_code == 422
    assert 'formaction="/resources/import/"' in answer.content.decode()
    assert text_of(send(browser, answer, ("~paste", "1"), to=IMPORT)) == text


def test_a_dry_run_shows_what_would_change(browser: Client, page: Any, config_map: str) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: paint}\ndata: {size: large}\n"
    answer = send(browser, page, CHECK, text=text)
    assert rows(answer)[0][4] == "would be changed"
    difference = element(answer, "results")
    assert difference is not None
    words = " ".join(difference.words.split())
    assert "1 changed field of paint" in words
    assert "data.size" in words
    assert [item for item in difference.walk() if item.tag == "ins" and "large" in item.words]


def test_fields_of_others_are_taken_over_only_when_that_is_chosen(
    browser: Client, client: ClusterClient, namespace: str, page: Any, config_map: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: paint}\ndata: {colour: red}\n"
    answer = send(browser, page, SEND, text=text)
    assert "conflict" in rows(answer)[0][4]
    assert "data.colour" in rows(answer)[0][4]
    results = element(answer, "results")
    assert results is not None
    (tick,) = [item for item in results.walk() if item.attributes.get("name") == "force"]
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "blue"}
    again = send(browser, answer, SEND, ("force", tick.attributes["value"]), text=text)
    assert rows(again)[0][4] == "changed"
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "red"}


def undo_of(page: Any) -> dict[str, str]:
    form = next(item for item in element(page, "results").walk() if item.tag == "form")  # type: ignore[union-attr]
    fields = {item.attributes["name"]: item.attributes.get("value", "") for item in form.walk() if item.tag == "input"}
    return {**fields, "~undo": "1"}


def test_it_is_taken_back(browser: Client, client: ClusterClient, namespace: str, page: Any, config_map: str) -> None:
    maps = client.find("", "v1", "configmaps")
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {size: large}\n"
    both = "---\n".join([text.replace("NAME", "paint"), text.replace("NAME", "brush")])
    done = send(browser, page, SEND, text=both)
    assert [row[4] for row in rows(done)] == ["changed", "created"]
    undone = browser.post(IMPORT, undo_of(done))
    assert [row[2:] for row in rows(undone)] == [
        ["brush", namespace, "deleted"],
        ["paint", namespace, "restored"],
    ]
    assert [
        obj["metadata"]["name"] for obj in client.list(maps, namespace).items if "kube" not in obj["metadata"]["name"]
    ] == ["paint"]
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "blue"}


def test_what_somebody_changed_meanwhile_stays(
    browser: Client, client: ClusterClient, namespace: str, page: Any, config_map: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    done = send(
        browser, page, SEND, text="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: paint}\ndata: {size: large}\n"
    )
    client.patch(maps, config_map, {"data": {"by": "another"}}, namespace)
    undone = browser.post(IMPORT, undo_of(done))
    assert "Another user changed the object since" in rows(undone)[0][4]
    assert client.get(maps, config_map, namespace)["data"]["size"] == "large"


def test_what_a_secret_held_is_not_in_the_page(
    browser: Client, client: ClusterClient, namespace: str, page: Any
) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "stringData": {"word": "hunter2"}}
    client.create(client.find("", "v1", "secrets"), secret, namespace)
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {other: new}\n"
    for button in (CHECK, SEND):
        answer = send(browser, page, button, text=text)
        assert rows(answer)[0][4] in ("would be changed", "changed")
        assert "aHVudGVyMg" not in answer.content.decode()
        assert 'name="~undo"' not in answer.content.decode()


@pytest.mark.parametrize("state", ["", "x", "eJwDAAAAAAE=", "bm8="])
def test_an_undo_that_is_none(browser: Client, client: ClusterClient, state: str) -> None:
    answer = browser.post(IMPORT, {"~undo": "1", "undo": state, "text": ""})
    assert answer.status_code == 400
    assert "Can&#x27;t undo the import" in answer.content.decode()


def test_files_are_documents_too(browser: Client, client: ClusterClient, namespace: str) -> None:
    files = [
        SimpleUploadedFile("one.yaml", config_map("one").encode()),
        SimpleUploadedFile("two.json", b'{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two"}}'),
    ]
    data = {"namespace": namespace, "text": config_map("zero"), "apply": "1", "~send": "1", "files": files}
    answer = browser.post(IMPORT, data)
    assert [row[2:] for row in rows(answer)] == [[name, namespace, "created"] for name in ("zero", "one", "two")]
    assert "# two.json" in text_of(answer)
