"""R1: every overlay of deploy/ on one real node, one after the other as docs/deploy.md says, and a rolling update under
an open page. No controller of Ingress, Istio, cert-manager or OpenShift is there: their objects are accepted and kept.
"""

import json
import os
import re
import shlex
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml
from playwright.sync_api import expect

from tests.chromium import Contexts
from tests.deploy.definitions import cert_manager, istio
from tests.deploy.manifests import OVERLAYS, Object, objects, template
from tests.eventually import until
from tests.node.conftest import picture
from tests.node.front import Front, front
from tests.oidc import PASSWORD_HASH
from tools.realcluster.build import Programs, build_dex
from tools.realcluster.process import PartFailed
from tools.realnode import console
from tools.realnode.__main__ import print_progress
from tools.realnode.images import ROOT, Builder, console_images, dex_image, node_images
from tools.realnode.node import RealNode, running

pytestmark = pytest.mark.timeout(1800)
NAMESPACE = ("-n", "okd-style")
PUBLIC = ("public-ingress", "public-istio")
#: What kustomize gives a new name at each change. The old ones stay for a rollback, as after any change of settings.
GENERATED = re.compile(r"^ConfigMap okd-style/console-(settings|dex)-\w{10}$")
#: As whom the SCC restricted-v2 of OpenShift has a namespace's Pods run.
ASSIGNED = 1000650000

#: A Deployment that has no Pods, however it is scaled. Its row is changed, and no row is added: a browser opens another
#: stream for rows that it hasn't asked for yet.
IDLE = """
apiVersion: apps/v1
kind: Deployment
metadata: { name: idle }
spec:
  paused: true
  selector: { matchLabels: { app: idle } }
  template:
    metadata: { labels: { app: idle } }
    spec: { containers: [{ name: idle, image: "registry.k8s.io/pause:3.10" }] }
"""


@pytest.fixture(scope="module")
def node(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealNode]:
    """Of this module alone, since its console is changed; with what the public overlays need before the first apply."""
    images = Builder(print_progress).build(
        (*node_images(programs), *console_images(), dex_image(build_dex(print_progress)))
    )
    with running(tmp_path_factory.mktemp("overlays"), programs, images, print_progress) as found:
        definitions = [*istio(), *cert_manager()]
        if not definitions:
            pytest.skip("needs Go, whose module proxy has the definitions of Istio and cert-manager")
        path = found.layout.data / "definitions.yaml"
        path.write_text(yaml.safe_dump_all(definitions))
        found.kubectl("apply", "--server-side", "-f", str(path))
        found.kubectl("wait", "--for=condition=Established", "-f", str(path))
        for name in ("istio-system", "okd-style"):
            found.kubectl("create", "namespace", name)
        found.kubectl(
            *NAMESPACE, "create", "secret", "generic", "console-dex-admin", f"--from-literal=hash={PASSWORD_HASH}"
        )
        yield found


def apply(node: RealNode, overlay: str, folder: Path | None = None) -> None:
    """Returns when all of it runs, or of `folder`, which has that overlay in it."""
    seconds = console.apply(node, str(folder or overlay))
    if overlay in PUBLIC:
        node.kubectl(*NAMESPACE, "rollout", "status", "deployment/console-dex", "--timeout=120s")
    print_progress(f"{overlay} was whole after {seconds:.0f} s")


def name_of(obj: Object) -> str:
    metadata = obj["metadata"]
    return f"{obj['kind']} {metadata.get('namespace', '')}/{metadata['name']}"


def applied(node: RealNode) -> set[str]:
    """All that `kubectl apply` made of any overlay and that is still there."""
    kinds = {
        ".".join((obj["kind"], *reversed(obj["apiVersion"].split("/")))) if "/" in obj["apiVersion"] else obj["kind"]
        for overlay in OVERLAYS
        for obj in objects(overlay)
    }
    found = json.loads(node.kubectl("get", ",".join(sorted(kinds)), "--all-namespaces", "-o", "json"))["items"]
    return {
        name_of(obj)
        for obj in found
        if "kubectl.kubernetes.io/last-applied-configuration" in obj["metadata"].get("annotations", {})
    }


def left(node: RealNode, overlay: str) -> set[str]:
    """What an overlay doesn't have."""
    return {name for name in applied(node) - set(map(name_of, objects(overlay))) if not GENERATED.match(name)}


