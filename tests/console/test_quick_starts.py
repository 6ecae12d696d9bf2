"""Quick starts: those of the cluster and our own, in a panel beside the pages."""

import re
from typing import Any

import pytest
from django.test import Client

from console.prefer.models import Preference
from console.templatetags.console import instructions
from console.web import navigation, quick_starts
from console.web.clusters import console_client
from console.web.quick_starts import Position
from kube.client import Access, ClusterClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("cluster_kubeconfig", "redis_server")]
TEXT = """
apiVersion: console.openshift.io/v1
kind: ConsoleQuickStart
metadata: {name: shop}
spec:
  displayName: Open a <b>shop</b>
  durationMinutes: 10
  description: "Sell things. <script>alert(1)</script>"
  icon: "data:image/svg+xml;base64,PHN2Zy8+"
  prerequisites: [A namespace]
  tags: [retail]
  introduction: Click the [switcher]{{highlight switcher}}.
  tasks:
  - title: Deploy it
    description: "Run `kubectl version`{{execute}}."
    review: {instructions: Is it there?, failedTaskHelp: Look at its events.}
    summary: {success: It is deployed., failed: It isn't deployed.}
  - title: Sell
    description: "[trap](javascript:alert(2))"
  conclusion: The shop is open.
  nextQuickStart: [bank, nothing]
---
kind: ConsoleQuickStart
metadata: {name: shop-ko, labels: {console.openshift.io/lang: ko, console.openshift.io/name: shop}}
spec: {displayName: 상점 열기, tasks: [{title: 배포}, {title: 판매}]}
---
kind: ConsoleQuickStart
metadata: {name: bank}
spec: {displayName: Open a bank, tasks: [{title: Count}]}
---
kind: ConsoleQuickStart
metadata: {name: vault}
spec:
  displayName: Build a vault
  tasks: [{title: Dig}]
  accessReviewResources: [{verb: create, group: "", resource: nodes}]
"""


@pytest.fixture(autouse=True)
def _additions(settings: Any) -> None:
    navigation.forget_navigation()
    settings.ADDITIONS = TEXT


@pytest.fixture
def browser() -> Client:
    return Client()


def _panel(browser: Client, path: str = "/settings/", **headers: str) -> str:
    page = browser.get(path, **headers).content.decode()  # type: ignore[arg-type]
    return re.sub(r"\s+", " ", page.partition('id="quick-start"')[2].partition("</aside>")[0])


def _do(browser: Client, what: str, name: str = "shop") -> str:
    return str(browser.post(f"/quick-starts/{name}/", {"do": what, "next": "/settings/"})["Location"])


def test_the_catalog_has_them_with_their_states(browser: Client) -> None:
    main = browser.get("/quick-starts/").content.decode().partition("<main")[2]
    assert "Open a &lt;b&gt;shop&lt;/b&gt;" in main and "Sell things." in main and "Open a bank" in main
    assert "Getting started" in main, "our own"
    assert "alert(1)" not in main and 'src="data:image/svg+xml;base64,PHN2Zy8+"' in main
    assert "10 minutes" in main and "1 prerequisite" in main and "Not started" in main
    assert "상점" not in main, "a translation isn't another quick start"
    _do(browser, "1")
    found = browser.get("/quick-starts/?status=in-progress").content.decode().partition("<main")[2]
    assert "shop" in found and "Open a bank" not in found
    found = browser.get("/quick-starts/?q=RETAIL").content.decode().partition("<main")[2]
    assert "shop" in found and "Open a bank" not in found


def test_one_is_worked_through_beside_the_pages(browser: Client) -> None:
    assert _panel(browser) == "", "nothing is open"
    assert browser.get("/quick-starts/shop/?next=/settings/")["Location"] == "/settings/#quick-start-title"
    panel = _panel(browser)
    assert "<strong>switcher</strong>" in panel and "A namespace" in panel and "Deploy it" in panel
    assert _do(browser, "1") == "/settings/#quick-start-title"
    panel = _panel(browser, "/namespaces/")
    assert 'data-copy="kubectl version"' in panel and "Is it there?" in panel and "Look at its events." not in panel
    _do(browser, "no")
    assert "Look at its events." in _panel(browser)
    _do(browser, "3")
    panel = _panel(browser)
    assert "A task isn't done yet" in panel and "The shop is open." not in panel
    assert "In progress" in browser.get("/quick-starts/").content.decode()
    for what in ("1", "yes", "2"):
        _do(browser, what)
    panel = _panel(browser)
    assert "It is deployed." in panel and 'href="javascript' not in panel
    _do(browser, "3")
    panel = _panel(browser)
    assert "The shop is open." in panel and 'href="/quick-starts/bank/' in panel and "nothing" not in panel
    assert "Complete" in browser.get("/quick-starts/").content.decode()
    assert _do(browser, "close") == "/settings/"
    assert _panel(browser) == ""
    _do(browser, "restart")
    assert "Not started" in browser.get("/quick-starts/?q=shop").content.decode()


