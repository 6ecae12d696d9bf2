"""All addresses: without sign-in they reveal nothing, without permissions no object's name; and no request of such a
user changes anything.
"""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.signin.models import Impersonation, Session
from kube.client import ClusterClient
from operatorhub import tasks
from operatorhub.models import Catalog, Package, Run
from resources.models import Mark, Traced, Write
from tests.console.signin.addresses import OPEN, addresses
from tests.console.signin.people import People, act_as, browser_of, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def remembered(staff: People, admin: ClusterClient) -> str:
    """What the console keeps of others: an index, a broken catalog, runs, changes, a history, favourites.

    The mark that is in all of it.
    """
    mark, now = staff.mark, timezone.now()
    tasks.refresh_catalogs()
    assert Package.objects.exists()
    Package.objects.update(catalog_title=f"{mark} catalog", title=f"{mark} package")
    Catalog.objects.create(
        cluster=admin.name,
        kind=Catalog.IMAGE,
        namespace="~",
        name=f"{mark}-reader",
        describes=f"{staff.here}/{mark}-source",
        state=Catalog.FAILED,
        error=f"{mark} can't be read",
    )
    Run.objects.create(
        key="0" * 32,
        kind="uninstall",
        cluster=admin.name,
        namespace=staff.here,
        name=f"{mark}-csv",
        user=staff.name("boss"),
        document={"title": mark, "items": [], "apis": [], "namespace": staff.here, "csv": f"{mark}-csv"},
        started_at=now,
        touched_at=now,
    )
    place = {"group": "", "version": "v1", "plural": "configmaps", "kind": "ConfigMap", "namespace": staff.here}
    Write.objects.create(
        key="0" * 32,
        cluster=admin.name,
        user=staff.name("boss"),
        at=now,
        verb="delete",
        name=f"{mark}-gone",
        uid="u",
        **place,
    )
    Traced.objects.create(
        cluster=admin.name,
        uid="u",
        name=f"{mark}-gone",
        resource_version="1",
        began_at=now,
        deleted_at=now,
        head=b"",
        **place,
    )
    Mark.objects.create(
        cluster=admin.name, user=staff.name("boss"), sort=Mark.FAVOURITE, at=now, name=f"{mark}-favourite", **place
    )
    return mark


def test_to_nobody_every_address_says_to_sign_in_and_nothing_else(staff: People, remembered: str) -> None:
    browser = browser_of()
    requests = 0
    for address in addresses(staff.mark):
        if address in OPEN:
            continue
        for method, headers in (("get", {}), ("post", {}), ("get", {"hx-request": "true"})):
            if (method, address) == ("post", "/settings/"):
                continue
            answer = getattr(browser, method)(address, headers=headers)
            if address.startswith("/api/"):
                assert (answer.status_code, answer.json()["reason"]) == (401, "Unauthorized"), (method, address)
                text = json.dumps(answer.json())
            elif headers:
                assert answer.status_code == 401 and answer["HX-Redirect"].startswith("/sign-in/"), address
                text = answer.content.decode()
            else:
                assert answer.status_code == 302 and answer["Location"].startswith("/sign-in/"), (method, address)
                text = answer.content.decode()
            assert remembered not in text, address
            assert answer["Cache-Control"] == "no-store, private"
            requests += 1
    assert requests > 300, requests
    assert browser.get("/does/not/exist/")["Location"] == "/sign-in/?next=%2Fdoes%2Fnot%2Fexist%2F"


def test_what_is_open_is_open(staff: People, remembered: str) -> None:
    browser = browser_of()
    assert browser.get("/healthz").status_code == 200
    assert browser.get("/readyz?only=database").status_code == 200
    for address in ("/readyz", "/metrics", "/sign-in/"):
        answer = browser.get(address)
        assert answer.status_code in (200, 503) and remembered not in answer.content.decode()
    assert browser.post("/settings/", {"language": "ko", "next": "/sign-in/"})["Location"] == "/sign-in/"
    assert '<html lang="ko"' in browser.get("/sign-in/").content.decode()
    assert browser.get("/settings/").status_code == 302


def _without(text: str, address: str) -> str:
    """The answer without what was asked for."""
    for part in sorted({part for part in address.split("/") if part}, key=len, reverse=True):
        text = text.replace(part, "")
    return text


def _packages() -> list[str]:
    """Pages of what is in the index."""
    found = []
    for item in Package.objects.exclude(namespace="~"):
        place = f"{item.namespace}/{item.catalog}"
        found += [
            f"/operatorhub/catalogs/source/{place}/",
            f"/operatorhub/{place}/{item.name}/",
            f"/operatorhub/{place}/{item.name}/install/",
        ]
        found += [f"/operatorhub/icons/p-{item.pk}", f"/api/operatorhub/packages/{place}/{item.name}/"]
    return sorted({*found})


