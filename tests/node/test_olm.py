"""R7 and R3: OLM in containers, whose catalog and bundle are images: SampleDB is installed from OperatorHub by clicks.
A database that its form creates keeps its data on a volume that outlives its Pod, is backed up each minute, and leaves
a snapshot that another one begins with.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import SLOW, field, olm_tile
from tests.eventually import until
from tests.node.conftest import Site, install_timed, picture
from tools.realnode.__main__ import print_progress
from tools.realnode.images import packages

pytestmark = [pytest.mark.timeout(1800), pytest.mark.usefixtures("namespace")]
NAMESPACE = "databases"
BUNDLE = next(package.bundle for package in packages() if package.name == "sampledb")
SNAPSHOTS = "sampledb-snapshots"


def test_an_operator_is_installed_from_images(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/")
    expect(olm_tile(page, "SampleDB")).to_be_visible(timeout=SLOW)
    picture(page, "real-node-operatorhub")
    install_timed(page, "sampledb", "SampleDB", NAMESPACE)
    picture(page, "real-node-operator")
    # OLM's own Job unpacked the bundle's image.
    jobs = json.loads(site.node.kubectl("-n", "olm", "get", "jobs", "-o", "json"))["items"]
    assert [job["status"].get("succeeded") for job in jobs if BUNDLE in json.dumps(job["spec"])] == [1]
    deployment = site.get("-n", NAMESPACE, "deployment", "sampledb-operator")
    assert deployment["metadata"]["ownerReferences"][0]["kind"] == "ClusterServiceVersion"


def test_a_database_keeps_its_data_on_a_volume(site: Site, page: Page) -> None:
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
    assert _ask(site, "sessions-0", "SET", "teapot", "24") == "OK"
    before = site.get("-n", NAMESPACE, "pod", "sessions-0")["metadata"]["uid"]
    site.node.kubectl("-n", NAMESPACE, "delete", "pod", "sessions-0")

    def replaced() -> bool:
        pod = site.get("-n", NAMESPACE, "pod", "sessions-0")
        statuses = pod["status"].get("containerStatuses", [])
        return pod["metadata"]["uid"] != before and bool(statuses) and all(each["ready"] for each in statuses)

    until(replaced, "another Pod on the same claim", seconds=180, not_yet=(Exception,))
    assert _ask(site, "sessions-0", "GET", "teapot") == "24"


def test_backups_are_taken_by_pods_each_minute(site: Site, page: Page, tmp_path: Path) -> None:
    """Turned on by `kubectl edit`; the page says when one is written."""
    page.goto(f"{site.url}/resources/samples.operator-console.dev/v1/sampledbs/{NAMESPACE}/sessions/")
    editor = tmp_path / "editor"
    schedule = r's/^    enabled: false$/    enabled: true\n    schedule: "* * * * *"/'
    editor.write_text(f"""#!/bin/sh\nsed -i '{schedule}' "$1"\n""")
    editor.chmod(0o755)
    command = [str(site.node.programs.path("kubectl")), f"--kubeconfig={site.node.kubeconfig}", "-n", NAMESPACE]
    edit = [*command, "edit", "sampledb", "sessions"]
    environment = {**os.environ, "KUBE_EDITOR": str(editor)}
    done = subprocess.run(edit, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert "edited" in done.stdout, done.stderr
    started = time.monotonic()
    expect(page.get_by_role("table", name="Conditions")).to_contain_text("BackupWritten", timeout=SLOW)
    print_progress(f"a backup {time.monotonic() - started:.1f} s after kubectl edit")
    picture(page, "real-node-backup")

    last = site.get("-n", NAMESPACE, "sampledb", "sessions")["status"]["lastBackup"]
    assert last["keys"] >= 1
    assert last["name"] in site.get("-n", NAMESPACE, "configmap", SNAPSHOTS)["data"]
    made = [pod for pod in site.items(NAMESPACE, "pods") if pod["metadata"]["name"].startswith("sessions-backup-")]
    assert [pod["status"]["phase"] for pod in made] == ["Succeeded"] * len(made) != []
    sources = {each["name"]: each.get("valueFrom") for each in made[0]["spec"]["containers"][0]["env"]}
    assert sources["SAMPLEDB_PORT"] == {"configMapKeyRef": {"name": "sessions-connection", "key": "port"}}
    assert sources["SAMPLEDB_PASSWORD"] == {"secretKeyRef": {"name": "sessions-credentials", "key": "password"}}
    title, row = site.node.kubectl("-n", NAMESPACE, "get", "sampledbs").splitlines()
    assert title.split() == ["NAME", "PHASE", "REPLICAS", "VERSION", "LAST", "BACKUP", "AGE"]
    assert row.split()[:4] == ["sessions", "Ready", "1", "8.0"]


def test_it_goes_with_a_snapshot_that_another_one_begins_with(site: Site, page: Page) -> None:
    volume = site.get("-n", NAMESPACE, "pvc", "data-sessions-0")["spec"]["volumeName"]
    page.goto(f"{site.url}/resources/samples.operator-console.dev/v1/sampledbs/{NAMESPACE}/sessions/")
    page.locator("#actions > summary").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    started = time.monotonic()
    page.get_by_role("button", name="Delete", exact=True).click()
    until(lambda: not site.names(NAMESPACE, "sampledbs"), "the database is gone", seconds=180)
    print_progress(f"deleted with a snapshot after {time.monotonic() - started:.1f} s")
    assert site.names(NAMESPACE, "statefulsets") == []
    assert site.names(NAMESPACE, "pvc") == [SNAPSHOTS]
    until(lambda: volume not in site.node.kubectl("get", "pv", "-o", "name"), "its volume is gone")
    records = site.get("-n", NAMESPACE, "configmap", SNAPSHOTS)["data"]
    kinds = [json.loads(record)["kind"] for record in records.values()]
    assert kinds.count("snapshot") == 1 and kinds.count("backup") >= 1

    again = {
        "apiVersion": "samples.operator-console.dev/v1",
        "kind": "SampleDB",
        "metadata": {"name": "again", "namespace": NAMESPACE},
        "spec": {"engine": "valkey", "version": "8.0", "storage": "1Gi", "deletionPolicy": "Delete"},
    }
    again["spec"]["restoreFrom"] = {"database": "sessions"}
    site.apply(again)
    until(lambda: site.get("-n", NAMESPACE, "sampledb", "again").get("status", {}).get("phase") == "Ready")
    assert _ask(site, "again-0", "GET", "teapot") == "24"
    site.node.kubectl("-n", NAMESPACE, "delete", "sampledb", "again")


def _ask(site: Site, pod: str, *command: str) -> str:
    # The image has no shell that could read the variable.
    program = (
        "import os, sys; os.environ['REDISCLI_AUTH'] = os.environ['SAMPLEDB_PASSWORD'];"
        " os.execvp('valkey-cli', ['valkey-cli', *sys.argv[1:]])"
    )
    return site.node.kubectl("-n", NAMESPACE, "exec", pod, "--", "python3", "-c", program, *command).strip()
