"""The peek beside a list: a part of the object's page, with what the API server lets the reader see."""

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Forbidden
from tests.resources.views.test_rights import Become, become, dev  # noqa: F401  fixtures

POD = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "first", "image": "example.com/web:1"}]}}


@pytest.fixture
def pod(client: ClusterClient, namespace: str) -> str:
    """The address of a Pod."""
    client.create(client.find("", "v1", "pods"), {"apiVersion": "v1", "kind": "Pod", **POD}, namespace)
    return f"/resources/core/v1/pods/{namespace}/web/"


def test_state_events_log_and_actions(browser: Client, pod: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClusterClient, "log", lambda self, *names, **options: f"{options['tail']} lines")
    answer = browser.get(pod, {"part": "peek"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in page
    assert f'data-live-url="{pod}?part=peek"' in page
    assert "20 lines" in page
    for view in ("logs", "terminal", "forward", "edit"):
        assert f'href="{pod}{view}/"' in page


def test_a_refused_log_takes_nothing_else_away(browser: Client, pod: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: ClusterClient, *names: str, **options: object) -> str:
        raise Forbidden("pods/log is forbidden")

    monkeypatch.setattr(ClusterClient, "log", refuse)
    page = browser.get(pod, {"part": "peek"}).content.decode()
    assert "have permission to get pods/log in the namespace" in page
    assert f'href="{pod}edit/"' in page


def test_what_may_not_be_seen_is_refused(
    browser: Client,
    become: Become,  # noqa: F811
    dev: str,  # noqa: F811
    namespace: str,
    config_map: str,
) -> None:
    address = f"/resources/core/v1/configmaps/{namespace}/{config_map}/"
    become(dev)
    page = browser.get(address, {"part": "peek"})
    assert page.status_code == 200
    assert f'href="{address}edit/"' not in page.content.decode(), "they may not edit it"
    become("stranger")
    assert browser.get(address, {"part": "peek"}).status_code == 403


def test_what_is_gone_is_not_found(browser: Client, namespace: str) -> None:
    assert browser.get(f"/resources/core/v1/pods/{namespace}/absent/", {"part": "peek"}).status_code == 404
