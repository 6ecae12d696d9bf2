"""Form and YAML are two views of one state: nothing is lost on the way, either way."""

import json
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.resources.views.form_submission import controls, element, send, text_of

MAPS = "/resources/core/v1/configmaps/"
SWITCH = ("~switch", "1")
TEXT = """# made by hand
apiVersion: v1
kind: ConfigMap
metadata:
  name: "paint"   # quoted
  namespace: {namespace}
data:
  # the colour
  colour: 'blue'
  on: "yes"
immutable: off
"""


def to_yaml(browser: Client, page: Any, **changed: str) -> Any:
    return send(browser, page, SWITCH, to=page.wsgi_request.get_full_path().replace("/new/", "/new-yaml/"), **changed)


def to_form(browser: Client, page: Any, **changed: str) -> Any:
    return send(browser, page, SWITCH, to=page.wsgi_request.get_full_path().replace("/new-yaml/", "/new/"), **changed)


@pytest.fixture
def new(browser: Client, namespace: str) -> Any:
    return browser.get(f"{MAPS}new/?namespace={namespace}")


def test_what_is_typed_in_the_form_is_in_the_text(browser: Client, new: Any) -> None:
    page = to_yaml(browser, new, metadata__name="typed")
    assert page.status_code == 200
    assert "name: typed" in text_of(page)


def test_comments_order_and_quotes_survive_the_way_through_the_form(browser: Client, namespace: str, new: Any) -> None:
    text = TEXT.replace("{namespace}", namespace)
    form = to_form(browser, to_yaml(browser, new), text=text)
    assert ("s:/metadata/name", "paint") in controls(form)
    assert ("b:/immutable", "false") in controls(form)
    assert text_of(to_yaml(browser, form)) == text
    changed = text_of(to_yaml(browser, form, **{"data__@0": "red"}))
    assert changed == text.replace("'blue'", "'red'")


def test_a_text_that_can_not_be_read_stays_with_line_and_column(browser: Client, new: Any) -> None:
    yaml = to_yaml(browser, new, metadata__name="kept")
    broken = text_of(yaml) + "data:\n  a: [1\n"
    page = to_form(browser, yaml, text=broken)
    assert page.status_code == 422
    assert text_of(page) == broken
    assert "Line 8, column 1" in page.content.decode()
    area = element(page, "yaml-text")
    assert area is not None
    assert json.loads(area.attributes["data-marks"])[0][:2] == [8, 1]
    # Only on demand is it given up, for what it said when it was read last.
    form = send(browser, page, ("~switch", "discard"), to=page.wsgi_request.get_full_path())
    assert ("s:/metadata/name", "kept") in controls(form)


def test_a_control_that_can_not_be_read_keeps_the_person_at_the_form(browser: Client, namespace: str) -> None:
    url = f"/resources/apps/v1/deployments/new/?namespace={namespace}"
    page = to_yaml(browser, browser.get(url), spec__replicas="many")
    assert page.status_code == 422
    assert ("i:/spec/replicas", "many") in controls(page)
    form = element(page, "form")
    assert form is not None
    assert form.attributes["action"] == url


def test_a_form_that_was_drawn_from_a_text_is_saved_and_refused_like_any(
    browser: Client, client: ClusterClient, namespace: str, new: Any
) -> None:
    form = to_form(browser, to_yaml(browser, new), text=TEXT.replace("{namespace}", namespace))
    refused = send(browser, form, metadata__name="Not Good")
    assert refused.status_code == 422
    assert "# the colour" in dict(controls(refused))["~document"]
    assert send(browser, refused, metadata__name="good").status_code == 303
    made = client.get(client.find("", "v1", "configmaps"), "good", namespace)
    assert made["data"] == {"colour": "blue", "true": "yes"}


def test_an_existing_object_goes_both_ways_and_is_merged(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    url = f"{MAPS}{namespace}/{config_map}/"
    yaml = send(browser, browser.get(f"{url}edit/"), SWITCH, to=f"{url}yaml/", **{"data__@0": "red"})
    text = text_of(yaml).replace("colour: red", "colour: red # mine")
    assert "# mine" in text
    form = send(browser, yaml, SWITCH, to=f"{url}edit/", text=text)
    client.patch(client.find("", "v1", "configmaps"), config_map, {"data": {"size": "big"}}, namespace)
    assert send(browser, form).status_code == 303
    assert client.get(client.find("", "v1", "configmaps"), config_map, namespace)["data"] == {
        "colour": "red",
        "size": "big",
    }


def test_the_view_that_was_chosen_last_comes_first(browser: Client, namespace: str, new: Any) -> None:
    to_yaml(browser, new)
    again = browser.get(f"{MAPS}new/?namespace={namespace}")
    assert again.status_code == 302
    assert again["Location"].startswith(f"{MAPS}new-yaml/?namespace={namespace}")
    assert browser.get(f"{MAPS}new/?namespace={namespace}&view=form").status_code == 200
    to_form(browser, browser.get(again["Location"]))
    assert browser.get(f"{MAPS}new/?namespace={namespace}").status_code == 200


def test_the_same_stands_in_both_views_whichever_is_opened_first(browser: Client, namespace: str, new: Any) -> None:
    first = text_of(browser.get(f"{MAPS}new-yaml/?namespace={namespace}&view=yaml"))
    assert text_of(to_yaml(browser, new)) == first
