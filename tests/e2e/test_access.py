"""A colleague gets access: how many clicks that takes, and that the command beside the form says the same."""

from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site

KINDS = ()
# The namespace picked: Access in the navigation, Who has access, Give access, the role, Give access.
MAX_CLICKS = 5


def test_a_colleague_gets_access(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    clicks = 0

    def click(role: str, name: str) -> None:
        nonlocal clicks
        page.get_by_role(role, name=name, exact=True).click()  # type: ignore[arg-type]
        clicks += 1

    spaces = client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    page.goto(f"{site.url}/?namespace={namespace}")
    page.locator('[data-nav-group="access"] > summary').click()
    clicks += 1
    click("link", "Who has access")
    click("link", "Grant access")
    # The field has the focus without a click.
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_be_focused()
    page.keyboard.type("jane.kim")
    page.get_by_role("radio", name="Edit").check()
    clicks += 1
    command = f"kubectl create rolebinding jane.kim-edit --clusterrole=edit --user=jane.kim -n {namespace}"
    expect(page.locator("[data-follows] [data-copy]")).to_have_attribute("data-copy", command)
    expect(page.get_by_label("Namespace of the service account")).to_be_hidden()
    click("button", "Grant access")
    expect(page.locator("tr", has_text="jane.kim").locator('[data-level="edit"]')).to_have_attribute(
        "data-mark", "granted"
    )
    assert clicks <= MAX_CLICKS
    found = client.get(client.find("rbac.authorization.k8s.io", "v1", "rolebindings"), "jane.kim-edit", namespace)
    assert found["roleRef"]["name"] == "edit"
