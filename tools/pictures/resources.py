"""Pictures for docs/resources.md: SampleDB with two instances, a Deployment, a CronJob, a Secret, and what was done
to them.
"""

import json

from playwright.sync_api import Browser, Page

from kube.client import ClusterClient
from operatorhub import olm
from tools.pictures.camera import PICTURES, camera, shoot, take, until

FOLDER = PICTURES / "resources"
NAMESPACE = "shop"
DATABASE = f"/resources/samples.operator-console.dev/v1/sampledbs/{NAMESPACE}/example-database/"
TEXT = """apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {colour: green, size: "12"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 3}
"""


def prepare(client: ClusterClient) -> None:
    """The operator, its examples, and neighbours of other kinds."""
    until(lambda: olm.served(client) or client.forget_types())
    core = {"apiVersion": "v1"}
    client.create(client.find("", "v1", "namespaces"), core | {"kind": "Namespace", "metadata": {"name": NAMESPACE}})
    group = {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"name": NAMESPACE}}
    client.create(olm.type_of(client, "operatorgroups"), group | {"spec": {"targetNamespaces": [NAMESPACE]}}, NAMESPACE)
    subscriptions, csvs = olm.type_of(client, olm.SUBSCRIPTIONS), olm.type_of(client, olm.CSVS)
    spec = {"name": "sampledb", "source": "samples-catalog", "sourceNamespace": "olm"}
    sub = {"apiVersion": subscriptions.api_version, "kind": "Subscription", "metadata": {"name": "sampledb"}}
    client.create(subscriptions, sub | {"spec": spec}, NAMESPACE)
    until(lambda: [item for item in client.list(csvs, NAMESPACE).items if olm.phase(item) == olm.SUCCEEDED])
    until(lambda: client.forget_types() or client.find("samples.operator-console.dev", "v1", "sampledbs"))
    databases = client.find("samples.operator-console.dev", "v1", "sampledbs")
    (csv,) = client.list(csvs, NAMESPACE).items
    for example in json.loads(csv["metadata"]["annotations"]["alm-examples"]):
        example["metadata"].pop("namespace", None)
        if "restoreFrom" in example["spec"]:
            continue  # waits for a backup that was never taken
        client.create(databases, example, NAMESPACE)
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "nginx:1.29"}]}}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": labels}}
    client.create(
        client.find("apps", "v1", "deployments"),
        web | {"spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}},
        NAMESPACE,
    )
    job = {
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "tick", "image": "busybox"}]}}}
    }
    tick = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "tick"},
        "spec": {"schedule": "*/5 * * * *", "jobTemplate": job},
    }
    client.create(client.find("batch", "v1", "cronjobs"), tick, NAMESPACE)
    secret = core | {
        "kind": "Secret",
        "metadata": {"name": "login"},
        "stringData": {"user": "shop", "password": "correct horse"},
    }
    client.create(client.find("", "v1", "secrets"), secret, NAMESPACE)
    until(
        lambda: all(
            (database.get("status") or {}).get("phase") == "Ready"
            for database in client.list(databases, NAMESPACE).items
        ),
        120,
    )
    client.patch(databases, "example-database", {"spec": {"replicas": 2}}, NAMESPACE)
    until(
        lambda: (client.get(databases, "example-database", NAMESPACE).get("status") or {}).get("readyReplicas", 2) == 2,
        60,
    )


def draw(browser: Browser, url: str) -> None:
    wide = browser.new_page(viewport={"width": 1400, "height": 900})
    core, apps = "/resources/core/v1", "/resources/apps/v1"
    for name, path, height in (
        ("types", "/resources/", 1000),
        ("list", f"{core}/pods/?namespace={NAMESPACE}", 900),
        ("object", DATABASE, 1900),
        ("history", f"{DATABASE}history/", 1000),
        ("explain", "/resources/samples.operator-console.dev/v1/sampledbs/explain/", 1000),
        (
            "definition",
            "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/sampledbs.samples.operator-console.dev/",
            1100,
        ),
        ("deployment", f"{apps}/deployments/{NAMESPACE}/web/", 1500),
        ("cronjob", f"/resources/batch/v1/cronjobs/{NAMESPACE}/tick/", 1000),
        ("secret", f"{core}/secrets/{NAMESPACE}/login/", 800),
        ("logs", f"{core}/pods/{NAMESPACE}/example-database-0/logs/", 900),
        ("terminal", f"{core}/pods/{NAMESPACE}/example-database-0/terminal/", 800),
        ("forward", f"{core}/services/{NAMESPACE}/example-database/forward/", 800),
        ("search", "/resources/search/?q=example", 900),
        ("events", f"/resources/events/?namespace={NAMESPACE}", 1000),
        ("delete-namespace", f"{core}/namespaces/-/{NAMESPACE}/delete/", 1000),
    ):
        shoot(wide, url, FOLDER / f"{name}.png", path, height, wait=3000)
    _apply(wide, url)
    _palette(wide, url)
    phone = browser.new_page(viewport={"width": 390, "height": 1000}, color_scheme="dark", device_scale_factor=2)
    shoot(phone, url, FOLDER / "phone.png", f"{core}/pods/?namespace={NAMESPACE}", 1000)


def _apply(page: Page, url: str) -> None:
    """A text of two documents, tried before it is sent."""
    page.goto(f"{url}/resources/import/")
    page.locator(".cm-content").fill(TEXT)
    page.get_by_role("button", name="Check (dry run)").click()
    page.wait_for_timeout(3000)
    take(page, FOLDER / "apply.png")


def _palette(page: Page, url: str) -> None:
    page.goto(f"{url}/")
    page.keyboard.press("Control+k")
    page.keyboard.type("logs example")
    page.wait_for_timeout(2000)
    take(page, FOLDER / "palette.png")


def main() -> None:
    """Draw them all."""
    with camera() as (scene, browser):
        prepare(scene.client)
        draw(browser, scene.url)
