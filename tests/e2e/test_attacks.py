"""The attack inputs of tests/attacks in a real browser: no script of theirs runs, no policy is broken, nothing is
asked of another origin.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from kube.client import ClusterClient
from tests.attacks.placement import Placement, placed
from tests.attacks.texts import LINKS
from tests.chromium import Contexts
from tests.e2e.conftest import Site

pytestmark = pytest.mark.page_only

KINDS: tuple[tuple[str, str], ...] = ()
#: What an attack would call, and what it would leave behind.
_WATCH = """
window.atkSeen = [];
window.atk = () => window.atkSeen.push("atk() was called");
document.addEventListener("securitypolicyviolation", (event) => {
  window.atkSeen.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
});
"""
_LEFT = """() => {
  const elements = document.querySelectorAll("[data-atk], x-atk, marquee, plaintext, base, object, embed");
  const left = [...window.atkSeen, ...[...elements].map((element) => element.outerHTML.slice(0, 200))];
  const plain = {};
  if (plain.atk !== undefined || plain.polluted !== undefined || typeof plain.constructor !== "function")
    left.push("Object.prototype was changed");
  if (document.cookie.includes("atk")) left.push("a cookie was set");
  return left;
}"""


@pytest.fixture(scope="module")
def attacks(request: pytest.FixtureRequest, client: ClusterClient) -> Iterator[Placement]:
    if request.config.getoption("--kubeconfig"):
        pytest.skip("the definition of tests/attacks has not been tried on a real API server yet")
    with placed(client) as made:
        yield made


@pytest.fixture
def watched(contexts: Contexts) -> Iterator[tuple[Page, list[str]]]:
    """A page, and what went wrong in it."""
    context = contexts()
    context.set_default_timeout(20_000)
    page, wrong = context.new_page(), list[str]()
    page.add_init_script(_WATCH)
    page.on("dialog", lambda dialog: (wrong.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(f"an error: {error}"))
    page.on("popup", lambda popup: wrong.append(f"a window: {popup.url}"))
    yield page, wrong


def test_no_page_runs_them_or_leads_away(site: Site, attacks: Placement, watched: tuple[Page, list[str]]) -> None:
    page, wrong = watched
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    here, made = attacks.namespace, "/resources/attacks.example.com/v1/attacks"
    crd = "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/attacks.attacks.example.com"
    paths = [
        f"{made}/?namespace={here}",
        f"{made}/{here}/full/",
        f"{made}/{here}/full/edit/",
        f"{made}/{here}/full/yaml/",
        f"{made}/{here}/full/labels/",
        f"{made}/{here}/full/delete/",
        f"{made}/new/?namespace={here}",
        f"{made}/explain/",
        f"{crd}/",
        f"{crd}/yaml/",
        f"/resources/core/v1/configmaps/{here}/full/",
        f"/resources/core/v1/configmaps/{here}/full/edit/",
        f"/resources/core/v1/secrets/{here}/full/",
        f"/resources/core/v1/pods/{here}/full/",
        f"/resources/apps/v1/deployments/{here}/full/",
        f"/resources/events/?namespace={here}",
        f"/resources/core/v1/events/?namespace={here}",
        f"/resources/rbac.authorization.k8s.io/v1/roles/?namespace={here}",
        f"/operators/?namespace={here}",
        f"/operators/{here}/full/",
        f"/operators/{here}/n3/",
        f"/resources/operators.coreos.com/v1alpha1/clusterserviceversions/{here}/full/",
        "/resources/search/?q=script",
        f"/resources/core/v1/namespaces/-/{here}/",
        "/audit/?q=%3Cscript",
    ]
    for path in paths:
        page.goto(f"{site.url}{path}", wait_until="load")
        page.wait_for_timeout(150)
        wrong += [f"{path}: {item}" for item in page.evaluate(_LEFT)]
        # What waits for the mouse or the keyboard.
        page.keyboard.press("Tab")
        wrong += [f"{path}: leads to {page.url}"] if urlsplit(page.url).netloc != urlsplit(site.url).netloc else []
    origins = {urlsplit(item).netloc for item in asked if urlsplit(item).scheme in ("http", "https", "ws", "wss")}
    assert not wrong, "\n".join(dict.fromkeys(item[:400] for item in wrong[:40]))
    assert origins == {urlsplit(site.url).netloc}


def test_links_of_an_author_lead_only_where_links_may(
    site: Site, attacks: Placement, watched: tuple[Page, list[str]]
) -> None:
    page, wrong = watched
    page.goto(f"{site.url}/operators/{attacks.namespace}/full/")
    schemes = page.evaluate(
        "() => [...document.querySelectorAll('a[href], form[action], area[href]')].map((one) => (one.href ||"
        " one.action).split(':')[0])"
    )
    assert schemes and {*schemes} <= {"http", "https", "mailto"}, LINKS
    assert not wrong


def test_the_form_and_its_yaml_take_names_that_objects_have_already(
    site: Site, attacks: Placement, watched: tuple[Page, list[str]]
) -> None:
    """Fields called __proto__ and constructor, to and fro between form and YAML."""
    page, wrong = watched
    page.goto(f"{site.url}/resources/attacks.example.com/v1/attacks/{attacks.namespace}/full/edit/")
    page.get_by_role("tab", name="YAML").or_(page.get_by_role("link", name="YAML")).or_(
        page.get_by_role("button", name="YAML")
    ).first.click()
    page.wait_for_timeout(500)
    wrong += page.evaluate(_LEFT)
    assert not wrong
