"""Form and YAML in a real browser: the editor with the cluster's schema, the switch, the review, clashes of two
tabs, copies, imports.
"""

import contextlib
import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.e2e.conftest import Site
from tests.eventually import until

pytestmark = pytest.mark.page_only

DEPLOYMENT = """# by hand
apiVersion: apps/v1
kind: Deployment
metadata:
  name: "web"   # its name
spec:
  replicas: 0
  selector:
    matchLabels: {{app: web}}
  template:
    metadata:
      labels: {{app: web}}
    spec:
      containers:
      - name: web
        image: "example/web:1" # the image
"""


PASTE = """(content, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    name = f"yaml-{uuid4().hex[:6]}"
    type_ = client.find("", "v1", "namespaces")
    client.create(type_, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    with contextlib.suppress(NotFound):
        client.delete(type_, name)


@pytest.fixture
def config_map(client: ClusterClient, namespace: str) -> str:
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "paint"},
        "data": {"colour": "blue", "size": "small"},
    }
    client.create(client.find("", "v1", "configmaps"), obj, namespace)
    return f"/resources/core/v1/configmaps/{namespace}/paint/"


def editor(page: Page) -> str:
    """What stands in the editor, which is ready."""
    expect(page.locator("[data-editor-frame][data-ready]")).to_be_visible()
    return str(page.locator("#yaml-text").input_value())


def put(page: Page, text: str) -> None:
    """Replaces the whole text, like a user who selects everything and pastes."""
    editor(page)
    # Focus without a click: on a busy machine the editor gets a click's cursor position later, after Ctrl+A.
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("#yaml-text")).to_have_value("")
    page.locator(".cm-content").evaluate(PASTE, text)
    expect(page.locator("#yaml-text")).to_have_value(text)


def choices(page: Page) -> list[str]:
    page.keyboard.press("Control+Space")
    found = page.locator(".cm-tooltip-autocomplete li .cm-completionLabel")
    expect(found.first).to_be_visible()
    return found.all_inner_texts()


@pytest.mark.journey
def test_the_editor_completes_documents_and_checks(site: Site, page: Page, namespace: str) -> None:
    page.goto(f"{site.url}/resources/apps/v1/deployments/new-yaml/?namespace={namespace}&view=yaml")
    put(page, "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n")
    # On an empty indented line: what is required comes first, with what it must have below it.
    page.keyboard.press("Control+End")
    page.keyboard.type("  ")
    assert choices(page)[:2] == ["selector", "template"]
    page.keyboard.press("Escape")
    page.keyboard.type("strategy:")
    page.keyboard.press("Enter")
    page.keyboard.type("ty")
    page.locator(".cm-tooltip-autocomplete li", has_text="type").click()
    # Its values are offered at once.
    page.locator(".cm-tooltip-autocomplete li", has_text="RollingUpdate").click()
    expect(page.locator("#yaml-text")).to_have_value(re.compile(r"  strategy:\n    type: RollingUpdate\s*$"))
    # Unknown fields, wrong types and what is missing are marked.
    put(page, DEPLOYMENT.replace("{{", "{").replace("}}", "}").replace("replicas: 0", "replicas: many\n  replica: 1"))
    state = page.locator("[data-editor-state]")
    expect(state).to_have_text("Errors: 2")
    expect(page.locator(".cm-lint-marker-error")).to_have_count(2)
    page.locator(".cm-lintRange-error").first.hover()
    expect(page.locator(".cm-tooltip-lint")).to_contain_text("must be integer")
    # What a field means.
    page.mouse.move(0, 0)
    page.locator(".cm-line", has_text="selector:").locator("span", has_text="selector").first.hover()
    about = page.locator(".console-editor-about")
    expect(about).to_contain_text("spec.selector")
    expect(about).to_contain_text("required")
    expect(about).to_contain_text("Label selector for pods")
    page.mouse.move(0, 0)
    expect(about).to_have_count(0)
    page.locator(".cm-line", has_text="image:").click()
    page.keyboard.press("Control+i")
    expect(about).to_contain_text("spec.template.spec.containers[0].image")
    # Broken YAML is marked where it breaks.
    put(page, "apiVersion: apps/v1\nkind: Deployment\nspec: {a: [1\n")
    expect(page.locator(".cm-lint-marker-error").first).to_be_visible()
    # Folding and search.
    put(page, DEPLOYMENT.replace("{{", "{").replace("}}", "}"))
    expect(state).to_have_text("No errors")
    page.get_by_title("Fold line", exact=True).first.click()
    expect(page.locator(".cm-foldPlaceholder")).to_have_count(1)
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".cm-search")).to_be_visible()


@pytest.mark.journey
def test_comments_survive_the_way_through_the_form(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    page.goto(f"{site.url}/resources/apps/v1/deployments/new/?namespace={namespace}")
    page.get_by_role("button", name="YAML view").click()
    text = (
        DEPLOYMENT.replace("{{", "{")
        .replace("}}", "}")
        .replace('"web"   # its name', f'"web"   # its name\n  namespace: {namespace}')
    )
    put(page, text)
    page.get_by_role("button", name="Form view").click()
    expect(page.get_by_label(re.compile(r"^\s*Name\b")).first).to_have_value("web")
    page.locator("[name='i:/spec/replicas']").fill("2")
    page.get_by_role("button", name="YAML view").click()
    assert editor(page) == text.replace("replicas: 0", "replicas: 2")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", name="Object to create")).to_be_visible()
    expect(page.locator(".console-diff-auto").first).to_be_visible()
    page.get_by_role("button", name="Back").click()
    assert editor(page) == text.replace("replicas: 0", "replicas: 2")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(re.compile(f"/{namespace}/web/$"))
    assert client.get(client.find("apps", "v1", "deployments"), "web", namespace)["spec"]["replicas"] == 2
    # The view used last comes first.
    page.goto(f"{site.url}/resources/apps/v1/deployments/new/?namespace={namespace}")
    expect(page).to_have_url(re.compile("/new-yaml/"))


def test_a_text_that_can_not_be_read_keeps_the_person_there(site: Site, page: Page, namespace: str) -> None:
    page.goto(f"{site.url}/resources/core/v1/configmaps/new/?namespace={namespace}")
    page.get_by_label(re.compile(r"^\s*Name\b")).first.fill("kept")
    page.get_by_role("button", name="YAML view").click()
    broken = f"{editor(page)}data:\n  a: [1\n"
    put(page, broken)
    page.get_by_role("button", name="Form view").click()
    expect(page.get_by_role("alert")).to_contain_text(re.compile(r"Line \d+, column \d+"))
    assert editor(page) == broken
    expect(page.locator(".cm-lint-marker-error").first).to_be_visible()
    page.get_by_role("button", name="Discard changes and open form").click()
    expect(page.get_by_label(re.compile(r"^\s*Name\b")).first).to_have_value("kept")


def test_two_tabs_change_one_field(
    site: Site, page: Page, client: ClusterClient, namespace: str, config_map: str
) -> None:
    page.goto(f"{site.url}{config_map}edit/")
    other = page.context.new_page()
    other.goto(f"{site.url}{config_map}yaml/")
    put(other, editor(other).replace("blue", "theirs").replace("small", "theirs"))
    other.get_by_role("button", name="Save", exact=True).click()
    expect(other).to_have_url(re.compile("/paint/$"))
    page.locator("[name='s:/data/@0']").fill("mine")
    page.locator("[name='s:/data/@1']").fill("mine")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("alert")).to_contain_text("Another user changed the same fields")
    colour = page.get_by_role("group", name="data.colour")
    expect(colour).to_contain_text("blue")
    # No default: without a choice the user is asked again.
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved. Choose")
    colour.get_by_label("My value").check()
    page.get_by_role("group", name="data.size").get_by_label("Current cluster value").check()
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator(".console-diff ins")).to_have_text("  colour: mine")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_url(re.compile("/paint/$"))
    found = client.get(client.find("", "v1", "configmaps"), "paint", namespace)["data"]
    assert found == {"colour": "mine", "size": "theirs"}


@pytest.mark.parametrize("view", ["edit", "yaml"])
def test_a_change_made_in_another_tab_is_told_at_once(
    site: Site, page: Page, client: ClusterClient, namespace: str, config_map: str, view: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page.goto(f"{site.url}{config_map}{view}/?view={'form' if view == 'edit' else 'yaml'}")
    field = page.locator("[name='s:/data/@0']" if view == "edit" else ".cm-content")
    if view == "edit":
        field.fill("mine")
    else:
        put(page, editor(page).replace("blue", "mine"))
    before = field.bounding_box()
    other = page.context.new_page()
    other.goto(f"{site.url}{config_map}yaml/")
    put(other, editor(other).replace("small", "theirs"))
    other.get_by_role("button", name="Save", exact=True).click()
    expect(other).to_have_url(re.compile("/paint/$"))
    notice = page.locator("#changed")
    expect(notice).to_contain_text("ConfigMap “paint” changed in the cluster since you opened it")
    expect(notice).to_be_in_viewport()
    # Nothing moves below the pointer.
    assert field.bounding_box() == before
    notice.get_by_role("button", name="Show changes").click()
    expect(page.locator(".console-diff ins")).to_have_text("  size: theirs")
    page.get_by_role("button", name="Back").click()
    page.locator("#changed").get_by_role("button", name="Merge into draft").click()
    expect(page.get_by_text("The changes from the cluster were merged into your draft")).to_be_visible()
    expect(page.locator("#changed")).to_be_empty()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_url(re.compile("/paint/$"))
    assert client.get(maps, "paint", namespace)["data"] == {"colour": "mine", "size": "theirs"}


def test_reloading_a_changed_object_keeps_the_draft(
    site: Site, page: Page, client: ClusterClient, namespace: str, config_map: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{site.url}{config_map}yaml/")
    put(page, editor(page).replace("blue", "mine"))
    until(lambda: page.evaluate("Object.keys(sessionStorage).some((key) => key.startsWith('draft:'))"))
    client.patch(maps, "paint", {"data": {"size": "theirs"}}, namespace)
    page.locator("#changed").get_by_role("link", name="Reload").click()
    expect(page.locator("#yaml-text")).to_have_value(re.compile("colour: blue\n *size: theirs"))
    page.get_by_role("button", name="Restore what you typed").click()
    expect(page.locator("#yaml-text")).to_have_value(re.compile("colour: mine"))
    # What was typed before the change takes nothing back.
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_url(re.compile("/paint/$"))
    assert client.get(maps, "paint", namespace)["data"] == {"colour": "mine", "size": "theirs"}


def test_a_deletion_in_another_tab_is_told_at_once(
    site: Site, page: Page, client: ClusterClient, namespace: str, config_map: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    page.goto(f"{site.url}{config_map}yaml/")
    put(page, editor(page).replace("blue", "mine"))
    client.delete(maps, "paint", namespace)
    notice = page.locator("#changed")
    expect(notice).to_contain_text("ConfigMap “paint” has been deleted in the meantime")
    notice.get_by_role("button", name="Create again from what you typed").click()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(re.compile("/paint/$"))
    assert client.get(maps, "paint", namespace)["data"]["colour"] == "mine"


def test_a_copy_of_an_object(site: Site, page: Page, client: ClusterClient, namespace: str, config_map: str) -> None:
    page.goto(f"{site.url}{config_map}")
    page.locator("#actions summary").click()
    page.get_by_role("link", name="Duplicate").click()
    expect(page.get_by_label(re.compile(r"^\s*Name\b")).first).to_have_value("paint-copy")
    page.get_by_label(re.compile(r"^\s*Name\b")).first.fill("second")
    # Another start asks first.
    page.get_by_label("Start from").select_option("empty")
    page.get_by_role("button", name="Start from this").click()
    expect(page.get_by_role("alert")).to_contain_text("What you typed would be replaced")
    page.get_by_role("button", name="Keep what I typed").click()
    expect(page.locator("#start-asks")).to_have_count(0)
    expect(page.get_by_label(re.compile(r"^\s*Name\b")).first).to_have_value("second")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(re.compile("/second/$"))
    assert client.get(client.find("", "v1", "configmaps"), "second", namespace)["data"] == {
        "colour": "blue",
        "size": "small",
    }


@pytest.mark.journey
def test_what_was_typed_is_offered_again(site: Site, page: Page, namespace: str) -> None:
    address = f"{site.url}/resources/core/v1/configmaps/new/?namespace={namespace}"
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(address)
    page.get_by_label(re.compile(r"^\s*Name\b")).first.fill("lost")
    is_draft_stored = (
        "() => Object.entries(sessionStorage).some(([key, text]) => key.startsWith('draft:') && text.includes('lost'))"
    )
    until(lambda: bool(page.evaluate(is_draft_stored)))
    page.goto(site.url)
    page.goto(address)
    page.get_by_role("button", name="Restore what you typed").click()
    expect(page.get_by_label(re.compile(r"^\s*Name\b")).first).to_have_value("lost")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(re.compile("/lost/$"))
    page.goto(address)
    expect(page.get_by_label(re.compile(r"^\s*Name\b")).first).to_have_value("")
    expect(page.get_by_role("button", name="Restore what you typed")).to_have_count(0)


def test_a_token_that_is_too_old_does_not_stop_the_form(site: Site, page: Page, namespace: str) -> None:
    page.goto(f"{site.url}/resources/core/v1/configmaps/new/?namespace={namespace}")
    page.get_by_label(re.compile(r"^\s*Name\b")).first.fill("late")
    page.context.clear_cookies()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(re.compile("/late/$"))


def test_many_objects_are_imported(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    page.goto(f"{site.url}/resources/import/?namespace={namespace}")
    expect(page.get_by_label("Namespace for objects without one in the manifest")).to_have_value(namespace)
    good = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
    put(
        page,
        f"{good}---\n{good.replace('one', 'Not_Good')}---\napiVersion: v1\nkind: Secret\nmetadata:\n  name:"
        " three\nstringData:\n  a: b\n",
    )
    page.get_by_role("button", name="Check (dry run)").click()
    results = page.get_by_label("Result")
    expect(results.locator("tbody tr")).to_have_count(3)
    expect(page.get_by_role("status").filter(has_text="would be refused")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(results.locator("tbody tr").nth(1)).to_contain_text("metadata.name")
    expect(results.get_by_role("link", name="one", exact=True)).to_be_visible()
    put(page, editor(page).replace("Not_Good", "two"))
    page.get_by_role("button", name="Retry failed objects").click()
    expect(results.locator("tbody tr").nth(1)).to_contain_text("created")
    maps = client.find("", "v1", "configmaps")
    assert {"one", "two"} <= {obj["metadata"]["name"] for obj in client.list(maps, namespace).items}


@pytest.mark.journey
def test_files_are_dropped_on_the_editor_and_taken_back(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    page.goto(f"{site.url}/resources/import/?namespace={namespace}")
    editor(page)
    page.locator("[data-drop]").evaluate("""(form) => {
          const data = new DataTransfer();
          for (const name of ["one", "two"]) {
            const text = `apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: ${name}}\\n`;
            data.items.add(new File([text], `${name}.yaml`, { type: "application/yaml" }));
          }
          const place = form.querySelector(".cm-content") ?? form;
          place.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
        }""")
    expect(page.locator(".cm-content")).to_contain_text("# two.yaml")
    page.get_by_role("button", name="Import", exact=True).click()
    results = page.locator("#results")
    expect(results.get_by_role("link", name="two", exact=True)).to_be_visible()
    page.get_by_role("button", name="Undo all changes").click()
    expect(results).to_contain_text("All changes were undone.")
    maps = client.find("", "v1", "configmaps")
    assert not {"one", "two"} & {obj["metadata"]["name"] for obj in client.list(maps, namespace).items}


def test_what_is_too_large_to_arrive_is_not_sent(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/import/")
    editor(page)
    page.locator("#yaml-text").evaluate("(area) => { area.value = 'a'.repeat(17 * 1024 * 1024); }")
    page.get_by_role("button", name="Check (dry run)").click()
    expect(page.get_by_role("alert")).to_contain_text("Your input is too large")
    assert page.locator("#yaml-text").evaluate("(area) => area.value.length") == 17 * 1024 * 1024
