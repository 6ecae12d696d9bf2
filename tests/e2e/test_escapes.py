"""What a program in a Pod writes to command a terminal: in its log and in the terminal page it changes nothing but
the lines it stands in.
"""

import base64
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from sandbox.runtime.logs import stamp
from tests.attacks.texts import ESCAPES, INJECTIONS, UNICODE
from tests.chromium import Contexts
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW
from tests.e2e.test_terminal import pod  # noqa: F401  a fixture

KINDS = ()
MARKUP = "<img src=x onerror=\"document.title='gone'\"><script>document.title='gone'</script>"
#: A title, a link, the clipboard, a question whose answer is typed back, a command in a status string, and reports of
#: title and settings.
COMMANDS = (
    *ESCAPES,
    "\x1b]2;gone\x07",
    "\x1b]8;;javascript:document.title='gone'\x07click\x1b]8;;\x07",
    "\x1b]52;c;Z29uZQ==\x07",
    "\x1b]52;c;?\x07",
    "\x1bP$q;echo typed-$((6*7))\r\x1b\\",
    "\x1b[21t",
    "\x1b]0;;echo typed-$((6*7))\r\x07\x1b[21t",
    "\x1b]4;0;?\x07",
)


@pytest.fixture
def watched(contexts: Contexts) -> Iterator[tuple[Page, list[str]]]:
    """A page with access to the clipboard, and what untrusted text did outside its lines."""
    context = contexts(locale="en-US", permissions=["clipboard-read", "clipboard-write"])
    page, wrong = context.new_page(), list[str]()
    page.on("dialog", lambda dialog: (wrong.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(f"an error: {error}"))
    page.on("popup", lambda popup: wrong.append(f"a window: {popup.url}"))
    yield page, wrong


@pytest.mark.journey
def test_in_a_log(
    site: Site,
    watched: tuple[Page, list[str]],
    client: ClusterClient,
    namespace: str,
    pod: str,  # noqa: F811
    request: pytest.FixtureRequest,
) -> None:
    """Its lines come through the API server of the embedded cluster, written where its container's program would."""
    if request.config.getoption("--kubeconfig"):
        pytest.skip("writes into the embedded cluster's own file of a log")
    uid = client.get(client.find("", "v1", "pods"), pod, namespace)["metadata"]["uid"]
    (folder,) = site.kubeconfig.parent.glob(f"logs/{namespace}_{pod}_{uid}/engine")
    texts = [*COMMANDS, *UNICODE, *INJECTIONS, MARKUP]
    lines = b"".join(
        stamp(10**18 + at) + b" " + f"{at}|{text}|{at}".replace("\n", " ").encode() + b"\n"
        for at, text in enumerate(texts)
    )
    (folder / "0.log").write_bytes(lines)
    page, wrong = watched
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/logs/")
    title, address = page.title(), page.url
    page.evaluate("navigator.clipboard.writeText('mine')")
    log = page.locator("#log")
    expect(log).to_contain_text("document.title='gone'</script>", timeout=SLOW)
    shown = log.inner_text()
    # Colours are kept as such; what is left of everything else is text, and nothing overwrote another line.
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert "touch /tmp/atk" in shown and "click" in shown and "shown" not in shown.splitlines()[0]
    assert log.locator("img, script, a, style").count() == 0
    assert (page.title(), page.url, wrong) == (title, address, [])
    assert page.evaluate("navigator.clipboard.readText()") == "mine"
    # As it is: a text that no browser takes for anything else.
    raw = page.request.get(f"{address}raw/?container=engine")
    assert (
        raw.headers["content-type"] == "text/plain; charset=utf-8"
        and raw.headers["x-content-type-options"] == "nosniff"
    )
    assert "sandbox" in raw.headers["content-security-policy"] and "\x1b]0;title\x07" in raw.text()


def test_in_a_terminal(site: Site, watched: tuple[Page, list[str]], namespace: str, pod: str) -> None:  # noqa: F811
    page, wrong = watched
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/terminal/")
    expect(page.locator("#terminal-state")).to_have_text("connected", timeout=SLOW)
    page.evaluate("navigator.clipboard.writeText('mine')")
    title, address, rows = page.title(), page.url, page.locator(".xterm-rows")
    # Some of them ask the terminal for an answer, which it types back: what is in it must be no command. Then a reset,
    # and a clean line.
    encoded = base64.b64encode("\r\n".join((*COMMANDS, MARKUP)).encode()).decode()
    page.keyboard.type(f"echo {encoded} | base64 -d; sleep 1; printf '\\033c'; echo reset-$((6 * 7))\n")
    # Before the reset a terminal may be in the middle of one of them, and shows nothing.
    expect(rows).to_contain_text("reset-42", timeout=SLOW)
    page.keyboard.press("Control+C")
    page.keyboard.type("clear; echo still-$((6 * 7))\n")
    expect(rows).to_contain_text("still-42", timeout=SLOW)
    assert "typed-42" not in rows.inner_text()
    assert (page.title(), page.url, wrong) == (title, address, [])
    assert page.evaluate("navigator.clipboard.readText()") == "mine"
    assert page.locator("#terminal img, #terminal script, #terminal a[href^=javascript]").count() == 0
