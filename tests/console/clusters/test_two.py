"""Two clusters in one console: each address shows and changes its own, also with concurrent use of the other."""

import json
import time
import urllib.error
import urllib.request
from urllib.parse import quote
from uuid import uuid4

import pytest

from tests.console.clusters.conftest import TWIN, mark
from tests.console.clusters.site import AWAY, HERE, OTHER, READER, Browser, Site, prefix

MAPS = "/resources/core/v1/configmaps/"
OBJECT = f"{MAPS}default/{TWIN}/"


@pytest.mark.parametrize(("context", "foreign"), [(HERE, OTHER), (OTHER, HERE)])
def test_an_object_of_one_name_is_each_clusters_own(web: Browser, context: str, foreign: str) -> None:
    for _again in range(2):
        answer = web.get(f"{prefix(context)}{OBJECT}")
        assert answer.status == 200
        assert mark(context) in answer.text and mark(foreign) not in answer.text
        raw = web.get(f"{prefix(context)}/api{OBJECT}")
        assert json.loads(raw.text)["data"] == {"of": mark(context)}
        # What the other tab does meanwhile changes nothing.
        assert mark(foreign) in web.get(f"{prefix(foreign)}{OBJECT}").text


def test_the_title_says_which_cluster_it_is(web: Browser) -> None:
    assert f"· {HERE} ·" in web.get(OBJECT).text.partition("</title>")[0]
    assert f"· {OTHER} ·" in web.get(f"{prefix(OTHER)}{OBJECT}").text.partition("</title>")[0]


def test_what_is_made_in_one_tab_is_made_there_alone(web: Browser, several: Site) -> None:
    name = f"made-{uuid4().hex[:6]}"
    page = web.get(f"{prefix(OTHER)}/namespaces/")
    # The other tab comes between.
    web.get("/namespaces/")
    answer = web.post(f"{prefix(OTHER)}/namespaces/", page.csrf, name=name)
    assert answer.status == 200 and answer.url.startswith(f"{web.url}{prefix(OTHER)}/"), answer.url
    assert name in namespaces(several, OTHER) and name not in namespaces(several, HERE)
    # The audit is by cluster, too.
    assert name in web.get(f"{prefix(OTHER)}/audit/").text
    assert name not in web.get("/audit/").text


def test_a_page_of_one_cluster_can_not_be_sent_to_the_other(web: Browser, several: Site) -> None:
    """As it would be sent where the default has become another one since the page was made."""
    for of, to in ((OTHER, HERE), (HERE, OTHER)):
        name = f"stray-{uuid4().hex[:6]}"
        web.get(f"{prefix(to)}/namespaces/")
        page = web.get(f"{prefix(of)}/namespaces/")
        assert web.post(f"{prefix(to)}/namespaces/", page.csrf, name=name).status == 403
        assert name not in namespaces(several, to)


def namespaces(site: Site, context: str) -> list[str]:
    client = site.client(context)
    return [item["metadata"]["name"] for item in client.list(client.find("", "v1", "namespaces")).items]


def test_one_server_with_other_credentials_is_another_cluster(web: Browser) -> None:
    """Same address, same names: what the one may read is kept for the one alone."""
    assert web.get(OBJECT).status == 200
    assert web.get(MAPS).status == 200
    assert web.get(f"{prefix(READER)}{OBJECT}").status == 403
    assert mark(HERE) not in web.get(f"{prefix(READER)}{MAPS}").text
    assert web.get(OBJECT).status == 200


def test_the_namespace_that_was_picked_is_each_clusters_own(web: Browser) -> None:
    page = web.get(f"{prefix(OTHER)}{MAPS}")
    web.post(f"{prefix(OTHER)}/namespaces/pick/", page.csrf, namespace="kube-system", next=f"{prefix(OTHER)}{MAPS}")
    assert mark(HERE) not in web.get(f"{prefix(OTHER)}{MAPS}").text
    cookies = {cookie.name: cookie.value for cookie in web.jar}
    assert [name for name, value in cookies.items() if value == "kube-system"] != ["console_namespace"]
    assert "console_namespace" not in cookies


def test_where_a_visit_begins_is_each_clusters_own_and_how_times_are_shown_the_browsers(web: Browser) -> None:
    there = f"{prefix(OTHER)}/settings/"
    web.post(there, web.get(there).csrf, times="utc", namespace="kube-public")
    assert 'name="namespace" value="kube-public"' in web.get(there).text
    here = web.get("/settings/").text
    assert 'name="namespace" value=""' in here and 'data-times="utc"' in here


