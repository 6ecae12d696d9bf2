"""The history as JSON: pages, filters, one change, and nothing for users without access to the object."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Forbidden
from tests.resources.history.conftest import Watched, gadgets, place, watched  # noqa: F401  fixtures

pytestmark = pytest.mark.django_db


def test_changes_and_one_of_them(watched: Watched, place: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    watched.create(place, "g", spec={"size": 1, "token": "hunter2"})
    for size in (2, 3, 4):
        watched.patch(place, "g", {"spec": {"size": size}})
    url = f"/api/resources/{watched.type.group}/v1/gadgets/{place}/g/history/"
    browser = Client()
    found = browser.get(url, {"limit": 2}).json()
    assert found["number"] == 4
    assert [step["changed"] for step in found["changes"]] == [
        [{"path": "spec.size", "before": "3", "after": "4"}],
        [{"path": "spec.size", "before": "2", "after": "3"}],
    ]
    older = browser.get(url, {"before": found["before"]}).json()
    assert [step["event"] for step in older["changes"]] == ["changed", "created"]
    assert older["before"] is None
    assert browser.get(url, {"show": "status"}).json()["changes"] == []
    item = browser.get(f"{url}{found['changes'][0]['id']}/").json()
    assert (item["before"]["spec"]["size"], item["after"]["spec"]["size"]) == (3, 4)
    assert "hunter2" not in str(item)
    assert browser.get(f"{url}1234567/").status_code == 404
    for odd in ("x", "-1", "9" * 40):
        assert browser.get(url, {"before": odd, "limit": odd}).status_code == 200

    def refused(*_given: Any, **_named: Any) -> Any:
        raise Forbidden("no")

    monkeypatch.setattr(ClusterClient, "get", refused)
    assert browser.get(url).status_code == 403
    assert browser.get(f"{url}{found['changes'][0]['id']}/").json()["status"] == 403


def test_of_what_nothing_is_known(client: ClusterClient, place: str) -> None:  # noqa: F811
    client.create(client.find("", "v1", "configmaps"), {"metadata": {"name": "m"}}, place)
    found = Client().get(f"/api/resources/core/v1/configmaps/{place}/m/history/").json()
    assert (found["uid"], found["changes"], found["recorded"]) == ("", [], False)
    assert "/history/" in Client().get("/api/schema/").content.decode()
