"""Links, banners and YAML samples that an administrator adds."""

import re
from typing import Any

import pytest
from django.test import Client

from console.web import navigation
from console.web.clusters import console_client
from tests.eventually import until

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("cluster_kubeconfig", "redis_server")]
TEXT = """
apiVersion: console.openshift.io/v1
kind: ConsoleNotification
metadata: {name: window}
spec:
  text: Maintenance on <b>Sunday</b>
  location: BannerTopBottom
  link: {href: "https://status.example.com/", text: Status page}
---
apiVersion: console.openshift.io/v1
kind: ConsoleLink
metadata: {name: wiki}
spec: {href: "https://wiki.example.com/", text: Our wiki, location: ApplicationMenu, applicationMenu: {section: Team}}
---
apiVersion: console.openshift.io/v1
kind: ConsoleLink
metadata: {name: account}
spec: {href: "https://account.example.com/", text: My account, location: UserMenu}
---
apiVersion: console.openshift.io/v1
kind: ConsoleLink
metadata: {name: script}
spec: {href: "javascript:alert(1)", text: Trap, location: HelpMenu}
---
apiVersion: console.openshift.io/v1
kind: ConsoleYAMLSample
metadata: {name: colours}
spec:
  title: Two colours
  description: As the design team wants them
  targetResource: {apiVersion: v1, kind: ConfigMap}
  yaml: "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: colours}\\ndata: {first: red}\\n"
---
apiVersion: console.openshift.io/v1
kind: ConsoleCLIDownload
metadata: {name: shopctl}
spec:
  displayName: shopctl <b>
  description: "Manages **shops**. <script>alert(1)</script>[Trap](javascript:alert(2))"
  links:
  - {href: "https://downloads.example.com/shopctl", text: For Linux}
  - {href: "https://downloads.example.com/shopctl.exe"}
  - {href: "javascript:alert(3)", text: Trap}
"""


@pytest.fixture(autouse=True)
def _anew() -> None:
    navigation.forget_navigation()


def test_a_page_has_the_banner_and_the_links(settings: Any) -> None:
    settings.ADDITIONS = TEXT
    page = Client().get("/settings/").content.decode()
    assert page.count("data-administrator-banner") == 2, "above and below"
    assert "Maintenance on &lt;b&gt;Sunday&lt;/b&gt;" in page and 'href="https://status.example.com/"' in page
    menu = page.partition('id="links-menu"')[2].partition("</details>")[0]
    assert "Team" in menu and 'href="https://wiki.example.com/"' in menu
    user = page.partition('id="user-menu"')[2].partition("</details>")[0]
    assert 'href="https://account.example.com/"' in user
    assert "javascript:" not in page and "Trap" not in page


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("{}", True),
        ("{namespaces: [default, shop]}", True),
        ("{namespaces: [shop]}", False),
        ("{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}}", True),
        ("{namespaceSelector: {matchLabels: {team: blue}}}", False),
        ("{namespaces: [default], namespaceSelector: {matchLabels: {team: blue}}}", True),
        ("{namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}}", True),
        ("{namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [blue]}]}}", False),
        ("{namespaceSelector: {matchExpressions: [{key: team, operator: Sounds}]}}", False),
    ],
)
def test_a_namespaces_page_has_its_links(settings: Any, where: str, shown: bool) -> None:
    settings.ADDITIONS = f"""
kind: ConsoleLink
spec: {{href: "https://costs.example.com/", text: Costs, location: NamespaceDashboard, namespaceDashboard: {where}}}
"""
    page = Client().get("/resources/core/v1/namespaces/-/default/").content.decode()
    assert ('href="https://costs.example.com/"' in page) == shown
    assert "https://costs.example.com/" not in Client().get("/settings/").content.decode()


def test_command_line_tools_are_listed_with_their_safe_links(settings: Any) -> None:
    settings.ADDITIONS = TEXT
    page = Client().get("/command-line-tools/").content.decode()
    main = page.partition("<main")[2]
    assert "shopctl &lt;b&gt;" in main and "<strong>shops</strong>" in main
    assert 'href="https://downloads.example.com/shopctl"' in main
    assert re.search(r'href="https://downloads.example.com/shopctl.exe"[^>]*>\s*\S', main), "a link has words"
    assert '="javascript:' not in main and "alert(1)" not in main and "alert(3)" not in main
    help_menu = Client().get("/settings/").content.decode().partition('id="help-menu"')[2].partition("</details>")[0]
    assert 'href="/command-line-tools/"' in help_menu


def test_kubectl_is_always_offered_with_the_version_to_match() -> None:
    main = Client().get("/command-line-tools/").content.decode().partition("<main")[2]
    assert 'href="https://kubernetes.io/docs/tasks/tools/#kubectl"' in main
    assert console_client().version()["gitVersion"] in main


def test_a_page_without_additions_has_none() -> None:
    page = Client().get("/settings/").content.decode()
    assert "data-administrator-banner" not in page and "links-menu" not in page


def test_a_sample_is_offered_for_its_type_alone(settings: Any) -> None:
    settings.ADDITIONS = TEXT
    client = console_client()
    maps, secrets = client.find("", "v1", "configmaps"), client.find("", "v1", "secrets")
    (sample,) = navigation.samples(client, maps)
    assert (sample.title, sample.object["data"]) == ("Two colours", {"first": "red"})
    assert navigation.samples(client, secrets) == ()
    page = Client().get("/resources/core/v1/configmaps/new-yaml/?namespace=default").content.decode()
    assert "Two colours" in page


@pytest.mark.parametrize(
    "text", ["[", "a: &a [*a]", "kind: ConsoleLink\nspec: 7", "- 1\n--- \nkind: ConsoleNotification\nspec: {text: {}}"]
)
def test_what_makes_no_sense_is_left_out(settings: Any, text: str) -> None:
    settings.ADDITIONS, client = text, console_client()
    assert navigation.added_links(client) == () and navigation.banners(client) == ()
    assert Client().get("/settings/").status_code == 200


def test_those_of_the_cluster_are_shown() -> None:
    """As OpenShift has them."""
    client = console_client()
    definitions = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    names = {"plural": "consolelinks", "singular": "consolelink", "kind": "ConsoleLink", "listKind": "ConsoleLinkList"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    client.create(
        definitions,
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "consolelinks.console.openshift.io"},
            "spec": {"group": navigation.ADDITIONS_GROUP, "scope": "Cluster", "names": names, "versions": [version]},
        },
    )
    try:
        spec = {"href": "https://grafana.example.com/", "text": "Dashboards", "location": "HelpMenu"}

        def made() -> Any:
            client.forget_types()
            return client.create(
                client.find(navigation.ADDITIONS_GROUP, "v1", "consolelinks"),
                {
                    "apiVersion": f"{navigation.ADDITIONS_GROUP}/v1",
                    "kind": "ConsoleLink",
                    "metadata": {"name": "grafana"},
                    "spec": spec,
                },
            )

        until(made, "the type is served", not_yet=(Exception,))
        navigation.forget_navigation()
        assert [link.text for link in navigation.added_links(client)] == ["Dashboards"]
    finally:
        client.delete(definitions, "consolelinks.console.openshift.io")
