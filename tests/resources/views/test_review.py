"""What would be saved is shown before it is: the cluster's own answer to a dry run, against what stands there."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.resources.views.form_submission import controls, send, text_of

MAPS = "/resources/core/v1/configmaps/"
SERVICES = "/resources/core/v1/services/"
REVIEW = ("~review", "1")


def change(page: Any, view: str) -> dict[str, str]:
    return (
        {"data__@0": "red"} if view == "edit" else {"text": text_of(page).replace("colour: blue", "colour: red # why")}
    )


@pytest.mark.parametrize("view", ["edit", "yaml"])
def test_a_change_is_reviewed_taken_back_and_saved(
    browser: Client, client: ClusterClient, namespace: str, config_map: str, view: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page = browser.get(f"{MAPS}{namespace}/{config_map}/{view}/")
    review = send(browser, page, REVIEW, **change(page, view))
    assert review.status_code == 200
    body = review.content.decode()
    assert "<del>  colour: blue</del>" in body
    assert "<ins>  colour: red</ins>" in body
    assert "1 field changed by you" in body
    assert "resourceVersion:" not in body.partition("<tbody>")[2]
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "blue"}
    back = send(browser, review, ("~back", "1"))
    assert ("red # why" in text_of(back)) if view == "yaml" else (("s:/data/@0", "red") in controls(back))
    assert send(browser, send(browser, back, REVIEW)).status_code == 303
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "red"}


def test_what_the_cluster_adds_is_told_from_what_was_typed(
    browser: Client, client: ClusterClient, namespace: str
) -> None:
    page = browser.get(f"{SERVICES}new-yaml/?namespace={namespace}")
    text = (
        f"apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: {namespace}}}\nspec:\n  ports: [{{port:"
        " 80}]\n"
    )
    body = send(browser, page, REVIEW, text=text).content.decode()
    assert "Object to create" in body
    lines = body.partition("<tbody>")[2].split("<tr")
    by_cluster = [line for line in lines if "console-diff-auto" in line]
    assert any("protocol: TCP" in line for line in by_cluster)
    assert any("type: ClusterIP" in line for line in by_cluster)
    assert not any("port: 80" in line for line in by_cluster)


def test_a_refused_dry_run_is_said_at_the_fields(browser: Client, namespace: str) -> None:
    page = browser.get(f"{MAPS}new/?namespace={namespace}")
    answer = send(browser, page, REVIEW, metadata__name="Not Good")
    assert answer.status_code == 422
    assert 'href="#f.metadata.name"' in answer.content.decode()
    assert ("s:/metadata/name", "Not Good") in controls(answer)


def test_a_clash_is_met_in_the_review_already(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    page = browser.get(f"{MAPS}{namespace}/{config_map}/edit/")
    client.patch(client.find("", "v1", "configmaps"), config_map, {"data": {"colour": "theirs"}}, namespace)
    clash = send(browser, page, REVIEW, **{"data__@0": "mine"})
    assert clash.status_code == 409
    review = send(browser, clash, REVIEW, ('~take:["data","colour"]', "mine"))
    assert "<del>  colour: theirs</del>" in review.content.decode()
    assert send(browser, review).status_code == 303
    assert client.get(client.find("", "v1", "configmaps"), config_map, namespace)["data"] == {"colour": "mine"}


def test_nothing_changed_is_said(browser: Client, namespace: str, config_map: str) -> None:
    review = send(browser, browser.get(f"{MAPS}{namespace}/{config_map}/edit/"), REVIEW)
    assert "No changes to save" in review.content.decode()


def test_htmx_gets_the_review_in_the_forms_place(browser: Client, namespace: str, config_map: str) -> None:
    page = browser.get(f"{MAPS}{namespace}/{config_map}/edit/")
    review = send(browser, page, REVIEW, headers={"HX-Request": "true"}, **{"data__@0": "red"})
    assert 'id="form"' in review.content.decode()
    assert "<html" not in review.content.decode()
