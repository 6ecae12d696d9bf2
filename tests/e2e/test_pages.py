"""Every kind of page, wide and narrow, light and dark, in both languages: nothing hangs out, no script fails, no
content policy is broken.

In one look, the journey's, axe judges the main ones too; the others of its looks are test_accessibility.py's.
"""

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from kube.client import ClusterClient
from tests.chromium import Contexts
from tests.e2e.accessibility import overhangs, violations
from tests.e2e.conftest import Site

# The page of our own package, in whichever catalog this cluster has it.
PACKAGE = "<package>"
# Its namespace, with what these pages show.
SPACE = "<space>"
DEFINITION = "/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/subscriptions.operators.coreos.com/"
WEB = f"/resources/apps/v1/deployments/{SPACE}/web/"
SECRETS = "/resources/core/v1/secrets/"
#: Judged by axe in the journey's look.
MAIN = (
    "/",
    "/operatorhub/",
    PACKAGE,
    f"{PACKAGE}install/",
    "/operators/?namespace=-",
    "/resources/",
    f"/resources/apps/v1/deployments/?namespace={SPACE}",
    WEB,
    f"{WEB}edit/",
    f"{WEB}yaml/",
    f"/resources/core/v1/configmaps/new/?namespace={SPACE}",
    "/settings/",
)
PAGES = (
    *MAIN,
    "/operatorhub/?q=nothing-has-this-name",
    "/operatorhub/olm/",
    "/operatorhub/levels/",
    "/operatorhub/compare/",
    "/operatorhub/run/",
    "/operatorhub/catalogs/",
    "/operatorhub/catalogs/new/?kind=own",
    "/extensions/",
    "/operators/services/?namespace=-",
    "/operators/import/",
    "/operators/-/installplans/",
    f"/operators/{SPACE}/groups/",
    f"/operators/{SPACE}/groups/+/",
    "/command-line-tools/",
    "/quick-starts/",
    "/resources/import/",
    "/resources/forwards/",
    "/resources/who-can/?verb=get&resource=pods&namespace=default",
    f"/resources/search/?q=web&namespace={SPACE}",
    f"/resources/events/?namespace={SPACE}",
    "/resources/history/",
    "/resources/favourites/",
    "/resources/saved/",
    "/resources/apps/v1/deployments/explain/",
    f"{WEB}history/",
    f"{WEB}delete/",
    f"{WEB}scale/",
    f"{WEB}act/restart/",
    f"{WEB}finalizers/",
    f"{WEB}labels/",
    f"{WEB}logs/",
    f"{SECRETS}{SPACE}/login/",
    f"{SECRETS}new-values/?namespace={SPACE}",
    f"/resources/rbac.authorization.k8s.io/v1/rolebindings/new-binding/?namespace={SPACE}",
    DEFINITION,
    f"{DEFINITION}delete/",
    "/resources/core/v1/namespaces/",
    f"/resources/core/v1/namespaces/-/{SPACE}/",
    f"/resources/core/v1/namespaces/-/{SPACE}/contents/",
    f"/resources/core/v1/namespaces/-/{SPACE}/delete/",
    f"/resources/core/v1/configmaps/new-yaml/?namespace={SPACE}",
    "/clusters/",
    "/namespaces/",
    "/audit/",
    "/no-such-page/",
)


@pytest.fixture
def space(client: ClusterClient) -> Iterator[str]:
    type_, name = client.find("", "v1", "namespaces"), f"pages-{uuid4().hex[:6]}"
    client.create(type_, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login"}, "stringData": {"user": "me"}}
    client.create(client.find("", "v1", "secrets"), secret, name)
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    client.create(client.find("apps", "v1", "deployments"), web, name)
    yield name
    client.delete(type_, name)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [
        pytest.param(1400, "light", "en-US", marks=pytest.mark.journey),
        (1400, "dark", "ko-KR"),
        (360, "dark", "en-US"),
        (360, "light", "ko-KR"),
        # The longest words, and a language without spaces.
        (360, "dark", "fr-FR"),
        (1400, "light", "ja-JP"),
    ],
)
def test_every_page(site: Site, contexts: Contexts, space: str, width: int, scheme: Any, language: str) -> None:
    context = contexts(viewport={"width": width, "height": 900}, color_scheme=scheme, locale=language)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{site.url}/operatorhub/?q=sampledb")
    package = page.locator("[data-tile] a").first.get_attribute("href") or ""
    found: list[str] = []
    for path in PAGES:
        address = path.replace(PACKAGE, package).replace(SPACE, space)
        page.goto(f"{site.url}{address}")
        complaints += [str(overhang) for overhang in overhangs(page)]
        if path in MAIN and (width, scheme) == (1400, "light"):
            complaints += [str(violation) for violation in violations(page)]
        found += [
            f"{address} {complaint}"
            for complaint in complaints
            if not re.search(r"Failed to load resource.*(404|501)", complaint)
        ]
        complaints.clear()
    assert not found, "\n".join(found)
