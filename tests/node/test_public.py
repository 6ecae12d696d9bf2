"""R1: deploy/overlays/public-ingress as users reach it: its Certificate issued by cert-manager, its Ingress served by
Traefik, which reads it as ingress-nginx would, and signed in by its dex, by one public name over HTTPS.
"""

import base64
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cryptography import x509
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.chromium import Chromium, close
from tests.eventually import until
from tests.node.conftest import picture
from tests.node.gateway import Gateway, gateway
from tests.node.test_overlays import IDLE, apply
from tests.oidc import PASSWORD, PASSWORD_HASH, PREFIX, accepted
from tools.realcluster.build import build_dex
from tools.realnode import public
from tools.realnode.__main__ import print_progress
from tools.realnode.images import ROOT, Builder, console_images, dex_image, node_images, public_images
from tools.realnode.keeper import PUBLIC
from tools.realnode.node import RealNode, running
from tools.realnode.programs import build_programs

pytestmark = pytest.mark.timeout(1800)
CONSOLE = ("-n", "okd-style")
ISSUER = f"https://{PUBLIC}/dex"
USER = f"{PREFIX}admin@example.com"
#: Of an ID token, in place of 10 minutes.
TOKEN_SECONDS = 45
PODS = "/resources/core/v1/pods/?namespace=okd-style"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealNode]:
    programs = build_programs(print_progress, public=True)
    wanted = (*node_images(programs), *console_images(), *public_images(programs))
    images = Builder(print_progress).build((*wanted, dex_image(build_dex(print_progress))))
    with running(tmp_path_factory.mktemp("public"), programs, images, print_progress) as found:
        seconds = public.apply(found)
        print_progress(f"cert-manager and Traefik work after {seconds:.0f} s")
        yield found


def secret(node: RealNode, namespace: str, name: str) -> dict[str, bytes]:
    found = json.loads(node.kubectl("-n", namespace, "get", "secret", name, "-o", "json"))["data"]
    return {key: base64.b64decode(value) for key, value in found.items()}


def overlay(folder: Path) -> Path:
    """public-ingress with the node's authority, and with ID tokens that end soon."""
    folder.mkdir()
    configuration = (ROOT / "deploy/components/sign-in/dex-config.yaml").read_text()
    assert "idTokens: 10m" in configuration
    (folder / "dex.yaml").write_text(configuration.replace("idTokens: 10m", f"idTokens: {TOKEN_SECONDS}s"))
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [os.path.relpath(ROOT / "deploy/overlays/public-ingress", folder)],
        "components": [os.path.relpath(ROOT / "deploy/components/private-authority", folder)],
        "configMapGenerator": [
            {"name": "console-dex", "namespace": "okd-style", "behavior": "merge", "files": ["config.yaml=dex.yaml"]}
        ],
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    return folder


