"""Every widget of a form in a real browser: what a person does with it is what is saved, and nothing else."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.discovery import ResourceType
from tests.chromium import Contexts
from tests.e2e import gallery
from tests.e2e.accessibility import source
from tests.e2e.conftest import Site

pytestmark = pytest.mark.timeout(300)
# The API server's defaults.
BYTES = base64.b64encode(bytes(range(256))).decode()
DEFAULTS = {"greeting": "hello", "verbose": True, "level": "medium"}


@pytest.fixture(scope="module")
def place(client: ClusterClient) -> Iterator[tuple[ResourceType, str]]:
    with gallery.served(client) as found:
        yield found


def saved(page: Page, name: str) -> None:
    expect(page).to_have_url(re.compile(rf"/{name}/$"))


@pytest.mark.journey
def test_every_scalar(site: Site, page: Page, client: ClusterClient, place: tuple[ResourceType, str]) -> None:
    type_, namespace = place
    form = gallery.new(site, page, namespace, "scalars")
    form.fill("/spec/title", "all-scalars")
    form.advanced()
    form.fill("/spec/story", "One.\n\nTwo.")
    menu = form.box("/spec/nickname").locator(".console-options")
    menu.locator("summary").click()
    menu.get_by_label("If empty").select_option("null")
    page.keyboard.press("Escape")
    expect(form.control("/spec/nickname")).to_have_attribute("placeholder", "null")
    form.choose("/spec/enabled", "false")
    form.choose("/spec/level", "high")
    form.control("/spec/flavour").select_option("cherry")
    form.choose("/spec/digit", "2")
    form.fill("/spec/count", "7")
    form.fill("/spec/big", "9007199254740993")
    form.fill("/spec/ratio", "0.25")
    form.fill("/spec/port", "8080")
    for _ in range(3):
        form.box("/spec/replicas").get_by_role("button", name="Increase").click()
    form.box("/spec/replicas").get_by_role("button", name="Decrease").click()
    form.fill("/spec/targetPort", "http")
    form.fill("/spec/storage", "2Gi")
    form.fill("/spec/timeout", "1h30m")
    form.fill("/spec/startAt", "2030-01-31T12:00:00.5+09:00")
    form.box("/spec/certificate").locator("input[type=file]").set_input_files(
        {"name": "a.bin", "mimeType": "application/octet-stream", "buffer": bytes(range(256))}
    )
    expect(form.control("/spec/certificate")).to_have_value(BYTES)
    password = form.control("/spec/password")
    password.fill("hush")
    expect(password).to_have_attribute("type", "password")
    form.box("/spec/password").get_by_role("button", name="Show").click()
    expect(password).to_have_attribute("type", "text")
    form.fill("/spec/image", "registry.example/a:1")
    form.fill("/spec/schedule", "0 3 * * 1-5")
    form.choose("/spec/imagePullPolicy", "IfNotPresent")
    form.fill("/spec/anything", "a: [1, yes]\n")
    form.send("Create")
    saved(page, "scalars")
    assert gallery.spec_of(client, type_, namespace, "scalars") == {
        **DEFAULTS,
        "title": "all-scalars",
        "story": "One.\n\nTwo.",
        "nickname": None,
        "enabled": False,
        "level": "high",
        "flavour": "cherry",
        "digit": 2,
        "count": 7,
        "big": 9007199254740993,
        "ratio": 0.25,
        "port": 8080,
        "replicas": 2,
        "targetPort": "http",
        "storage": "2Gi",
        "timeout": "1h30m",
        "startAt": "2030-01-31T12:00:00.5+09:00",
        "certificate": BYTES,
        "password": "hush",
        "image": "registry.example/a:1",
        "schedule": "0 3 * * 1-5",
        "imagePullPolicy": "IfNotPresent",
        "anything": {"a": [1, True]},
    }


@pytest.mark.journey
def test_lists_maps_and_sections(
    site: Site, page: Page, client: ClusterClient, place: tuple[ResourceType, str]
) -> None:
    type_, namespace = place
    form = gallery.new(site, page, namespace, "lists")
    form.fill("/spec/title", "lists")
    form.advanced()
    # A row by hand, then many at once.
    form.inside(form.add("/spec/tags"), "").fill("first")
    form.box("/spec/tags").get_by_role("button", name="Paste multiple items").click()
    form.box("/spec/tags").get_by_label("One per line").fill("second\nthird\n\nfourth\n")
    form.box("/spec/tags").get_by_role("button", name="Add", exact=True).click()
    expect(form.items("/spec/tags")).to_have_count(4)
    form.items("/spec/tags").nth(3).get_by_role("button", name="Move item 4 up").press("Enter")
    expect(form.items("/spec/tags").nth(2).locator("input")).to_have_value("fourth")
    expect(form.items("/spec/tags").nth(2).get_by_role("button", name="Move item 3 up")).to_be_focused()
    form.items("/spec/tags").nth(1).get_by_role("button", name="Remove item 2").click()
    form.box("/spec/settings").get_by_role("button", name="Paste multiple items").click()
    form.box("/spec/settings").get_by_label("One per line").fill("a=1\nb.c/d: x=y\n# no\n")
    form.box("/spec/settings").get_by_role("button", name="Add", exact=True).click()
    # Cards.
    user = form.add("/spec/users")
    form.inside(user, "name").fill("ann")
    expect(user.locator(".console-section-title").first).to_have_text("Item 1: ann")
    user.locator("[data-more] > summary").click()
    form.choose(f"{user.get_attribute('data-pointer')}/admin", "true")
    pointer = user.get_attribute("data-pointer")
    form.inside(form.add(f"{pointer}/roles"), "").fill("painter")
    user.get_by_role("button", name="Duplicate item 1").click()
    twin = form.items("/spec/users").nth(1)
    form.inside(twin, "name").fill("bob")
    twin.get_by_role("button", name="Move item 2 up").click()
    pool = form.add("/spec/pools")
    page.locator(f'[name="k:{pool.get_attribute("data-pointer")}"]').fill("blue")
    form.inside(pool, "size").fill("3")
    row = form.add("/spec/matrix")
    form.inside(form.add(f"{row.get_attribute('data-pointer')}"), "").fill("0.5")
    # A choice: only its fields are seen, and only they are saved.
    form.open("/spec/source")
    form.choose("/spec/source", "0")
    expect(form.box("/spec/source/bucket")).to_be_hidden()
    form.open("/spec/source/git")
    form.fill("/spec/source/git/url", "https://git.example/x")
    # A section, and one in it.
    form.open("/spec/nested")
    form.fill("/spec/nested/host", "h.example")
    form.box("/spec/nested").locator("[data-more] > summary").first.click()
    form.menu("/spec/nested/path", "Use default")
    form.open("/spec/resources")
    form.fill("/spec/resources/limits/cpu", "500m")
    form.fill("/spec/resources/requests/memory", "1Gi")
    form.open("/spec/open")
    form.fill("/spec/open/known", "k")
    form.box("/spec/open").locator(".console-others > summary").click()
    page.locator('[name="r:/spec/open"]').fill("more: [1]\n")
    form.send("Create")
    saved(page, "lists")
    assert gallery.spec_of(client, type_, namespace, "lists") == {
        **DEFAULTS,
        "title": "lists",
        "tags": ["first", "fourth", "third"],
        "settings": {"a": "1", "b.c/d": "x=y"},
        "users": [
            {"name": "bob", "admin": True, "roles": ["painter"]},
            {"name": "ann", "admin": True, "roles": ["painter"]},
        ],
        "pools": {"blue": {"size": 3}},
        "matrix": [[0.5]],
        "source": {"git": {"url": "https://git.example/x", "branch": "main"}},
        "nested": {"host": "h.example", "path": "/"},
        "resources": {"limits": {"cpu": "500m"}, "requests": {"memory": "1Gi"}},
        "open": {"known": "k", "more": [1]},
    }


def test_an_edit_changes_what_was_touched(
    site: Site, page: Page, client: ClusterClient, place: tuple[ResourceType, str]
) -> None:
    type_, namespace = place
    users = [{"name": f"user-{n}", "quota": {"gigabytes": n}} for n in range(6)]
    before = {
        **DEFAULTS,
        "title": "before",
        "startAt": "2030-01-31T12:00:00.123456+09:00",
        "targetPort": "80",
        "users": users,
        "nested": {"host": "h", "path": "/x", "tls": {"insecure": True}},
        "fixed": "stays",
        "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "signing", "key": "tls.key"}}}],
        "affinity": {"nodeAffinity": {"mine": [1]}, "other": None},
    }
    gallery.make(client, type_, namespace, "edited", before)
    form = gallery.edit(site, page, namespace, "edited")
    expect(form.control("/spec/fixed")).to_have_attribute("readonly", "")
    expect(form.box("/spec/fixed")).to_contain_text("Can't be changed once set")
    form.fill("/spec/title", "after")
    # The copy of an unopened card is complete.
    last = form.items("/spec/users").nth(5)
    last.get_by_role("button", name="Duplicate item 6").click()
    copy = form.items("/spec/users").nth(6)
    if copy.locator(":scope > .console-section[data-lazy]").count():
        form.open(str(copy.get_attribute("data-pointer")))
        copy = form.items("/spec/users").nth(6)
    form.inside(copy, "name").fill("copy")
    form.items("/spec/users").nth(0).get_by_role("button", name="Remove item 1").click()
    form.menu("/spec/nested", "Remove all")
    expect(page.locator(".console-gone").get_by_text("Removed: Nested")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    form.menu("/spec/nested/tls", "Remove all")
    form.send("Save")
    saved(page, "edited")
    assert gallery.spec_of(client, type_, namespace, "edited") == {
        **before,
        "title": "after",
        "users": [*users[1:], {"name": "copy", "quota": {"gigabytes": 5}}],
        "nested": {"host": "h", "path": "/x"},
    }


@pytest.mark.journey
def test_a_picker_offers_names_and_keys(site: Site, page: Page, place: tuple[ResourceType, str]) -> None:
    _, namespace = place
    form = gallery.new(site, page, namespace, "picks")
    form.advanced()
    field = form.box("/spec/secretName")
    form.control("/spec/secretName").focus()
    expect(field.locator("datalist option")).to_have_count(1)
    expect(field.locator("datalist option")).to_have_attribute("value", "signing")
    expect(field.get_by_role("link", name="Create Secret")).to_have_attribute(
        "href", f"/resources/core/v1/secrets/new/?namespace={namespace}"
    )
    form.open("/spec/configMapRef")
    form.control("/spec/configMapRef/name").focus()
    expect(form.box("/spec/configMapRef/name").locator("datalist option[value=settings]")).to_have_count(1)
    form.fill("/spec/configMapRef/name", "settings")
    form.control("/spec/configMapRef/key").focus()
    expect(form.box("/spec/configMapRef/key").locator("datalist option")).to_have_attribute("value", "colour")


def test_a_field_is_found_and_opened(site: Site, page: Page, place: tuple[ResourceType, str]) -> None:
    _, namespace = place
    form = gallery.new(site, page, namespace, "find")
    box = page.get_by_label("Add field")
    box.fill("insecure")
    expect(page.locator("[data-found]")).to_contain_text("spec.nested.tls.insecure")
    box.press("ArrowDown")
    page.keyboard.press("Enter")
    insecure = form.control("/spec/nested/tls/insecure")
    expect(insecure.first).to_be_focused()
    # To find a field sets nothing: a boolean shows "Not set", and the next key sets it.
    unset = form.box("/spec/nested/tls/insecure").get_by_role("radio", name=re.compile("^(Not set|Default)"))
    expect(unset).to_be_checked()
    expect(unset).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(form.box("/spec/nested/tls/insecure").get_by_role("radio", name="true")).to_be_checked()


def test_enter_waits_for_what_is_found(site: Site, page: Page, place: tuple[ResourceType, str]) -> None:
    """Who types fast presses it before the list is there."""
    _, namespace = place
    form = gallery.new(site, page, namespace, "hurry")
    box = page.get_by_label("Add field")
    box.fill("insecure")
    box.press("Enter")
    expect(form.control("/spec/nested/tls/insecure").first).to_be_focused()
    expect(page.locator("[data-found] a")).to_have_count(0)


def test_lines_become_many(site: Site, page: Page, place: tuple[ResourceType, str]) -> None:
    _, namespace = place
    form = gallery.new(site, page, namespace, "lines")
    form.advanced()
    form.menu("/spec/greeting", "Edit as multiline text")
    expect(form.page.locator('textarea[name="s:/spec/greeting"]')).to_be_focused()
    form.fill("/spec/image", "one")
    form.control("/spec/image").press("Shift+Enter")
    expect(form.page.locator('textarea[name="s:/spec/image"]')).to_have_value("one\n")


def test_the_form_works_without_script(
    site: Site, contexts: Contexts, client: ClusterClient, place: tuple[ResourceType, str]
) -> None:
    type_, namespace = place
    context = contexts(java_script_enabled=False)
    form = gallery.new(site, context.new_page(), namespace, "plain")
    form.fill("/spec/title", "plain")
    form.advanced()
    form.box("/spec/tags").get_by_role("button", name="Add to Tags").click()
    form.page.locator('[name^="s:/spec/tags/@"]').fill("one")
    form.box("/spec/tags").get_by_role("button", name="Add to Tags").click()
    form.page.locator('[name^="s:/spec/tags/@"]').nth(1).fill("two")
    form.page.get_by_role("button", name="Move item 2 up").click()
    form.send("Create")
    expect(form.page.get_by_role("heading", name="plain").first).to_be_visible()
    assert gallery.spec_of(client, type_, namespace, "plain")["tags"] == ["two", "one"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_in_the_way_of_people_who_hear_or_type_the_page(
    site: Site, page: Page, client: ClusterClient, place: tuple[ResourceType, str], theme: str
) -> None:
    """axe-core: names, roles, contrast, focus, on the form with everything open and a list of each kind filled."""
    _, namespace = place
    form = gallery.new(site, page, namespace, "axe")
    if theme == "dark":
        page.evaluate("document.documentElement.classList.add('pf-v6-theme-dark')")
    form.advanced()
    for pointer in ("tags", "settings", "users", "pools", "env", "matrix"):
        form.add(f"/spec/{pointer}")
    for pointer in ("source", "nested", "resources", "selector", "affinity"):
        form.open(f"/spec/{pointer}")
    form.send("Create")  # refused: the errors are read too
    expect(page.locator("#form-errors")).to_be_visible()
    found = violations(page)
    assert not found, "\n".join(found)


def test_nothing_is_in_the_way_on_a_large_form(
    site: Site, page: Page, client: ClusterClient, real_catalog: Path
) -> None:
    crd = gallery.read(next((real_catalog / "argocd-operator").glob("*/crds/argoproj.io_argocds.yaml")))
    type_ = gallery.served_kind(client, crd)
    page.goto(f"{site.url}/resources/{type_.group}/{type_.version}/{type_.plural}/new/?namespace=default")
    expect(page.locator("#form")).to_be_visible()
    found = violations(page)
    assert not found, "\n".join(found)


def test_what_the_operator_says_of_its_fields(site: Site, page: Page, client: ClusterClient) -> None:
    # In a namespace of its own, and last: what operators say is kept for seconds, and looked for in all namespaces.
    with gallery.served(client) as (type_, namespace):
        described(site, page, client, type_, namespace)


def described(site: Site, page: Page, client: ClusterClient, type_: ResourceType, namespace: str) -> None:
    ui = "urn:alm:descriptor:com.tectonic.ui:"
    gallery.describe(
        client,
        namespace,
        [
            {"path": "enabled", "displayName": "Doors open", "x-descriptors": [f"{ui}booleanSwitch"]},
            {"path": "greeting", "displayName": "At the door", "x-descriptors": [f"{ui}fieldDependency:enabled:true"]},
            {"path": "port", "displayName": "Door", "x-descriptors": [f"{ui}fieldGroup:house"]},
            {"path": "count", "displayName": "Windows", "x-descriptors": [f"{ui}fieldGroup:house", f"{ui}podCount"]},
            {
                "path": "nickname",
                "displayName": "The key",
                "x-descriptors": ["urn:alm:descriptor:io.kubernetes:Secret"],
            },
            {"path": "flavour", "displayName": "Taste", "x-descriptors": [f"{ui}advanced"]},
            {"path": "story", "displayName": "Untold", "x-descriptors": [f"{ui}hidden"]},
        ],
    )
    form = gallery.new(site, page, namespace, "described")
    form.fill("/spec/title", "described")
    expect(form.control("/spec/story")).to_have_count(0)
    expect(form.control("/spec/greeting")).to_be_hidden()
    form.choose("/spec/enabled", "true")
    expect(page.get_by_role("radiogroup", name="Doors open")).to_be_visible()
    page.get_by_label("At the door", exact=True).fill("come in")
    house = page.locator(".console-group").filter(has_text="House")
    if house.get_attribute("open") is None:
        house.locator(":scope > summary").click()
    house.get_by_label("Door", exact=True).fill("80")
    house.get_by_label("Windows", exact=True).fill("4")
    key = page.get_by_label("The key", exact=True)
    key.focus()
    expect(form.box("/spec/nickname").locator("datalist option")).to_have_attribute("value", "signing")
    key.fill("signing")
    form.send("Create")
    saved(page, "described")
    assert gallery.spec_of(client, type_, namespace, "described") == {
        **DEFAULTS,
        "title": "described",
        "enabled": True,
        "greeting": "come in",
        "port": 80,
        "count": 4,
        "nickname": "signing",
    }


def violations(page: Page) -> list[str]:
    """What axe finds in the form as it is, one line each: its advice beyond WCAG too."""
    page.evaluate(source())
    answer = page.evaluate("axe.run('#main', {resultTypes: ['violations']})")
    return [
        f"{rule['id']}: {rule['help']} ({len(rule['nodes'])}): {rule['nodes'][0]['html'][:200]}"
        for rule in answer["violations"]
    ]