def test_htmx_gets_the_panel_alone(browser: Client) -> None:
    """So that what is typed in the page stays."""
    answer = browser.post("/quick-starts/shop/", {"do": "1", "next": "/namespaces/"}, HTTP_HX_REQUEST="true")
    text = answer.content.decode()
    assert text.lstrip().startswith("<aside") and 'name="next" value="/namespaces/"' in text
    closed = browser.post("/quick-starts/shop/", {"do": "close"}, HTTP_HX_REQUEST="true").content.decode()
    assert "hidden" in closed and "<form" not in closed


def test_it_leads_to_pages_of_this_console_only(browser: Client) -> None:
    for address in ("https://evil.example.com/", "//evil.example.com/"):
        answer = browser.post("/quick-starts/shop/", {"do": "1", "next": address})
        assert answer["Location"] == "/quick-starts/#quick-start-title"


def test_the_language_that_fits_best(browser: Client) -> None:
    browser.get("/quick-starts/shop/")
    assert "상점 열기" in _panel(browser, HTTP_ACCEPT_LANGUAGE="ko")
    assert "shop" in _panel(browser, HTTP_ACCEPT_LANGUAGE="fr")
    browser.get("/quick-starts/bank/")
    assert "Open a bank" in _panel(browser, HTTP_ACCEPT_LANGUAGE="ko"), "not translated"


def test_without_a_permission_it_is_not_offered(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Build a vault" in browser.get("/quick-starts/").content.decode()
    browser.get("/quick-starts/vault/")
    assert "Build a vault" in _panel(browser)
    asked: list[tuple[str, str, str]] = []

    def can(client: ClusterClient, verb: str, type_: Any, **_more: str) -> Access:
        asked.append((verb, type_.group, type_.plural))
        return Access(False, "")

    monkeypatch.setattr("console.web.access.can", can)
    assert "Build a vault" not in browser.get("/quick-starts/").content.decode()
    assert browser.get("/quick-starts/vault/").status_code == 404
    assert _panel(browser) == ""
    assert set(asked) == {("create", "", "nodes")}


def test_progress_is_each_users_own(browser: Client) -> None:
    _do(browser, "2")
    client = console_client()
    (row,) = Preference.objects.filter(key="quick start shop")
    assert (row.cluster, row.user, row.value) == (client.name, client.owner, "2:--")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Position(0, "--")),
        ("1:y-", Position(1, "y-")),
        ("9:yny", Position(3, "yn")),
        ("x", Position(0, "--")),
        ("-1:", Position(0, "--")),
        ("٣:ñ", Position(0, "--")),
    ],
)
def test_a_position_is_read_as_far_as_it_fits(text: str, expected: Position) -> None:
    assert Position.parse(text, 2) == expected


@pytest.mark.parametrize(
    "text",
    [
        "kind: ConsoleQuickStart",
        "kind: ConsoleQuickStart\nmetadata: {name: a/b}\nspec: {tasks: [{title: x}]}",
        "kind: ConsoleQuickStart\nmetadata: {name: a}\nspec: {tasks: 7}",
        "kind: ConsoleQuickStart\nmetadata: {name: first-steps}\nspec: {displayName: Trap, tasks: [{title: x}]}",
    ],
)
def test_what_makes_no_sense_is_left_out(settings: Any, text: str) -> None:
    settings.ADDITIONS = text
    (own,) = quick_starts.guides(console_client(), "en")
    assert own.quick_start.title == "Getting started"


def test_our_own_is_opened_from_the_overview(browser: Client) -> None:
    tour = browser.get("/?part=tour").content.decode()
    assert 'href="/quick-starts/first-steps/?next=/"' in tour
    browser.get("/quick-starts/first-steps/?next=/")
    _do(browser, "1", "first-steps")
    panel = _panel(browser)
    assert 'href="/namespaces/"' in panel and 'data-copy="kubectl create namespace demo"' in panel


def test_code_can_be_copied_and_harms_nothing() -> None:
    html = str(
        instructions('```\na <b> "c"\nd\n```{{copy}}\n\n`x"y`{{copy}} `plain`\n\n[Be *quick*.]{{admonition tip}}')
    )
    assert 'data-copy="a &lt;b&gt; &quot;c&quot;\nd"' in html and 'data-copy="x&quot;y"' in html
    assert html.count("data-copy") == 2 and "{{" not in html
    assert "<blockquote>\n<p>Be <em>quick</em>.</p>" in html
    assert "onclick" not in str(instructions('<code onclick="x">a</code>{{copy}}'))
    assert "truncated" in str(instructions("x" * 300_000))
