"""Many objects from one text: each tried and sent by itself, each with its own word."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.forms import dom
from tests.resources.views.sending import element, send, text_of

IMPORT = "/resources/import/"
CHECK, SEND, RETRY = ("~check", "1"), ("~send", "1"), ("~retry", "1")


def config_map(name: str, **more: str) -> str:
    lines = [f"  {key}: {value}" for key, value in more.items()]
    return "\n".join(["apiVersion: v1", "kind: ConfigMap", "metadata:", f"  name: {name}", *lines, ""])


def rows(page: Any) -> list[list[str]]:
    """The table of results: the cells' words."""
    results = element(page, "results")
    assert results is not None, page.content.decode()[:6000]
    body = next(one for one in results.walk() if one.tag == "tbody")
    return [
        [" ".join(cell.words.split()) for cell in row.walk() if cell.tag == "td"]
        for row in body.children
        if row.tag == "tr"
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
    assert "1 of 3 would be refused." in answer.content.decode()
    assert text_of(answer) == text
    assert not [
        one
        for one in client.list(client.find("", "v1", "configmaps"), namespace).items
        if one["metadata"]["name"] == "one"
    ]


def test_what_failed_is_sent_again_alone(browser: Client, client: ClusterClient, namespace: str, page: Any) -> None:
    text = "---\n".join([config_map("one"), config_map("Not_Good")])
    answer = send(browser, page, SEND, text=text)
    assert "1 of 2 failed" in answer.content.decode()
    link = next(
        one
        for one in (element(answer, "results") or dom.Element("", {})).walk()
        if one.attributes.get("href", "").endswith("/one/")
    )
    assert browser.get(link.attributes["href"]).status_code == 200
    again = send(browser, answer, RETRY, text=text.replace("Not_Good", "good"))
    assert [row[4] for row in rows(again)] == ["not sent again", "created"]
    assert client.get(client.find("", "v1", "configmaps"), "good", namespace)


def test_what_is_there_is_changed_only_when_that_was_asked_for(
    browser: Client, client: ClusterClient, namespace: str, page: Any
) -> None:
    text = config_map("one") + "data: {a: '1'}\n"
    assert rows(send(browser, page, SEND, text=text))[0][4] == "created"
    assert "already" in rows(send(browser, page, SEND, text=text))[0][4]
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
        assert checked[0][4].startswith("can only be checked after another")
        assert checked[3][4].startswith("can only be checked after another")
        done = send(browser, page, SEND, text=text)
        assert [row[4] for row in rows(done)] == ["created"] * 4
        assert "All 4 objects are in the cluster." in done.content.decode()
    finally:
        client.delete(client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"), f"ships.{group}")
        client.delete(client.find("", "v1", "namespaces"), name)
        client.forget_types()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [1", "Line 2"),
        ("", "the text is empty"),
        ("a: 1\na: 2", "stands here twice"),
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
    words = ["no object", "no apiVersion", "would be created", "document 3 once more", "Nothing", "no metadata.name"]
    assert [word in one for word, one in zip(words, found, strict=True)] == [True] * 6, found


def test_items_of_a_list_are_documents(browser: Client, page: Any) -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: b}\n"
    assert [row[2] for row in rows(send(browser, page, CHECK, text=text))] == ["a", "b"]


def test_several_documents_pasted_into_a_kinds_page_can_be_imported(browser: Client, namespace: str) -> None:
    yaml = browser.get(f"/resources/core/v1/configmaps/new-yaml/?namespace={namespace}")
    text = "---\n".join([config_map("one"), config_map("two")])
    answer = send(browser, yaml, text=text)
    assert answer.status_code == 422
    assert 'formaction="/resources/import/"' in answer.content.decode()
    assert text_of(send(browser, answer, ("~paste", "1"), to=IMPORT)) == text