@pytest.fixture(scope="module")
def site(node: RealNode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """The console behind its public name, and the API server that accepts its ID tokens."""
    node.kubectl("create", "namespace", "okd-style")
    literal = f"--from-literal=hash={PASSWORD_HASH}"
    node.kubectl(*CONSOLE, "create", "secret", "generic", "console-dex-admin", literal)
    folder = tmp_path_factory.mktemp("site")
    apply(node, "public-ingress", overlay(node.layout.data / "overlay"))
    node.kubectl(*CONSOLE, "wait", "--for=condition=Ready", "certificate/console", "--timeout=120s")
    authority = folder / "authority.crt"
    authority.write_bytes(secret(node, "okd-style", "console-tls")["ca.crt"])
    with gateway(node, authority) as found:
        until(lambda: found.ask("/readyz") == 200, "the Ingress is served", not_yet=(OSError,))
        with accepted(node.kubeconfig, ISSUER, authority, client="operator-console"):
            yield found


@pytest.fixture(scope="module")
def chromium_here(site: Gateway, chromium: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with site.browser(chromium, tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.fixture
def context(chromium_here: Browser) -> Iterator[BrowserContext]:
    found = chromium_here.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    found.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    yield found
    close(found)


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def sign_in(page: Page, site: Gateway, path: str) -> None:
    """From the console's sign-in page to dex and back."""
    page.goto(f"{site.url}{path}")
    page.get_by_role("link", name="Sign in with dex").click()
    expect(page).to_have_url(re.compile(f"^{re.escape(ISSUER)}/auth/"))
    page.locator("#login").fill("admin@example.com")
    page.locator("#password").fill(PASSWORD)
    page.locator("#submit-login").click()
    expect(page).to_have_url(f"{site.url}{path}")


@pytest.fixture
def rights(node: RealNode) -> Iterator[None]:
    """As docs/deploy.md grants them."""
    node.kubectl("create", "clusterrolebinding", "admin", "--clusterrole=cluster-admin", f"--user={USER}")
    yield
    node.kubectl("delete", "clusterrolebinding", "admin")


def test_the_ingress_is_served_with_the_certificate_that_is_issued(node: RealNode, site: Gateway) -> None:
    served = site.certificate()
    assert served == x509.load_pem_x509_certificate(secret(node, "okd-style", "console-tls")["tls.crt"])
    names = served.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [PUBLIC]
    assert served.issuer.rfc4514_string() == "CN=authority of the node"
    status, headers = site.ask_plain("/resources/")
    assert (status, headers["Location"]) == (308, f"{site.url}/resources/")
    assert site.ask("/healthz") == 200
    assert site.ask("/dex/healthz") == 200


def test_a_body_is_as_large_as_the_console_takes_it(site: Gateway) -> None:
    # Without its token, a form is refused by the console itself.
    assert site.ask("/sign-in/", 15_000_000) == 403
    assert site.ask("/sign-in/", 17_500_000) == 413


def test_a_user_signs_in_with_their_own_permissions_and_signs_out(node: RealNode, site: Gateway, page: Page) -> None:
    sign_in(page, site, PODS)
    # Without a role: nothing of the ServiceAccount's permissions is theirs.
    expect(page.locator("main")).to_contain_text("Permission denied")
    expect(page.locator("main")).to_contain_text(USER)
    node.kubectl("create", "clusterrolebinding", "admin", "--clusterrole=cluster-admin", f"--user={USER}")
    try:
        page.goto(f"{site.url}{PODS}")
        expect(page.get_by_role("link", name="console-postgres-0", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name=re.compile("^console-dex-"))).to_be_visible()
        page.get_by_title(USER).click()
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        picture(page, "real-node-signed-in")
        page.get_by_role("button", name="Sign out").click()
        # dex has no sign-out of its own.
        expect(page).to_have_url(f"{site.url}/sign-in/")
        page.goto(f"{site.url}{PODS}")
        expect(page.get_by_role("link", name="Sign in with dex")).to_be_visible()
    finally:
        node.kubectl("delete", "clusterrolebinding", "admin")


def seen(node: RealNode, page: Page, replicas: int) -> float:
    """Seconds until the list shows another number of replicas of `idle`."""
    started = time.monotonic()
    node.kubectl("-n", "public", "scale", "deployment/idle", f"--replicas={replicas}")
    expect(page.get_by_role("row").filter(has_text="idle")).to_contain_text(f"0 of {replicas} ready", timeout=30_000)
    return time.monotonic() - started


@pytest.fixture(scope="module")
def idle(node: RealNode, site: Gateway) -> str:
    """The path of a list with a Deployment that has no Pods."""
    path = node.layout.data / "idle.yaml"
    path.write_text(IDLE)
    node.kubectl("create", "namespace", "public")
    node.kubectl("-n", "public", "create", "-f", str(path))
    return "/resources/apps/v1/deployments/?namespace=public"


@pytest.mark.usefixtures("rights")
def test_a_page_lives_longer_than_a_token_and_a_certificate(
    node: RealNode, site: Gateway, page: Page, idle: str
) -> None:
    """Events come through Traefik at once. The ID token is renewed at dex, and the certificate by cert-manager."""
    sign_in(page, site, idle)
    expect(page.get_by_role("row").filter(has_text="idle")).to_contain_text("0 of 1 ready")
    page.evaluate("window.stillTheSame = true")
    first = site.certificate()
    # An hour is the shortest that cert-manager takes: it is renewed half a minute after it was issued.
    spec = {"spec": {"duration": "1h0m0s", "renewBefore": "59m30s"}}
    patch = (*CONSOLE, "patch", "certificate", "console", "--type=merge")
    node.kubectl(*patch, "-p", json.dumps(spec))
    # As `cmctl renew` does: another duration alone changes nothing.
    issuing = {"type": "Issuing", "status": "True", "reason": "ManuallyTriggered", "message": "by a test"}
    node.kubectl(*patch, "--subresource=status", "-p", json.dumps({"status": {"conditions": [issuing]}}))
    started = time.monotonic()
    delays, serials, count = [], {first.serial_number}, 0
    while len(serials) < 3 or time.monotonic() - started < 2 * TOKEN_SECONDS:
        delays.append(seen(node, page, 2 + len(delays)))
        for _ in range(20):
            assert site.ask("/healthz") == 200
            serials.add(site.certificate().serial_number)
            count += 1
            time.sleep(0.1)
        assert time.monotonic() - started < 300, serials
    node.kubectl(*patch, "-p", '{"spec": {"duration": null, "renewBefore": null}}')
    assert page.evaluate("window.stillTheSame")
    # A new page, with a new token and by the new certificate.
    page.get_by_role("link", name="idle", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("idle")
    print_progress(
        f"{len(delays)} changes seen after {min(delays):.2f} to {max(delays):.2f} s; {len(serials)} certificates in "
        f"{time.monotonic() - started:.0f} s, {count} requests"
    )


@pytest.mark.usefixtures("rights")
def test_a_terminal_may_be_silent(site: Gateway, node: RealNode, page: Page) -> None:
    """For longer than the usual minute of a proxy."""
    sign_in(page, site, "/resources/core/v1/pods/okd-style/console-postgres-0/terminal/")
    expect(page.locator("#terminal-state")).to_have_text("connected")
    page.wait_for_timeout(75_000)
    page.locator(".xterm").click()
    page.keyboard.type("echo $((6 * 7))-answers\n")
    expect(page.locator(".xterm-rows")).to_contain_text("42-answers")
    picture(page, "real-node-terminal")
