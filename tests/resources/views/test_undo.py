"""Undo of a user's last change: offered in the message, reviewed, and sent with the user's own permissions."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound
from resources.history import store, writes
from resources.models import Write
from resources.place import Place
from tests.resources.views.form_submission import send
from tests.resources.views.test_delete_and_scale import deployment  # noqa: F401  fixture
from tests.resources.views.test_history import _action, _review, _text


def _undo(browser: Client) -> str:
    """The address in the message of the next page."""
    found = re.search(r'<a href="(/resources/undo/\w+/)">Undo</a>', browser.get("/settings/").content.decode())
    assert found
    return unescape(found.group(1))


def test_a_save(browser: Client, client: ClusterClient, namespace: str, config_map: str) -> None:
    url = f"/resources/core/v1/configmaps/{namespace}/{config_map}/yaml/"
    page = browser.get(url, {"view": "yaml"})
    assert send(browser, page, to=url, text=_yaml(page).replace("blue", "red")).status_code == 303
    maps = client.find("", "v1", "configmaps")
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "red"}
    client.patch(maps, config_map, {"data": {"other": "by somebody else"}}, namespace)
    review = browser.get(_undo(browser))
    assert review.status_code == 200
    assert browser.post(_action(review), _review(review)).status_code == 303
    assert client.get(maps, config_map, namespace)["data"] == {"colour": "blue", "other": "by somebody else"}
    assert browser.get(_undo(browser)).status_code == 200, "and an undo can be undone"


def _yaml(page: Any) -> str:
    found = re.search(r"<textarea[^>]*name=\"text\"[^>]*>(.*?)</textarea>", page.content.decode(), re.DOTALL)
    assert found
    return unescape(found.group(1)).lstrip("\n")


def test_a_deletion(browser: Client, client: ClusterClient, namespace: str, config_map: str) -> None:
    url = f"/resources/core/v1/configmaps/{namespace}/{config_map}/delete/"
    maps = client.find("", "v1", "configmaps")
    uid = client.get(maps, config_map, namespace)["metadata"]["uid"]
    browser.post(url, {"uid": uid})
    review = browser.get(_undo(browser))
    assert "new uid" in _text(review)
    assert browser.post(_action(review), _review(review)).status_code == 303
    again = client.get(maps, config_map, namespace)
    assert again["data"] == {"colour": "blue"}
    assert again["metadata"]["uid"] != uid
    created = browser.get(_undo(browser))
    assert created["Location"] == url, "what was created is undone by deleting it, after the question"


def test_scaling(browser: Client, client: ClusterClient, namespace: str, deployment: str) -> None:  # noqa: F811
    url = f"/resources/apps/v1/deployments/{namespace}/{deployment}/scale/"
    browser.post(url, {"replicas": "3"})
    review = browser.get(_undo(browser))
    assert browser.post(_action(review), _review(review)).status_code == 303
    assert client.get(client.find("apps", "v1", "deployments"), deployment, namespace)["spec"]["replicas"] == 1


def test_a_secret_is_never_kept(browser: Client, client: ClusterClient, namespace: str) -> None:
    secrets = client.find("", "v1", "secrets")
    client.create(secrets, {"metadata": {"name": "s"}, "stringData": {"a": "hunter2"}}, namespace)
    uid = client.get(secrets, "s", namespace)["metadata"]["uid"]
    browser.post(f"/resources/core/v1/secrets/{namespace}/s/delete/", {"uid": uid})
    assert "/resources/undo/" not in browser.get("/settings/").content.decode()
    row = Write.objects.get(uid=uid)
    assert (row.verb, row.before, row.after) == ("delete", None, None)


def test_only_ones_own_and_only_the_last(
    client: ClusterClient, browser: Client, namespace: str, config_map: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = client.find("", "v1", "configmaps")
    obj = client.get(maps, config_map, namespace)
    place = Place(maps, namespace, config_map)
    first = writes.wrote(client, "patch", place, obj, obj)
    Write.objects.update(user="somebody-else")
    assert browser.get(first).status_code == 404
    assert browser.get("/resources/undo/nonsense/").status_code == 404
    monkeypatch.setattr(writes, "UNDOABLE", 2)
    urls = [writes.wrote(client, "patch", place, obj, obj) for _number in range(4)]
    assert [browser.get(url).status_code for url in urls] == [404, 404, 200, 200]
    assert Write.objects.count() == 5, "who did what stays"
    assert store.UNDOABLE > 2
    text = _text(browser.get("/resources/favourites/"))
    assert text.count("Undo") == 2
    client.delete(maps, config_map, namespace)
    with pytest.raises(NotFound):
        client.get(maps, config_map, namespace)
    assert browser.get(urls[-1]).status_code == 404
