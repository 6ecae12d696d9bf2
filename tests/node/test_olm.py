"""R7 and R3: OLM in containers, whose catalog and bundle are images: SampleDB is installed from OperatorHub by clicks,
and a database that its form creates keeps its data on a volume that outlives its Pod.
"""

import json
import time

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import SLOW, field, install_from_here, olm_tile
from tests.eventually import until
from tests.node.conftest import Site, picture
from tools.realnode.__main__ import print_progress
from tools.realnode.images import BUNDLE

pytestmark = pytest.mark.timeout(1800)
NAMESPACE = "databases"


@pytest.fixture(scope="module", autouse=True)
def namespace(site: Site) -> None:
    site.node.kubectl("create", "namespace", NAMESPACE)


def test_an_operator_is_installed_from_images(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/")
    expect(olm_tile(page, "SampleDB")).to_be_visible(timeout=SLOW)
    picture(page, "real-node-operatorhub")
    started = time.monotonic()
    install_from_here(page, "sampledb", "SampleDB", NAMESPACE)
    print_progress(f"installed {time.monotonic() - started:.1f} s after the search")
    picture(page, "real-node-operator")
    # OLM's own Job unpacked the bundle's image.
    jobs = json.loads(site.node.kubectl("-n", "olm", "get", "jobs", "-o", "json"))["items"]
    assert [job["status"].get("succeeded") for job in jobs if BUNDLE in json.dumps(job["spec"])] == [1]
    deployment = site.get("-n", NAMESPACE, "deployment", "sampledb-operator")
    assert deployment["metadata"]["ownerReferences"][0]["kind"] == "ClusterServiceVersion"


def test_a_database_keeps_its_data_on_a_volume(site: Site, page: Page) -> None:
    def ask(*command: str) -> str:
        # The image has no shell that could read the variable.
        program = (
            "import os, sys; os.environ['REDISCLI_AUTH'] = os.environ['SAMPLEDB_PASSWORD'];"
            " os.execvp('valkey-cli', ['valkey-cli', *sys.argv[1:]])"
        )
        inside = ("exec", "sessions-0", "--", "python3", "-c", program, *command)
        return site.node.kubectl("-n", NAMESPACE, *inside).strip()

    page.goto(f"{site.url}/resources/samples.operator-console.dev/v1/sampledbs/new/?namespace={NAMESPACE}")
    field(page, "Name").fill("sessions")
    for label, choice in (("Engine", "valkey"), ("Version", "8.0")):
        page.get_by_role("radiogroup", name=label).get_by_text(choice, exact=True).click()
    started = time.monotonic()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name="sessions").first).to_be_visible(timeout=SLOW)
    until(lambda: site.get("-n", NAMESPACE, "sampledb", "sessions").get("status", {}).get("phase") == "Ready")
    print_progress(f"Ready {time.monotonic() - started:.1f} s after Create")
    expect(page.locator("#object-state")).to_contain_text("Ready", timeout=SLOW)
    picture(page, "real-node-database")

    claim = site.get("-n", NAMESPACE, "pvc", "data-sessions-0")
    assert claim["status"]["phase"] == "Bound"
    assert claim["spec"]["storageClassName"] == "local-path"
    assert ask("SET", "teapot", "24") == "OK"
    before = site.get("-n", NAMESPACE, "pod", "sessions-0")["metadata"]["uid"]
    site.node.kubectl("-n", NAMESPACE, "delete", "pod", "sessions-0")

    def replaced() -> bool:
        pod = site.get("-n", NAMESPACE, "pod", "sessions-0")
        statuses = pod["status"].get("containerStatuses", [])
        return pod["metadata"]["uid"] != before and bool(statuses) and all(each["ready"] for each in statuses)

    until(replaced, "another Pod on the same claim", seconds=180, not_yet=(Exception,))
    assert ask("GET", "teapot") == "24"