def documented(heading: str, before: str) -> list[list[str]]:
    """Commands of docs/deploy.md: of the paragraph of the section that ends with `before`."""
    section = (ROOT / "docs/deploy.md").read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    block = section.split(f"{before}\n\n")[1].split("\n\n")[0]
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert all(command[0] == "kubectl" for command in commands)
    return [command[1:] for command in commands]


def may(node: RealNode, *question: str) -> bool:
    """What the console's ServiceAccount may, by the API server's word: `kubectl auth can-i` ends with 1 for no."""
    try:
        node.kubectl("auth", "can-i", *question, "--as=system:serviceaccount:okd-style:console")
    except PartFailed as refused:
        assert "rror" not in str(refused), refused
        return False
    return True


def test_every_object_of_every_overlay_is_accepted(node: RealNode) -> None:
    apply(node, "tutorial")
    for overlay in OVERLAYS:
        output = node.kubectl("apply", "--dry-run=server", "-k", str(ROOT / "deploy/overlays" / overlay))
        taken = [line for line in output.splitlines() if line.endswith("(server dry run)")]
        assert len(taken) == len(objects(overlay)) == len(output.splitlines()), output
        print_progress(f"{overlay}: {len(taken)} objects accepted")


def test_a_change_of_overlays_leaves_nothing(node: RealNode) -> None:
    """First what docs/deploy.md says to apply, then what it says to delete."""
    assert left(node, "tutorial") == set()
    assert may(node, "*", "*")
    apply(node, "least-privilege")
    assert left(node, "least-privilege") == set()
    until(lambda: not may(node, "*", "*") and not may(node, "get", "secrets"), "fewer permissions", seconds=30)
    assert may(node, "list", "pods", "-A") and may(node, "create", "namespaces")
    for overlay in PUBLIC:
        apply(node, overlay)
        assert set(map(name_of, objects(overlay))) <= applied(node)
        until(lambda: not may(node, "create", "namespaces"), "only reads", seconds=30)
        apply(node, "least-privilege")
        assert left(node, "least-privilege")
        for command in documented("Change the overlay", f"After {overlay}:"):
            node.kubectl(*command)
        assert left(node, "least-privilege") == set(), overlay
    apply(node, "tutorial")
    until(lambda: may(node, "*", "*"), "all permissions", seconds=30)
    for command in documented("Change the overlay", "Back to the tutorial's overlay:"):
        node.kubectl(*command)
    assert left(node, "tutorial") == set()
    assert may(node, "*", "*")


@pytest.fixture
def way_in(node: RealNode, tmp_path: Path) -> Iterator[Front]:
    """The console of public-ingress, where users sign in with tokens, through what stands for an Ingress controller."""
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [os.path.relpath(ROOT / "deploy/overlays/public-ingress", overlay)],
        "configMapGenerator": [
            {"name": "console-settings", "namespace": "okd-style", "behavior": "merge", "literals": ["SIGN_IN=token"]}
        ],
    }
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    apply(node, "public-ingress", overlay)

    def address(service: str) -> str:
        return str(json.loads(node.kubectl(*NAMESPACE, "get", "service", service, "-o", "json"))["spec"]["clusterIP"])

    with front(node, tmp_path / "front", console=address("console"), dex=address("console-dex")) as found:
        yield found


