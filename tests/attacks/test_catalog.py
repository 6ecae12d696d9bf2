"""An untrusted catalog: read, indexed, and each of its pages checked."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from kube.client import ClusterClient
from operatorhub import tasks
from operatorhub.models import Catalog, Package
from tests.attacks import catalog, objects
from tests.attacks.test_pages import body, wrong

pytestmark = pytest.mark.django_db
NAME = "attacks"


@pytest.fixture
def packages(cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[list[str]]:
    """Names, as far as the console took them."""
    settings.LOCAL_ONLY = True
    monkeypatch.setattr(tasks, "_asked", lambda _task, *_arguments: True)
    upload = SimpleUploadedFile("<img data-atk src=x onerror=atk()>.json", catalog.archive())
    answer = Client().post(
        "/operatorhub/catalogs/new/", {"kind": "own", "name": NAME, "from": "upload", "save": "1", "file": upload}
    )
    assert answer.status_code == 302, answer.content[:3000]
    yield [*Package.objects.filter(namespace="~").values_list("name", flat=True)]


def test_every_page_of_it_is_harmless(packages: list[str]) -> None:
    assert Catalog.objects.get().state == "ready"
    assert {"full", "p0", "p20"} <= {*packages}
    browser, found = Client(), list[str]()
    paths = [
        f"/operatorhub/catalogs/source/~/{NAME}/",
        "/operatorhub/catalogs/",
        "/operatorhub/?limit=500",
        "/operatorhub/levels/",
        "/api/operatorhub/packages/",
    ]
    paths += [f"/operatorhub/?q={word}" for word in ("script", "data-atk", "%3Cimg", "7777")]
    for number, name in enumerate(sorted(packages)):
        if "/" in name or name in (".", ".."):
            continue
        at = {"namespace": "~", "catalog": NAME, "package": name}
        paths.append(reverse("operatorhub:package", kwargs=at))
        if name == "full" or not number % 12:
            paths += [f"{paths[-1]}?tab={tab}" for tab in ("versions", "permissions", "contents", "apis", "x")] + [
                f"{paths[-1]}?images=1"
            ]
            paths.append(reverse("operatorhub:install", kwargs=at))
            paths.append(reverse("operatorhub:api", kwargs={**at, "crd": f"attacks.{objects.GROUP}"}))
            paths.append(reverse("operatorhub-api:package", kwargs=at))
    for path in paths:
        images = "images=1" in path
        found += [
            f"{path}: {item}" for item in wrong(browser.get(path)) if not (images and "<img>: src leads away" in item)
        ]
    icons = {item for item in Package.objects.filter(namespace="~").values_list("icon", flat=True) if item}
    for digest in icons:
        answer = browser.get(f"/operatorhub/icons/{digest}")
        assert (
            "script-src" not in answer["Content-Security-Policy"]
            and "default-src 'none'" in answer["Content-Security-Policy"]
        )
        assert b"onload" not in body(answer)
    print(f"attacks: {len(paths)} answers about {len(packages)} packages read, {len(icons)} icons")  # noqa: T201  the number is the point
    assert not found, f"{len(found)}:\n" + "\n".join(dict.fromkeys(item[:500] for item in found[:40]))


def test_the_same_given_to_be_run(cluster: ClusterClient, settings: Any) -> None:
    settings.LOCAL_ONLY = True
    for name, data in {
        "<script data-atk>.json": json.dumps(objects.csv("full", objects.ALL)).encode(),
        "../../etc/passwd": json.dumps(objects.definition()).encode(),
        "x\r\nSet-Cookie: a=b.yaml": catalog.archive(),
    }.items():
        answer = Client().post("/operatorhub/run/", {"file": SimpleUploadedFile(name, data), "~look": "1"})
        assert not wrong(answer), name
