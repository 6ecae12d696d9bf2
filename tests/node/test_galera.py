"""R6: Galera in KUDO's form. The engine and its own package run in containers; MariaDB's package begins a cluster, lets
nodes join it, takes the first one away again, and goes from three nodes to five and back under a client.
"""

import json
import subprocess
import sys
import time

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.e2e.steps import SLOW, field
from tests.eventually import until
from tests.node.conftest import ROOT, Site, install_timed, picture
from tools.realnode.__main__ import print_progress
from tools.realnode.images import MARIADB, Builder, mariadb_image

pytestmark = [pytest.mark.timeout(1800), pytest.mark.usefixtures("namespace")]
NAMESPACE = "galera"
#: Writes, reads and counts, with a connection for each; the last line says how it went.
_CLIENT = """
failed=0 done=0
mariadb -h orders -u root -e 'CREATE DATABASE shop; CREATE TABLE shop.sold (id INT AUTO_INCREMENT PRIMARY KEY)'
while :; do
  mariadb -h orders -u root -Nse 'INSERT INTO shop.sold VALUES (); SELECT COUNT(*) FROM shop.sold' > /dev/null \\
    && done=$((done + 1)) || failed=$((failed + 1))
  echo "{\\"done\\": $done, \\"failed\\": $failed}"
done
"""