def asked(url: str) -> str:
    """Of the front, whose certificate the browser doesn't check either."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with urlopen(url, timeout=30, context=context) as answer:
        return str(answer.read().decode())


def test_a_rolling_update_under_an_open_page(node: RealNode, way_in: Front, contexts: Contexts) -> None:
    """Both replicas are replaced. The page isn't loaded again, shows what changes meanwhile, and no request fails."""
    kubectl = node.kubectl
    page = contexts(waits=60_000, ignore_https_errors=True).new_page()
    assert json.loads(asked(f"{way_in.url}/dex/.well-known/openid-configuration"))["issuer"].endswith("example.com/dex")
    path = node.layout.data / "idle.yaml"
    path.write_text(IDLE)
    kubectl("create", "namespace", "rolled")
    kubectl("-n", "rolled", "create", "-f", str(path))
    kubectl("create", "serviceaccount", "anna")
    kubectl("create", "clusterrolebinding", "anna", "--clusterrole=cluster-admin", "--serviceaccount=default:anna")
    page.goto(f"{way_in.url}/resources/apps/v1/deployments/?namespace=rolled")
    page.get_by_label("Token").fill(kubectl("create", "token", "anna").strip())
    page.get_by_role("button", name="Sign in").click()
    row = page.get_by_role("row").filter(has_text="idle")

    def seen(replicas: int) -> float:
        """Seconds until a change of the Deployment is in its row."""
        started = time.monotonic()
        kubectl("-n", "rolled", "scale", "deployment/idle", f"--replicas={replicas}")
        expect(row).to_contain_text(f"0 of {replicas} ready", timeout=30_000)
        return time.monotonic() - started

    expect(row).to_contain_text("0 of 1 ready")
    seen(2)
    page.wait_for_timeout(3000)
    streams = _streams(way_in)
    page.evaluate("window.stillTheSame = true")
    before = _pods(node)
    done = threading.Event()

    def roll() -> float:
        started = time.monotonic()
        kubectl(*NAMESPACE, "rollout", "restart", "deployment/console")
        kubectl(*NAMESPACE, "rollout", "status", "deployment/console", "--timeout=600s", seconds=630)
        # The last old Pod goes after that.
        until(lambda: not before & _pods(node), "the old Pods are gone", seconds=120)
        done.set()
        return time.monotonic() - started

    def knock() -> int:
        """Requests of others, each by a new connection."""
        count = 0
        while not done.wait(0.05):
            asked(f"{way_in.url}/healthz")
            count += 1
        return count

    delays = []
    with ThreadPoolExecutor() as pool:
        rolled, knocked = pool.submit(roll), pool.submit(knock)
        while not done.is_set() and not rolled.done():
            delays.append(seen(3 + len(delays)))
            page.wait_for_timeout(500)
        took, count = rolled.result(), knocked.result()
    delays.append(seen(1000))
    streams = _streams(way_in) - streams
    expect(page.locator("#health-banner")).to_be_hidden()
    assert page.evaluate("window.stillTheSame")
    # A page that is opened, at the new Pods.
    page.get_by_role("link", name="idle", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("idle")
    picture(page, "real-node-rolled")
    print_progress(
        f"both replicas replaced in {took:.0f} s; {len(delays)} changes seen after {min(delays):.2f} to "
        f"{max(delays):.2f} s; its stream was continued {streams} times; {count} requests of others"
    )
    # Once for each old Pod that it was connected to; kube-proxy may have chosen an old one again.
    assert 1 <= streams <= 2
    assert [item for item in way_in.requests() if item[0] >= 500] == []
    assert way_in.errors() == []


def _streams(way_in: Front) -> int:
    """How many have ended."""
    return sum(line.startswith("POST /stream") for _, line in way_in.requests())


def _pods(node: RealNode) -> set[str]:
    """Of the web, those that end included."""
    found = node.kubectl(*NAMESPACE, "get", "pods", "-l", "app.kubernetes.io/component=web", "-o", "name")
    return set(found.split())


def test_openshift_s_pods_run_as_the_users_that_it_assigns(node: RealNode) -> None:
    """In place of the SCC restricted-v2, the test gives each Pod a user and a group. PostgreSQL keeps the image's user:
    a user without a name needs what CRI-O adds to /etc/passwd.
    """
    node.kubectl("delete", "namespace", "okd-style")
    found = objects("openshift")
    for obj in found:
        pod = template(obj)
        if pod is not None:
            user = 999 if obj["metadata"]["name"] == "console-postgres" else ASSIGNED
            context = pod["spec"]["securityContext"]
            assert not {"runAsUser", "fsGroup"} & context.keys()
            context |= {"runAsUser": user, "fsGroup": user}
    path = node.layout.data / "openshift.yaml"
    path.write_text(yaml.safe_dump_all(found))
    node.kubectl("apply", "-f", str(path))
    for name in ("console-redis", "console", "console-worker", "console-beat"):
        node.kubectl(*NAMESPACE, "rollout", "status", f"deployment/{name}", "--timeout=600s", seconds=630)
    identity = node.kubectl(
        *NAMESPACE, "exec", "deployment/console", "-c", "web", "--", *("python", "-c", "import os; print(os.getuid())")
    )
    assert identity.strip() == str(ASSIGNED)
    command = ("python", "deploy/probe.py", "http://127.0.0.1:9000/readyz")
    inside = (*NAMESPACE, "exec", "deployment/console", "-c", "web", "--")
    until(lambda: node.kubectl(*inside, *command) == "", seconds=120, not_yet=(PartFailed,))
