"""What the API server warns of stands on the page that follows, in htmx's answer, or in the header of an API answer."""

import contextlib
import json
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.resources.views.form_submission import element, send

TOLD = "v1alpha1 of gauges is old; use v1"


@pytest.fixture
def group(client: ClusterClient) -> Iterator[str]:
    """A group with the kind Gauge, whose version v1alpha1 is deprecated."""
    group = f"g{uuid4().hex[:8]}.example.com"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    old = {"name": "v1alpha1", "served": True, "storage": False, "schema": schema, "deprecated": True}
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"gauges.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "gauges", "singular": "gauge", "kind": "Gauge", "listKind": "GaugeList"},
            "versions": [
                old | {"deprecationWarning": TOLD},
                {"name": "v1", "served": True, "storage": True, "schema": schema},
            ],
        },
    }
    client.create(crds, crd)
    for _ in range(200):
        client.forget_types()
        with contextlib.suppress(NotFound):
            client.list(client.find(group, "v1alpha1", "gauges"))
            break
    yield group
    with contextlib.suppress(NotFound):
        client.delete(crds, f"gauges.{group}")


def gauge(group: str, namespace: str) -> dict[str, object]:
    meta = {"name": "one", "namespace": namespace}
    return {"apiVersion": f"{group}/v1alpha1", "kind": "Gauge", "metadata": meta}


def test_on_the_page_that_is_the_answer(browser: Client, group: str, namespace: str) -> None:
    page = browser.get(f"/resources/import/?namespace={namespace}")
    assert TOLD not in page.content.decode()
    answer = send(browser, page, ("~send", "1"), text=json.dumps(gauge(group, namespace)))
    assert TOLD in answer.content.decode()


def test_on_the_page_after_it(browser: Client, group: str, namespace: str) -> None:
    page = browser.get(f"/resources/{group}/v1alpha1/gauges/new-yaml/?namespace={namespace}")
    answer = send(browser, page, text=json.dumps(gauge(group, namespace)))
    assert answer.status_code == 303
    region, later = (element(browser.get(answer["Location"]), "warnings") for _ in range(2))
    assert region and TOLD in region.words
    assert later is None or TOLD not in later.words


@pytest.mark.parametrize("htmx", [False, True])
def test_f14_a_created_object_s_page_says_it_above_its_content(
    browser: Client, group: str, namespace: str, htmx: bool
) -> None:
    """F14: by htmx, which goes to the next page itself, too; and once only, in no message that covers the title."""
    page = browser.get(f"/resources/{group}/v1alpha1/gauges/new/?namespace={namespace}")
    headers = {"HX-Request": "true"} if htmx else {}
    answer = send(browser, page, **{"s:/metadata/name": "one"}, headers=headers)
    next_page = browser.get(answer["HX-Redirect"] if htmx else answer["Location"])
    region, toasts = element(next_page, "warnings"), element(next_page, "toasts")
    assert region and toasts
    assert TOLD in region.words and TOLD not in toasts.words
    # The version's own deprecation stands on the page as long as the object is shown in it.
    later = element(browser.get(next_page.request["PATH_INFO"]), "warnings")
    assert later is None or TOLD not in later.words


def test_f14_a_review_hands_it_to_the_page_that_stays(browser: Client, group: str, namespace: str) -> None:
    page = browser.get(f"/resources/{group}/v1alpha1/gauges/new/?namespace={namespace}")
    headers = {"HX-Request": "true"}
    answer = send(browser, page, ("~review", "1"), **{"s:/metadata/name": "one"}, headers=headers)
    assert json.loads(answer["HX-Trigger"]) == {"console:warnings": {"texts": [TOLD]}}


def test_in_the_header_of_an_api_answer(browser: Client, group: str, namespace: str) -> None:
    body = gauge(group, namespace)
    made = browser.post(f"/api/resources/{group}/v1alpha1/gauges/", body, content_type="application/json")
    assert made.status_code == 201
    assert made["Warning"] == f'299 - "{TOLD}"'
