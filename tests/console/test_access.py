"""The access page: permissions, missing permissions, and the text that requests access."""

from django.test import Client

from console.web.access import AccessRequest, binding_name, missing_permission
from kube.client import ClusterClient
from tests.forms import dom
from tests.resources.access.test_pages import bind
from tests.resources.conftest import client
from tests.resources.views.conftest import browser, namespace
from tests.resources.views.test_rights import Become, become, dev

__all__ = ["become", "browser", "client", "dev", "namespace"]


def abilities(page: str) -> dict[str, int]:
    lists = (item for item in dom.parse(page).walk() if "data-abilities" in item.attributes)
    return {
        str(found.attributes["data-abilities"]): len([item for item in found.walk() if item.tag == "li"])
        for found in lists
    }


def test_a_reader_sees_the_badge_and_asks_for_more(browser: Client, become: Become, dev: str, namespace: str) -> None:
    become(dev)
    page = browser.get("/access/", {"namespace": namespace}).content.decode()
    assert "console-limited" in page
    assert abilities(page) == {"missing": 8, "allowed": 3}
    assert f"kubectl create rolebinding {dev}-edit --clusterrole=edit --user={dev} -n {namespace}" in page
    more = browser.get("/access/", {"namespace": namespace, "role": "admin"}).content.decode()
    assert "--clusterrole=admin" in more


def test_an_administrator_has_no_badge_and_nothing_to_ask(browser: Client, namespace: str) -> None:
    page = browser.get("/access/", {"namespace": namespace}).content.decode()
    assert "console-limited" not in page
    assert abilities(page) == {"allowed": 11}
    assert "kubectl create rolebinding" not in page


def test_who_may_edit_one_namespace_is_limited_by_that(
    browser: Client, client: ClusterClient, become: Become, namespace: str
) -> None:
    bind(client, namespace, "editors", "edit", "eve")
    become("eve")
    page = browser.get("/access/", {"namespace": namespace}).content.decode()
    assert "console-limited" in page
    assert abilities(page)["missing"] == 2


def test_the_request_is_safe_for_a_shell() -> None:
    ask = AccessRequest(user="eve; rm -rf /", cluster="prod", namespace="shop", role="view")
    assert "--user=eve; rm" not in ask.command.replace("'--user=eve; rm -rf /'", "")
    assert "'--user=eve; rm -rf /'" in ask.text
    account = AccessRequest(user="system:serviceaccount:ci:deployer", cluster="prod", namespace="shop", role="view")
    assert "--serviceaccount=ci:deployer" in account.command
    assert binding_name("/team%", "view") == "-team--view"


def test_a_refusal_becomes_a_request() -> None:
    words = (
        'deployments.apps is forbidden: User "eve" cannot list resource "deployments" '
        'in API group "apps" in the namespace "shop"'
    )
    found = missing_permission(words)
    assert found is not None
    assert "--verb=get,list,watch --resource=deployments.apps -n shop" in found.request
    assert "kubectl create rolebinding eve-list-deployments" in found.request or "eve-get-deployments" in found.request
    whole = missing_permission('nodes is forbidden: User "eve" cannot get resource "nodes/proxy" in API group ""')
    assert whole is not None
    assert "kubectl create clusterrole get-nodes-proxy --verb=get,list,watch --resource=nodes/proxy" in whole.request