@pytest.fixture(params=["himself", "impersonated", "impersonated by the console's own machine"])
def stranger(request: pytest.FixtureRequest, staff: People, settings: Any) -> Client:
    """A user without permissions, or a user with all permissions who impersonates them."""
    if request.param == "himself":
        return signed_in(staff.stranger)
    settings.SIGN_IN = "token" if request.param == "impersonated" else "local"
    browser = signed_in(staff.boss) if settings.SIGN_IN == "token" else browser_of()
    act_as(browser, staff.name("stranger"))
    return browser


@pytest.mark.timeout(400)
def test_who_has_no_rights_reads_no_name_of_anything(staff: People, remembered: str, stranger: Client) -> None:
    browser = stranger
    leaks = []
    assert len(_packages()) > 8
    for address in [*addresses(staff.mark), *_packages()]:
        answer = browser.get(f"{address}?q={staff.mark[:4]}&namespace=-")
        assert answer.status_code < 500 or answer.status_code == 503, (address, answer.status_code)
        text = answer.getvalue().decode()
        if remembered in (rest := _without(text, address)):
            place = rest.index(remembered)
            leaks.append(f"{address}: {rest[max(0, place - 200) : place + 80]!r}")
    assert not leaks, "\n".join(leaks)
    assert Session.objects.count() + Impersonation.objects.filter(session="").count() == 1


#: As much as any of the forms wants.
FORM = {
    "name": "x",
    "names": "x",
    "confirm": "yes",
    "namespace": "default",
    "yaml": "a: b",
    "text": "a: b",
    "stop": "1",
    "again": "1",
    "anyway": "1",
    "remove": "1",
    "replicas": "3",
    "key": "a",
    "value": "b",
    "labels": "a=b",
    "favourite": "1",
    "~run": "1",
    "delete": "1",
    "approve": "1",
    "address": "http://127.0.0.1:1/x",
}


def _state(admin: ClusterClient, mark: str, shared: bool) -> dict[str, Any]:
    """All objects that a user could have changed; on a cluster that is `shared` with other tests, those in our own
    namespaces.
    """
    found: dict[str, Any] = {}
    for group, plural in (
        ("", "configmaps"),
        ("", "secrets"),
        ("", "serviceaccounts"),
        ("rbac.authorization.k8s.io", "roles"),
        ("operators.coreos.com", "catalogsources"),
        ("operators.coreos.com", "subscriptions"),
    ):
        for item in admin.list(admin.find(group, "", plural)).items:
            meta = item["metadata"]
            if shared and mark not in str(meta.get("namespace")):
                continue
            found[f"{plural} {meta.get('namespace')}/{meta['name']}"] = (
                meta["uid"],
                meta.get("labels"),
                item.get("data"),
                item.get("spec"),
            )
    for item in admin.list(admin.find("", "v1", "namespaces")).items:
        name = item["metadata"]["name"]
        if not shared or mark in name or name in FORM.values():
            found[name] = (item["metadata"]["uid"], item["metadata"].get("deletionTimestamp"))
    return found


def test_nothing_that_such_a_person_sends_changes_anything(
    request: pytest.FixtureRequest, staff: People, remembered: str, admin: ClusterClient, stranger: Client
) -> None:
    shared = bool(request.config.getoption("--kubeconfig"))
    before = _state(admin, staff.mark, shared)
    counts = {model: model.objects.count() for model in (Catalog, Run, Write, Traced)}
    browser = stranger
    for address in addresses(staff.mark):
        if address in OPEN or address == "/view-as/stop/":
            continue
        if address.startswith("/api/"):
            for method in ("post", "put", "patch", "delete"):
                answer = getattr(browser, method)(address, data=json.dumps(FORM), content_type="application/json")
                assert answer.status_code < 500 or answer.status_code == 503, (method, address, answer.content[:300])
                assert remembered not in _without(answer.getvalue().decode(), address), (method, address)
        else:
            answer = browser.post(address, FORM)
            text = answer.getvalue().decode()
            assert answer.status_code < 500 or answer.status_code == 503, (address, text[:300])
            assert remembered not in _without(text, address), address
    assert _state(admin, staff.mark, shared) == before
    assert {model: model.objects.count() for model in counts} == counts
    run = Run.objects.get(key="0" * 32)
    assert (run.state, run.revision, run.user) == ("running", 0, staff.name("boss"))


def test_a_person_sees_what_is_his_and_not_what_another_did(staff: People, admin: ClusterClient) -> None:
    boss, clerk = signed_in(staff.boss), signed_in(staff.clerk)
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    boss.get(address)
    assert f"{staff.mark}-mine" in boss.get("/resources/favourites/").content.decode()  # seen lately
    assert f"{staff.mark}-mine" not in clerk.get("/resources/favourites/").content.decode()
    Write.objects.create(
        key="1" * 32,
        cluster=admin.name,
        user=staff.name("boss"),
        at=timezone.now() - timedelta(seconds=1),
        verb="patch",
        group="",
        version="v1",
        plural="configmaps",
        kind="ConfigMap",
        namespace=staff.here,
        name=f"{staff.mark}-mine",
        uid="u",
    )
    assert clerk.get(f"/resources/undo/{'1' * 32}/").status_code == 404
