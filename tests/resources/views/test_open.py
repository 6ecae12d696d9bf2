"""The button that opens the web page of an object, in the head of its own page."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from resources.forward.targets import ForwardTarget
from resources.page.values import StatusValue
from resources.place import Place
from resources.tree import Owned
from resources.views.parts import open_part
from tests.resources.views.test_rights import Become, become, dev

__all__ = ["become", "dev"]


@pytest.fixture
def service(client: ClusterClient, namespace: str, settings: Any) -> str:
    """The address of a Service with a port for browsers behind another one."""
    settings.LOCAL_ONLY = True
    ports = [{"name": "redis", "port": 6379}, {"name": "http", "port": 8080}]
    obj = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop"}, "spec": {"ports": ports}}
    client.create(client.find("", "v1", "services"), obj, namespace)
    return f"/resources/core/v1/services/{namespace}/shop/"


def _address(browser: Client, url: str) -> str:
    """Where Open leads, '' where there is none."""
    part = browser.get(url, {"part": "open"}, HTTP_HX_REQUEST="true").content.decode()
    found = re.search(r'href="([^"]+)"', part)
    return found[1].replace("&amp;", "&") if found else ""


def test_a_service_is_opened_by_a_forward_of_its_web_port(
    browser: Client, service: str, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = _address(browser, service)
    assert address == f"{service}forward/?target=Service%2Fshop&remote=8080"
    form = browser.get(address).content.decode()
    assert re.search(r'name="remote"[^>]*value="8080"', form)
    assert 'id="open-page"' in browser.get(service).content.decode(), "on the page at once"
    opened = SimpleNamespace(
        target=ForwardTarget("Service", namespace, "shop"), remote=8080, url="http://localhost:8080/"
    )
    monkeypatch.setattr("resources.views.parts.tunnels", lambda _client: (opened,))
    assert _address(browser, service) == opened.url


def test_who_must_not_forward_has_no_button(browser: Client, service: str, become: Become, dev: str) -> None:
    become(dev)
    assert _address(browser, service) == ""


def test_what_has_no_web_page_has_no_button(browser: Client, client: ClusterClient, namespace: str) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "plain"}}
    client.create(client.find("", "v1", "configmaps"), obj, namespace)
    assert _address(browser, f"/resources/core/v1/configmaps/{namespace}/plain/") == ""


def test_an_address_of_the_status_comes_first(client: ClusterClient) -> None:
    place = Place(client.find("", "v1", "configmaps"), "home", "one")
    descriptors = (
        StatusValue(label="Phase", help="", look="text", text="Ready"),
        StatusValue(label="Page", help="", look="link", text="https://shop.example.com/"),
    )
    found = open_part(client, place, {"metadata": {"name": "one"}}, descriptors)
    assert (found.url, found.external) == ("https://shop.example.com/", True)


def test_a_page_at_the_usual_port_comes_before_an_api(client: ClusterClient, namespace: str) -> None:
    type_ = client.find("", "v1", "services")
    owned = []
    for name, ports in (("dex", [{"name": "http", "port": 5556}]), ("web", [{"name": "page", "port": 80}])):
        body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"ports": ports}}
        owned.append(Owned(type_, client.create(type_, body, namespace), 0))
    place = Place(client.find("apps", "v1", "deployments"), namespace, "shop")
    assert "Service%2Fweb" in open_part(client, place, {"metadata": {"name": "shop"}}, (), owned).url
    assert "Service%2Fdex" in open_part(client, place, {"metadata": {"name": "shop"}}, (), owned[:1]).url
