"""A kind in several versions: which is chosen, and where a deprecated one is marked."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from resources import yamltext
from tests.resources.views.definitions import served, widget
from tests.resources.views.form_submission import send

OLD = "widgets v1beta1 is old"


@pytest.mark.parametrize(
    "page", ["", "new/", "new-yaml/", "{namespace}/w/", "{namespace}/w/edit/", "{namespace}/w/yaml/"]
)
def test_a_deprecated_version_is_said_wherever_it_is_used(
    browser: Client, client: ClusterClient, crd: dict[str, Any], namespace: str, page: str
) -> None:
    """H1: list, form, YAML, object page; not in the version to use."""
    client.create(served(client, crd), widget(crd, "w"), namespace)
    group = crd["spec"]["group"]
    path = page.format(namespace=namespace)
    old = browser.get(f"/resources/{group}/v1beta1/widgets/{path}?namespace={namespace}")
    new = browser.get(f"/resources/{group}/v1/widgets/{path}?namespace={namespace}")
    assert (old.status_code, new.status_code) == (200, 200)
    assert 'id="deprecated-version"' in old.content.decode()
    assert OLD in old.content.decode()
    assert 'id="deprecated-version"' not in new.content.decode()


def test_what_the_api_server_warned_of_stands_once(
    browser: Client, client: ClusterClient, crd: dict[str, Any], namespace: str
) -> None:
    """H1: the author's sentence came as the warning of the creation and as the page's own note."""
    address = f"/resources/{crd['spec']['group']}/v1beta1/widgets/"
    text = yamltext.dump(widget(crd, "w", namespace=namespace) | {"apiVersion": f"{crd['spec']['group']}/v1beta1"})
    answer = send(browser, browser.get(f"{address}new-yaml/?namespace={namespace}"), ("~save", "1"), text=text)
    assert answer.status_code == 303
    made, again = (browser.get(url).content.decode() for url in (answer["Location"], f"{address}{namespace}/w/"))
    for page in (made, again):
        assert 'id="deprecated-version"' in page
        assert page.count(OLD) == 1


def test_the_version_of_a_new_object_can_be_chosen(browser: Client, crd: dict[str, Any], namespace: str) -> None:
    """H1: the version to use first, the deprecated one marked."""
    group = crd["spec"]["group"]
    page = browser.get(f"/resources/{group}/v1beta1/widgets/new/?namespace={namespace}&view=form")
    first, second = page.context["form"].shell.versions
    assert (first.name, first.current, first.deprecation) == ("v1", False, "")
    assert (second.name, second.current, second.deprecation) == ("v1beta1", True, OLD)
    chosen = browser.get(first.url)
    assert chosen.context["form"].place.type.version == "v1"
    assert chosen.context["form"].place.namespace == namespace


def test_the_api_warns_of_a_deprecated_version(
    browser: Client, client: ClusterClient, crd: dict[str, Any], namespace: str
) -> None:
    """H1: in the API server's own header and words; an author's are not put into a header."""
    client.create(served(client, crd), widget(crd, "w"), namespace)
    root = f"/api/resources/{crd['spec']['group']}"
    for path in ("widgets/", f"widgets/{namespace}/w/"):
        assert browser.get(f"{root}/v1beta1/{path}")["Warning"].endswith('/v1beta1 Widget is deprecated"')
        assert "Warning" not in browser.get(f"{root}/v1/{path}")
