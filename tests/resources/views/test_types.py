"""/resources/: every kind once, custom ones first, found by any of its names, counted, with its operator."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Forbidden, ServerError
from resources.lists import counts
from resources.types import manager
from resources.types.types import Types
from tests.resources.views.definitions import CRDS, served, widget
from tests.resources.views.form_submission import flat


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    counts._kept.clear()
    manager.read_definitions.cache_clear()


def plurals(found: Types) -> set[str]:
    return {kind.type.plural for group in found.groups for kind in group.kinds}


def test_it_works(browser: Client) -> None:
    answer = browser.get("/resources/")
    assert answer.status_code == 200
    groups = [group.name for group in answer.context["types"].groups]
    assert groups.index("operators.coreos.com") < groups.index("core") < groups.index("apps")
    assert b'href="/resources/core/v1/pods/"' in answer.content
    assert b'href="/resources/core/v1/pods/explain/"' in answer.content


def test_the_filter_knows_short_names_and_groups(browser: Client) -> None:
    for words in ("csv", "ClusterServiceV", "operators.coreos clusterservice"):
        found = browser.get("/resources/", {"q": words}, HTTP_HX_REQUEST="true")
        assert b"clusterserviceversions" in found.content
        assert b"<html" not in found.content
        assert b">Pod<" not in found.content


def test_scope_custom_and_verb_filter(browser: Client) -> None:
    cluster = plurals(browser.get("/resources/", {"scope": "cluster"}).context["types"])
    assert "nodes" in cluster
    assert "pods" not in cluster
    inside = plurals(browser.get("/resources/", {"scope": "namespaced"}).context["types"])
    assert "pods" in inside
    assert "nodes" not in inside
    custom = browser.get("/resources/", {"custom": "1"}).context["types"]
    assert "clusterserviceversions" in plurals(custom)
    assert all(group.custom for group in custom.groups)
    reviews = "selfsubjectaccessreviews"
    assert reviews not in plurals(browser.get("/resources/").context["types"])
    every = browser.get("/resources/", {"verb": "any"})
    assert reviews in plurals(every.context["types"])
    assert f'href="/resources/authorization.k8s.io/v1/{reviews}/"' not in every.content.decode()
    assert reviews in plurals(browser.get("/resources/", {"verb": "create"}).context["types"])
    assert plurals(browser.get("/resources/", {"scope": "<odd>", "verb": "list"}).context["types"]) >= {"pods", "nodes"}


def test_numbers_come_after_the_page(
    browser: Client, client: ClusterClient, crd: dict[str, Any], namespace: str
) -> None:
    group = crd["spec"]["group"]
    for number in range(3):
        client.create(served(client, crd), widget(crd, f"w{number}"), namespace)
    page = browser.get("/resources/", {"q": group, "namespace": "-"})
    assert f'hx-get="/resources/counts/?group={group}&amp;namespace=-"' in page.content.decode()
    assert ">3<" not in page.content.decode()
    part = browser.get("/resources/counts/", {"group": group, "namespace": "-"}, HTTP_HX_REQUEST="true")
    assert f'id="count-{group}-widgets" hx-swap-oob="true"> 3 </span>' in flat(part)
    other = browser.get("/resources/counts/", {"group": group, "namespace": "default"}, HTTP_HX_REQUEST="true")
    assert "> 0 </span>" in flat(other)
    # Whatever renews the page keeps the last number in its place.
    again = browser.get("/resources/", {"q": group, "namespace": "-"}, HTTP_HX_REQUEST="true")
    assert f'id="count-{group}-widgets"> 3 </span>' in flat(again)


def test_numbers_without_scripts(browser: Client, namespace: str) -> None:
    page = browser.get("/resources/", {"q": "configmaps", "namespace": namespace, "count": "1"})
    found = {kind.type.plural: kind.count for group in page.context["types"].groups for kind in group.kinds}
    assert found["configmaps"].number is not None


def test_what_can_not_be_counted_says_why_and_keeps_nobody(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    table = ClusterClient.table

    def refuse(self: ClusterClient, type_: Any, *args: Any, **more: Any) -> Any:
        if type_.plural == "secrets":
            raise Forbidden("secrets is forbidden: User can not list them")
        if type_.plural == "services":
            raise ServerError("conversion webhook <failed>")
        return table(self, type_, *args, **more)

    monkeypatch.setattr(ClusterClient, "table", refuse)
    part = browser.get("/resources/counts/", {"group": "core", "namespace": "-"}, HTTP_HX_REQUEST="true")
    text = part.content.decode()
    assert part.status_code == 200
    assert 'title="secrets is forbidden: User can not list them"' in text
    assert "conversion webhook &lt;failed&gt;" in text
    numbers = {each["type"].plural: each["count"] for each in part.context}
    assert (numbers["secrets"].number, numbers["services"].number) == (None, None)
    assert numbers["namespaces"].number


def test_numbers_of_no_group(browser: Client) -> None:
    assert browser.get("/resources/counts/", {"group": "<none>"}).content.strip() == b""


def test_who_brought_a_kind(browser: Client, client: ClusterClient, crd: dict[str, Any]) -> None:
    """OLM's note on the definition; of several notes the operator that is there is meant."""
    name = crd["metadata"]["name"]
    note = "operatorframework.io/installed-alongside-"
    notes = {f"{note}1": "somewhere/toys.v1.2.3"}
    client.patch(client.find(*CRDS), name, {"metadata": {"annotations": notes}})
    page = browser.get("/resources/", {"q": "toys.v1.2.3"})
    assert plurals(page.context["types"]) == {"widgets"}
    assert 'href="/operators/somewhere/toys.v1.2.3/"' in page.content.decode()
    detail = browser.get(f"/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/{name}/").content.decode()
    assert 'href="/operators/somewhere/toys.v1.2.3/"' in detail


def test_definitions_of_a_kind_are_linked_and_those_that_are_not_served_are_named(
    browser: Client, client: ClusterClient, crd: dict[str, Any]
) -> None:
    page = "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/"
    group = crd["spec"]["group"]
    assert f'href="{page}widgets.{group}/"' in browser.get("/resources/", {"q": group}).content.decode()
    # A second definition of the same group that wants the same kind is not accepted.
    rival = {**crd["spec"], "names": {"plural": "gadgets", "singular": "gadget", "kind": "Widget"}}
    rival.pop("conversion", None)
    name = f"gadgets.{group}"
    client.create(
        client.find(*CRDS),
        {
            "kind": "CustomResourceDefinition",
            "apiVersion": "apiextensions.k8s.io/v1",
            "metadata": {"name": name},
            "spec": rival,
        },
    )
    try:
        found = browser.get("/resources/", {"fresh": "1", "q": group})
        assert name in found.context["types"].unserved
        assert f'href="{page}{name}/"' in found.content.decode()
        detail = browser.get(f"{page}{name}/")
        assert detail.status_code == 200
        assert "not served" in detail.content.decode()
    finally:
        client.delete(client.find(*CRDS), name)
    assert "?custom=1" in browser.get("/resources/apiextensions.k8s.io/v1/customresourcedefinitions/").content.decode()


def test_groups_that_do_not_answer_are_named(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = "metrics.k8s.io/v1: its API server does not answer"
    monkeypatch.setattr(ClusterClient, "discovery_errors", (problem,))
    page = browser.get("/resources/").content.decode()
    assert problem in page
    assert 'href="/resources/core/v1/pods/"' in page


def test_nothing_matches(browser: Client) -> None:
    answer = browser.get("/resources/", {"q": "<script>"})
    assert b'<script>"' not in answer.content
    assert b"No matching resource types" in answer.content