def test_a_cluster_that_is_away_fails_alone_and_soon(web: Browser) -> None:
    began = time.monotonic()
    answer = web.get(f"{prefix(AWAY)}{OBJECT}")
    assert answer.status == 503 and time.monotonic() - began < 15
    assert f"{prefix(AWAY)}/" in answer.text
    assert web.get(OBJECT).status == 200
    ready = web.get("/readyz")
    assert ready.status == 200 and json.loads(ready.text)["ready"]


def test_the_switcher_says_who_is_there_and_keeps_the_kind_of_page(web: Browser) -> None:
    page = web.get(f"/clusters/?at={OBJECT}").text
    for _again in range(10):
        if "no response yet" not in page:
            break
        page = web.get(f"/clusters/?at={OBJECT}").text  # each waits two seconds for all of them
    assert f'href="{prefix(OTHER)}{MAPS}"' in page
    assert f'href="{OBJECT}"' in page
    rows = dict(zip((HERE, OTHER, READER, AWAY), page.split('class="console-clusters-row"')[1:], strict=True))
    assert "connected" in rows[HERE] and "connected" in rows[OTHER] and "unreachable" in rows[AWAY]
    assert "as admin-there" in rows[OTHER]
    back = web.get(f"{prefix(OTHER)}/clusters/?at={prefix(OTHER)}{MAPS}").text
    assert f'href="{MAPS}"' in back
    for at, there in (("/operators/", "/operators/"), ("/operators/a/b/", "/operators/"), ("//evil.example/", "/")):
        assert f'href="{prefix(OTHER)}{there}"' in web.get(f"/clusters/?at={at}").text


def test_an_unknown_context_is_a_page_that_lists_those_there_are(web: Browser) -> None:
    answer = web.get("/c/gone/resources/")
    assert answer.status == 404 and "gone" in answer.text and f'href="{prefix(OTHER)}/"' in answer.text
    assert web.get(f"{prefix(OTHER)}/healthz").status == 404


def test_both_streams_tell_their_own_clusters_events(several: Site) -> None:
    streams = {context: Heard(several, context) for context in (HERE, OTHER)}
    for context in (HERE, OTHER):
        streams[context].until("event: hello")
    name, words = f"event-{uuid4().hex[:6]}", {HERE: "here", OTHER: "other"}
    for context in (OTHER, HERE):
        client, mark = several.client(context), f"{name}-{words[context]}"
        maps = client.find("", "v1", "configmaps")
        for number in range(3):
            made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{mark}-{number}"}}
            client.create(maps, made, "default")
            if streams[context].hears(mark):
                break
        assert mark in streams[context].text, streams[context].text
    assert f"{name}-other" not in streams[HERE].text and f"{name}-here" not in streams[OTHER].text


class Heard:
    """One open stream of ConfigMaps."""

    def __init__(self, site: Site, context: str) -> None:
        page = Browser(site.url).get(f"{prefix(context)}{MAPS}").text
        topic = page.partition('data-live-rows="')[2].partition('"')[0]
        assert topic, page[:2000]
        url = f"{site.url}{prefix(context)}/stream?topic={quote(topic)}"
        self._answer = urllib.request.urlopen(url, timeout=40)
        self.text = ""

    def until(self, words: str) -> None:
        end = time.monotonic() + 40
        while words not in self.text:
            assert time.monotonic() < end, self.text
            self.text += self._answer.readline().decode()

    def hears(self, words: str) -> bool:
        """Whether they come before the stream has nothing to tell.

        An object created before the worker's watch has started sends no event: the stream sends the list's version, so
        that pages reload it.
        """
        heard_before = len(self.text)
        while words not in self.text and ": still here" not in self.text[heard_before:]:
            self.text += self._answer.readline().decode()
        return words in self.text


def test_a_topic_of_the_other_cluster_is_refused(several: Site) -> None:
    page = Browser(several.url).get(MAPS).text
    topic = page.partition('data-live-rows="')[2].partition('"')[0]
    url = f"{several.url}{prefix(OTHER)}/stream?topic={quote(topic)}"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(url, timeout=40)
    assert refused.value.code == 403
