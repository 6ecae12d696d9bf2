"""Headers of a list for live pages: the position of the stream, and the list's version."""

import re

import pytest
import redis
from django.test import Client

from kube.client import ClusterClient
from resources.changes import position

MAPS = "/resources/core/v1/configmaps/"
HEARD = "HTTP_X_LIVE_VERSION"


def test_it_says_where_the_stream_goes_on(pipe: redis.Redis, browser: Client, namespace: str) -> None:
    before = int(position().partition("-")[0])
    for query in ({}, {"q": "a"}, {"sort": "name"}):
        since = browser.get(MAPS, {"namespace": namespace, **query}, HTTP_HX_REQUEST="true").headers["X-Live-Since"]
        found = re.fullmatch(r"(\d+)-0@[0-9a-f]+", since)
        assert found, since
        # From before anything was read.
        assert before - 200 <= int(found[1]) <= int(position().partition("-")[0])


def test_without_redis_it_says_nothing(browser: Client, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.templatetags.resources.position", lambda ago: "")
    answer = browser.get(MAPS, {"namespace": namespace})
    assert answer.status_code == 200
    assert "X-Live-Since" not in answer.headers


def test_each_row_and_the_whole_have_their_version(browser: Client, client: ClusterClient, namespace: str) -> None:
    maps = client.find("", "v1", "configmaps")
    version = client.create(maps, {"metadata": {"name": "versioned"}}, namespace)["metadata"]["resourceVersion"]
    for query in ({}, {"sort": "name"}, {"q": "versioned"}):
        headers = {HEARD: version}
        answer = browser.get(MAPS, {"namespace": namespace, **query}, HTTP_HX_REQUEST="true", **headers)
        assert re.search(rf'<tr [^>]*data-version="{version}"', answer.content.decode())
        assert int(answer.headers["X-Live-Version"]) >= int(version)


def test_what_is_no_version_is_not_waited_for(browser: Client, namespace: str) -> None:
    for odd in ("x", "٣", "9" * 100, "-1"):
        answer = browser.get(
            MAPS, {"namespace": namespace, "sort": "name"}, **{HEARD: odd.encode("utf-8").decode("latin-1")}
        )
        assert answer.status_code == 200
