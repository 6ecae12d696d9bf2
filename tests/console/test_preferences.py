"""/settings/: what a browser prefers is kept, takes effect on every page, and a wrong value is refused at its field."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from console.web.clusters import console_client
from tests.eventually import until

pytestmark = pytest.mark.django_db
_TIME = re.compile(r"<time [^>]*data-age>([^<]*)</time>")


@pytest.fixture
def browser(cluster_kubeconfig: Path, redis_server: str) -> Client:
    return Client()


def times(browser: Client) -> list[str]:
    return _TIME.findall(browser.get("/namespaces/").content.decode())


def test_times_are_ages_moments_in_utc_or_where_the_reader_is(browser: Client) -> None:
    assert all(re.fullmatch(r"\d+[smhdy].*", text) for text in times(browser))
    browser.post("/settings/", {"times": "utc"})
    utc = times(browser)
    assert utc and all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) for text in utc)
    assert ">Created</th>" in browser.get("/namespaces/").content.decode()
    browser.post("/settings/", {"times": "local"})
    browser.cookies["console_zone"] = "Asia/Kathmandu"  # five hours and 45 minutes ahead
    local = times(browser)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text) for text in local)
    minutes = {(int(there[14:16]) - int(here[14:16])) % 60 for here, there in zip(utc, local, strict=True)}
    assert minutes == {45}
    browser.cookies["console_zone"] = "Not/AZone"
    assert [text.replace(" ", "T") + "Z" for text in times(browser)] == utc


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("language", "xx", "language isn't supported"),
        ("theme", "pink", "theme doesn't exist"),
        ("times", "stardate", "Invalid time format"),
        ("size", "7", "20, 50, 100 or 200"),
        ("namespace", "No Such", "Use lowercase letters, digits and hyphens"),
        ("namespace", "nobody-made-this", "The namespace nobody-made-this doesn't exist."),
    ],
)
def test_a_wrong_value_is_refused_at_its_field_and_nothing_is_kept(
    browser: Client, key: str, value: str, words: str
) -> None:
    answer = browser.post("/settings/", {"times": "utc", key: value, "language": "en"} | {key: value})
    assert answer.status_code == 422
    field = re.search(rf'id="{key}-error"\s+role="alert"\s*>(.*?)</p>', answer.content.decode(), re.DOTALL)
    assert field and words in html.unescape(field[1])
    assert "T" not in times(browser)[0]
    as_json = browser.post("/settings/", {key: value}, headers={"Accept": "application/json"})
    assert (as_json.status_code, [*as_json.json()["errors"]]) == (422, [key])


def test_a_visit_begins_in_the_chosen_namespace(browser: Client) -> None:
    def picked() -> list[str]:
        page = browser.get("/resources/core/v1/pods/").content.decode()
        return re.findall(
            r'value="([^"]*)"\s+aria-current="true"', page.partition('id="pick-namespace"')[2].partition("</form>")[0]
        )

    browser.post("/namespaces/pick/", {"namespace": "kube-system"})
    assert picked() == ["kube-system"]
    browser.post("/settings/", {"namespace": "default"})
    assert picked() == ["default"], "in effect at once"
    browser.post("/namespaces/pick/", {"namespace": "kube-system"})
    assert picked() == ["kube-system"], "another one for this visit"
    assert not browser.cookies["console_namespace"]["max-age"]
    browser.post("/settings/", {"namespace": "-"})
    assert picked() == ["-"]


def test_lists_are_as_long_as_wanted_unless_one_has_its_own_length(browser: Client) -> None:
    def shown(address: str) -> int:
        return browser.get(address).content.decode().count('<tr class="pf-v6-c-table__tr" id="row-')

    client = console_client()
    maps = client.find("", "v1", "configmaps")
    for number in range(23):
        client.create(
            maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"long-{number}"}}, "default"
        )
    try:
        address = "/resources/core/v1/configmaps/?namespace=default"
        # A page waits two seconds for the watch at most.
        until(lambda: shown(address) >= 23, "the ConfigMaps that were made")
        browser.post("/settings/", {"size": "20"})
        assert shown(address) == 20
        browser.post("/resources/core/v1/configmaps/columns/", {"size": "100"})
        assert shown(address) >= 23
    finally:
        for number in range(23):
            client.delete(maps, f"long-{number}", "default")


def test_odd_cookies_are_no_preferences(browser: Client) -> None:
    for text in ("times=stardate&size=x&namespace=A B", "%00%ff", "size=" + "9" * 5000):
        browser.cookies["console_preferences"] = text
        page = browser.get("/settings/").content.decode()
        assert 'data-times="relative"' in page and 'value="50" selected' in page


def test_scripts_are_answered_in_json(browser: Client) -> None:
    answer: Any = browser.post("/settings/", {"theme": "dark"}, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()) == (200, {"errors": {}})
    assert 'data-theme="dark"' in browser.get("/settings/").content.decode()
