"""…/explain/: the schema of any kind as a tree, searched, with the command that does the same."""

from typing import Any

from django.test import Client

from kube.client import ClusterClient


def test_a_built_in_kind(browser: Client) -> None:
    answer = browser.get("/resources/apps/v1/deployments/explain/")
    assert answer.status_code == 200
    names = {field.name: field for field in answer.context["fields"]}
    assert {"apiVersion", "kind", "metadata", "spec", "status"} <= set(names)
    inner = {field.name: field for field in answer.context["inner"]}
    assert (inner["template"].required, inner["template"].type) == (True, "PodTemplateSpec")
    text = answer.content.decode()
    assert "kubectl explain deployments --api-version=apps/v1" in text
    assert 'href="/resources/apps/v1/deployments/"' in text


def test_a_part_of_it_is_opened(browser: Client) -> None:
    part = browser.get(
        "/resources/apps/v1/deployments/explain/",
        {"at": "/spec/template/spec/containers/[]/resources"},
        headers={"HX-Request": "true", "HX-Target": "in-1"},
    )
    text = part.content.decode()
    assert "<html" not in text
    assert "map of quantity" in text
    whole = browser.get(
        "/resources/apps/v1/deployments/explain/", {"at": "/spec/template/spec/containers/[]/resources"}
    ).content.decode()
    assert "kubectl explain deployments.spec.template.spec.containers.resources --api-version=apps/v1" in whole


def test_search_over_names_and_descriptions(browser: Client) -> None:
    answer = browser.get("/resources/core/v1/pods/explain/", {"q": "imagepullpolicy"}, headers={"HX-Request": "true"})
    assert "spec.containers[].imagePullPolicy" in [field.path for field in answer.context["found"].fields]
    assert b"<html" not in answer.content


def test_a_kind_that_holds_itself_is_searched_to_an_end(browser: Client) -> None:
    """A definition's schema holds schemas: each can be opened to any depth."""
    place = "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/explain/"
    found = browser.get(place, {"q": "maxLength"}).context["found"]
    assert 0 < found.total < 50
    deep = "/spec/versions/[]/schema/openAPIV3Schema/not/not/not/properties/{}"
    answer = browser.get(place, {"at": deep})
    assert answer.status_code == 200
    assert "maxLength" in [field.name for field in answer.context["fields"]]


def test_a_custom_kind_with_all_its_marks(browser: Client, client: ClusterClient, crd: dict[str, Any]) -> None:
    group = crd["spec"]["group"]
    answer = browser.get(f"/resources/{group}/v1/widgets/explain/", {"at": "/spec"})
    fields = {field.name: field for field in answer.context["fields"]}
    assert fields["size"].required
    assert fields["size"].default == "3"
    assert fields["size"].limits == ("≥ 1", "≤ 9")
    assert fields["mode"].enum == ("a", "b")
    assert fields["mode"].deprecated
    assert fields["place"].immutable
    text = answer.content.decode()
    assert "can't be changed" in text
    assert f'href="/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/widgets.{group}/"' in text
    other = browser.get(f"/resources/{group}/v1beta1/widgets/explain/").content.decode()
    assert f'href="/resources/{group}/v1/widgets/explain/"' in other


def test_no_such_place_is_said(browser: Client) -> None:
    answer = browser.get("/resources/core/v1/pods/explain/", {"at": "/spec/<nothing>"})
    assert answer.status_code == 404
    assert b"This resource type has no such field" in answer.content
    assert b"<nothing>" not in answer.content


def test_no_such_kind_is_said(browser: Client) -> None:
    answer = browser.get("/resources/example.com/v1/nothings/explain/")
    assert answer.status_code == 404
    assert b"serves no resource" in answer.content


def test_a_kind_without_a_schema(browser: Client, client: ClusterClient, monkeypatch: Any) -> None:
    monkeypatch.setattr(ClusterClient, "schema", lambda *_: None)
    answer = browser.get("/resources/core/v1/pods/explain/")
    assert answer.status_code == 200
    assert b"The cluster publishes no schema for this resource type" in answer.content


def test_the_list_leads_there(browser: Client) -> None:
    assert b'href="/resources/core/v1/configmaps/explain/"' in browser.get("/resources/core/v1/configmaps/").content