@pytest.fixture(scope="module")
def package(site: Site, namespace: None) -> None:
    """MariaDB's package in the namespace, and its image in the registry."""
    site.node.push(Builder(print_progress).build((mariadb_image(),)))
    command = [sys.executable, "-m", "examples.operators.kudo", "examples/operators/galera/mariadb"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    objects = list(yaml.safe_load_all(made))
    for each in objects:
        each["metadata"]["namespace"] = NAMESPACE
    site.apply(*objects)


def test_the_engine_brings_its_package(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/")
    install_timed(page, "galera", "Galera (KUDO form)", NAMESPACE)
    until(lambda: set(site.names(NAMESPACE, "operatorversions")) >= {"galera-1.0.0", "galera-2.0.0"})
    assert "galera" in site.names(NAMESPACE, "operators.kudo.dev")


def test_its_own_database_runs_in_containers(site: Site, page: Page) -> None:
    """Deployed by the form, with its plan's steps on the page; a key that one node takes is read from another."""
    page.goto(f"{site.url}/resources/kudo.dev/v1beta1/instances/new/?namespace={NAMESPACE}")
    field(page, "Name").fill("keys")
    started = time.monotonic()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.locator("#plan-deploy > summary")).to_contain_text("3 of 3 phases", timeout=SLOW)
    print_progress(f"Galera: three nodes of its own {time.monotonic() - started:.1f} s after Create")
    _curl(site, "keys-0", method="PUT", data=b"hot")
    assert "hot" in _curl(site, "keys-2")
    site.node.kubectl("-n", NAMESPACE, "delete", "instances.kudo.dev", "keys")
    until(lambda: not _volumes(site, "keys"), "its volumes are gone")


def test_mariadb_begins_grows_and_shrinks_under_a_client(site: Site, page: Page, package: None) -> None:
    site.apply(_instance())
    started = time.monotonic()
    page.goto(f"{site.url}/resources/kudo.dev/v1beta1/instances/{NAMESPACE}/orders/")
    nodes = page.get_by_role("list", name="Steps of nodes, in sequence")
    expect(nodes).to_contain_text("of 3 Pods ready", timeout=SLOW)
    expect(page.get_by_role("list", name="Steps of bootstrap, in sequence")).to_contain_text("Complete")
    assert "orders-bootstrap-0" in site.names(NAMESPACE, "pods")
    picture(page, "real-node-galera")
    expect(page.locator("#plan-deploy > summary")).to_contain_text("4 of 4 phases", timeout=SLOW)
    print_progress(f"MariaDB: three nodes {time.monotonic() - started:.1f} s after Create")
    assert site.names(NAMESPACE, "statefulsets", "kudo.dev/instance=orders") == ["orders"]
    _are(site, 3)

    site.apply(_client())
    site.node.kubectl("-n", NAMESPACE, "wait", "pod/client", "--for=condition=Ready", "--timeout=120s")
    until(lambda: _counted(site)["done"] > 5, "the client writes")
    for count in (5, 3):
        started = time.monotonic()
        change = f'-p={{"spec":{{"parameters":{{"NODE_COUNT":"{count}"}}}}}}'
        site.node.kubectl("-n", NAMESPACE, "patch", "instances.kudo.dev/orders", "--type=merge", change)
        plan = page.locator("#plan-update > summary")
        expect(plan).to_contain_text("In progress", timeout=SLOW)
        expect(plan).to_contain_text("Complete", timeout=SLOW)
        print_progress(f"MariaDB: {count} nodes {time.monotonic() - started:.1f} s after the patch")
        _are(site, count)
    counted = _counted(site)
    print_progress(f"MariaDB: of {counted['done'] + counted['failed']} requests {counted['failed']} failed")
    picture(page, "real-node-galera-update")
    assert counted["failed"] == 0
    rows = _sql(site, "SELECT COUNT(*) FROM shop.sold", "orders-2")
    assert int(rows) >= counted["done"]
    site.node.kubectl("-n", NAMESPACE, "delete", "pod", "client", "--now")


def test_the_plan_cleanup_leaves_nothing(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/kudo.dev/v1beta1/instances/{NAMESPACE}/orders/")
    page.locator("#actions > summary").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    for kind in ("instances.kudo.dev", "statefulsets", "pods", "secrets", "services", "jobs", "pvc"):
        until(lambda kind=kind: not _orders(site, kind), f"{kind} of orders are gone")


def _orders(site: Site, kind: str) -> list[str]:
    return [name for name in site.names(NAMESPACE, kind) if name.startswith(("orders", "data-orders"))]


def _curl(site: Site, node: str, **request: object) -> str:
    """What a node of our own database answers about a key; its image has Python and no curl."""
    program = "from urllib.request import *; print(urlopen(Request('http://localhost:4567/keys/tea', **{!r})).read())"
    return site.node.kubectl("-n", NAMESPACE, "exec", node, "--", "python", "-c", program.format(request))


def _volumes(site: Site, instance: str) -> list[str]:
    return [name for name in site.names(NAMESPACE, "pvc") if name.startswith(f"data-{instance}-")]


def _instance() -> dict[str, object]:
    return {
        "apiVersion": "kudo.dev/v1beta1",
        "kind": "Instance",
        "metadata": {"name": "orders", "namespace": NAMESPACE},
        "spec": {"operatorVersion": {"name": "mariadb-1.0.0"}, "parameters": {"NODE_COUNT": "3"}},
    }


def _client() -> dict[str, object]:
    secret = "orders.deploy.prepare.password.password.password"
    password = {"name": "MYSQL_PWD", "valueFrom": {"secretKeyRef": {"name": secret, "key": "password"}}}
    container = {"name": "client", "image": MARIADB, "command": ["sh", "-c", _CLIENT], "env": [password]}
    spec = {"restartPolicy": "Never", "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "client", "namespace": NAMESPACE}, "spec": spec}


def _counted(site: Site) -> dict[str, int]:
    lines = site.node.kubectl("-n", NAMESPACE, "logs", "client", "--tail=1").splitlines()
    return dict(json.loads(lines[-1])) if lines and lines[-1].startswith("{") else {"done": 0, "failed": 0}


def _sql(site: Site, query: str, node: str = "orders-0") -> str:
    script = f'MYSQL_PWD="$MARIADB_ROOT_PASSWORD" mariadb -h 127.0.0.1 -u root -Nse "{query}"'
    return site.node.kubectl("-n", NAMESPACE, "exec", node, "--", "sh", "-c", script).strip()


def _are(site: Site, count: int) -> None:
    """As many nodes, by Galera's own word, and no more Pods or volumes."""
    assert _sql(site, "SHOW STATUS LIKE 'wsrep_cluster_size'").split()[-1] == str(count)
    pods = site.names(NAMESPACE, "pods", "mariadb.operator-console.dev/instance=orders")
    assert sorted(pods) == [f"orders-{number}" for number in range(count)]
    assert sorted(_volumes(site, "orders")) == [f"data-orders-{number}" for number in range(count)]
