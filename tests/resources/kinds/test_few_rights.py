"""Pages of kinds for a user with few permissions: what can't be read is named, and the rest is there."""

import logging
from html import unescape

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.resources.kinds.test_pages import Make, make
from tests.resources.views.test_rights import Become, become, dev

__all__ = ["become", "dev", "make"]


def test_a_reader_without_secrets(
    browser: Client, make: Make, become: Become, dev: str, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    secret = make("v1", "Secret", "login", stringData={"password": "hunter2"})
    account = make("v1", "ServiceAccount", "bot")
    become(dev)
    with caplog.at_level(logging.INFO, logger="console.audit"):
        refused = browser.post(f"{secret}value/", {"key": "password"})
    assert refused.status_code == 403
    assert "hunter2" not in refused.content.decode()
    assert f"verb=reveal object=core/v1/secrets {namespace}/login outcome=Forbidden" in caplog.text
    page = browser.get(account)
    assert page.status_code == 200
    assert "Couldn't read RoleBinding objects: " in unescape(page.content.decode())
    asked = browser.get("/resources/who-can/", {"verb": "get", "resource": "secrets", "namespace": namespace})
    assert asked.status_code == 200
    assert "Couldn't read ClusterRole objects: " in unescape(asked.content.decode())
    assert "You don't have this permission, according to the API server." in asked.content.decode()


def test_a_namespaces_contents_with_gaps(
    browser: Client, client: ClusterClient, become: Become, dev: str, namespace: str
) -> None:
    become(dev)
    page = browser.get(f"/resources/core/v1/namespaces/-/{namespace}/contents/").content.decode()
    contents = page.partition('id="contents"')[2]
    assert "Secret" in contents and f"/access/?namespace={namespace}" in contents
    assert "is forbidden" not in contents and "couldn't be read" not in unescape(contents)
