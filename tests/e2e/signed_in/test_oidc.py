"""A person signs in at dex, a real provider of OpenID Connect: its login page, its consent, her rights in the
cluster, renewal, and out again.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from kube.client import ClusterClient
from kube.config import load
from tests.chromium import Contexts
from tests.console.signin.people import RULES
from tests.e2e.conftest import Site
from tests.e2e.signed_in.conftest import signing_in
from tests.oidc import CLIENT, PASSWORD, PREFIX, accepted, dex

KINDS: tuple[tuple[str, str], ...] = ()
#: An ID token's; the console renews it when a third is left.
SECONDS = 12

# dex may have to be built first.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def guarded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A console of its own, to which people sign in with dex, and a cluster that knows dex."""
    people = {"anna": ["team-a"], "bert": []}
    # Without registered addresses a public client of dex may come back to any port of this machine.
    with dex(tmp_path_factory.mktemp("dex"), [], people, f"{SECONDS}s") as idp:
        settings = {"SIGN_IN": "oidc,token", "OIDC_ISSUER": idp.issuer, "OIDC_CLIENT_ID": CLIENT, "OIDC_NAME": "dex"}
        settings |= {"OIDC_CA_FILE": str(idp.authority)}
        with (
            signing_in(request, settings) as site,
            accepted(site.kubeconfig, idp.issuer, idp.authority),
        ):
            yield site


@pytest.fixture
def client(guarded: Site) -> ClusterClient:
    return ClusterClient(load(str(guarded.kubeconfig)))


@pytest.fixture
def mine(client: ClusterClient, namespace: str) -> str:
    """A namespace in which the group team-a may work."""
    rbac, api = "rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    role = {"apiVersion": rbac, "kind": "Role", "metadata": {"name": "team-a"}, "rules": RULES}
    subject = {"kind": "Group", "apiGroup": api, "name": f"{PREFIX}team-a"}
    whose = {"apiGroup": api, "kind": "Role", "name": "team-a"}
    binding = {
        "apiVersion": rbac,
        "kind": "RoleBinding",
        "metadata": {"name": "team-a"},
        "subjects": [subject],
        "roleRef": whose,
    }
    client.create(client.find(api, "v1", "roles"), role, namespace)
    client.create(client.find(api, "v1", "rolebindings"), binding, namespace)
    return namespace


@pytest.fixture
def context(contexts: Contexts) -> BrowserContext:
    """A browser that takes dex's certificate."""
    return contexts(ignore_https_errors=True)


def _at_dex(page: Page, name: str) -> None:
    """From the console's sign-in to dex's consent."""
    page.get_by_role("link", name="Sign in with dex").click()
    page.locator("#login").fill(f"{name}@example.com")
    page.locator("#password").fill("not-it")
    page.locator("#submit-login").click()
    expect(page.locator("#login-error")).to_be_visible()
    page.locator("#password").fill(PASSWORD)
    page.locator("#submit-login").click()


def _create(client: ClusterClient, namespace: str, name: str) -> None:
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    client.create(client.find("", "v1", "configmaps"), made, namespace)


def test_a_person_signs_in_at_dex_works_longer_than_a_token_lasts_and_signs_out(
    guarded: Site, client: ClusterClient, mine: str, page: Page
) -> None:
    wanted = f"{guarded.url}/resources/core/v1/configmaps/?namespace={mine}"
    page.goto(wanted)
    expect(page.get_by_label("Token", exact=True)).to_be_visible()
    _at_dex(page, "anna")
    page.get_by_role("button", name="Grant Access").click()
    # Where she wanted to go, with her group's rights.
    expect(page).to_have_url(wanted)
    page.get_by_title(f"{PREFIX}anna@example.com").click()
    expect(page.get_by_text(f"{PREFIX}team-a", exact=True)).to_be_visible()
    _create(client, mine, "first")
    expect(page.get_by_role("link", name="first", exact=True)).to_be_visible()
    # Her first token has expired; list and stream continue with the next.
    page.wait_for_timeout(SECONDS * 1000 + 1000)
    _create(client, mine, "second")
    expect(page.get_by_role("link", name="second", exact=True)).to_be_visible()
    page.get_by_role("link", name="second", exact=True).click()
    expect(page.get_by_role("heading", name="second")).to_be_visible()
    # Nothing else is hers.
    page.goto(f"{guarded.url}/resources/core/v1/configmaps/kube-system/kube-root-ca.crt/")
    expect(page.get_by_role("alert")).to_contain_text("Permission denied")
    page.goto(wanted)
    page.get_by_title(f"{PREFIX}anna@example.com").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(f"{guarded.url}/sign-in/")
    page.goto(wanted)
    expect(page.get_by_role("link", name="Sign in with dex")).to_be_visible()


def test_who_denies_the_consent_is_nobody_and_may_try_again(guarded: Site, page: Page) -> None:
    """dex shows the refusal itself, without a redirect; tests/console/signin/oidc/test_attacks.py has a provider that
    redirects.
    """
    page.goto(f"{guarded.url}/namespaces/")
    _at_dex(page, "bert")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Approval rejected.")).to_be_visible()
    page.goto(f"{guarded.url}/namespaces/")
    page.get_by_role("link", name="Sign in with dex").click()
    expect(page.locator("#login")).to_be_visible()
