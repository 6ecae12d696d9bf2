"""OLM: catalogs and the packages that they offer"""

import time
from urllib.parse import quote

import pytest

from tests.api import TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .olm import PACKAGE_API, Olm

EVERY = f"{PACKAGE_API}/packagemanifests"


def manifest_path(olm: Olm, package: str) -> str:
    return f"{PACKAGE_API}/namespaces/{olm.namespace}/packagemanifests/{package}"


def test_catalog_source(seen: Seen, api: Api, olm: Olm) -> None:
    """A CatalogSource that answers is READY"""
    path = f"/apis/operators.coreos.com/v1alpha1/namespaces/olm/catalogsources/{olm.catalog}"
    found = api.until(path, lambda item: item["status"]["connectionState"]["lastObservedState"] == "READY")
    assert found["status"]["connectionState"]["lastConnect"]
    assert "message" not in found["status"] and "reason" not in found["status"]
    seen.value("state", found["status"]["connectionState"]["lastObservedState"])


@pytest.mark.parametrize("kind", ["nothing", "image", "address"])
def test_catalog_source_that_says_too_little(seen: Seen, olm: Olm, kind: str) -> None:
    """A CatalogSource without what its sourceType needs has the error in its status"""
    spec = {"nothing": {"sourceType": "grpc"}, "image": {"sourceType": "internal"}, "address": {"sourceType": "tea"}}
    created = olm.make("catalogsources", "short", spec[kind])
    seen("create", created)
    path = olm.path("catalogsources", "short")
    found = olm.api.until(path, lambda item: (item.get("status") or {}).get("reason"))
    seen.value("status", found["status"])


def test_catalog_source_is_validated(seen: Seen, olm: Olm) -> None:
    """A CatalogSource needs a spec and a sourceType"""
    seen("no sourceType", olm.make("catalogsources", "short", {}))
    seen("a number", olm.make("catalogsources", "short", {"sourceType": 7}))
    body = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": {"name": "short"}}
    seen("no spec", olm.api.post(olm.path("catalogsources"), body))


def test_package_manifest(seen: Seen, api: Api, olm: Olm) -> None:
    """A PackageManifest has the channels of a package, with entries, heads and what the head's CSV says of itself"""
    found = api.get(manifest_path(olm, "conformance-pots"))
    source = (
        "catalogSourceDisplayName",
        "catalogSourcePublisher",
        "channels.currentCSVDesc.description",
    )
    seen("get", found, without=["metadata", *(f"status.{name}" for name in source)])
    assert [channel["name"] for channel in found.json["status"]["channels"]] == ["fast", "first", "range", "stable"]
    seen("description", found, only=["status.channels.currentCSVDesc.description"])
    meta = found.json["metadata"]
    seen.value("metadata", {**meta, "labels": {key: meta["labels"][key] for key in sorted(meta["labels"])}})


def test_package_with_one_channel(seen: Seen, api: Api, olm: Olm) -> None:
    """What a CSV owns and requires is in the description of its channel's head"""
    for package in ("conformance-cups", "conformance-modes", "conformance-needs"):
        seen(package, api.get(manifest_path(olm, package)), only=["status.channels", "status.defaultChannel"])


def test_deprecations(seen: Seen, api: Api, olm: Olm) -> None:
    """What is deprecated says so: a package, a channel, a version"""
    found = api.get(manifest_path(olm, "conformance-antiques"))
    seen("package", found, only=["status.deprecation", "status.defaultChannel"])
    seen("channels", found, only=["status.channels.name", "status.channels.deprecation"])
    seen("entries", found, only=["status.channels.entries"])


def test_package_that_is_not_there(seen: Seen, api: Api, olm: Olm) -> None:
    """A package that no catalog has is not found"""
    seen("get", api.get(manifest_path(olm, "conformance-nothing")))
    seen("icon", api.get(f"{manifest_path(olm, 'conformance-nothing')}/icon"))


def test_package_without_an_icon(seen: Seen, api: Api, olm: Olm) -> None:
    """A package without an icon is given a default one"""
    found = api.get(f"{manifest_path(olm, 'conformance-pots')}/icon")
    assert found.raw.startswith(b"<svg") or b"<svg" in found.raw
    seen.value("status and type", [found.status, found.headers["content-type"]])


def test_every_namespace_has_the_global_packages(seen: Seen, api: Api, olm: Olm) -> None:
    """A global catalog's packages are in every namespace, named as of that namespace"""
    label = quote(f"catalog={olm.catalog}")
    found = api.get(f"{PACKAGE_API}/namespaces/{olm.namespace}/packagemanifests?labelSelector={label}").json
    mine = {item["metadata"]["name"]: item["metadata"] for item in found["items"]}
    assert mine["conformance-pots"]["namespace"] == olm.namespace
    seen.value("list", found, only=["apiVersion", "kind", "metadata"])
    seen.value("names", sorted(name for name in mine if name.startswith("conformance-")))
    everywhere = api.get(f"{EVERY}?labelSelector={label}").json["items"]
    spaces = {item["metadata"]["namespace"] for item in everywhere}
    seen.value("namespaces in the list of all", sorted(spaces))
    assert api.get(f"{PACKAGE_API}/namespaces/nowhere-at-all/packagemanifests").json["items"]


def test_selectors(seen: Seen, api: Api, olm: Olm) -> None:
    """Packages can be selected by labels and by name"""
    base = f"{PACKAGE_API}/namespaces/{olm.namespace}/packagemanifests"
    assert api.get(f"{base}?labelSelector=catalog%3Dnone").json["items"] == []
    for query in ("labelSelector=provider%3DNobody", "fieldSelector=metadata.name%3Dconformance-pots"):
        items = api.get(f"{base}?{query}").json["items"]
        names = {item["metadata"]["name"] for item in items if item["metadata"]["name"].startswith("conformance-")}
        seen.value(query, sorted(names))
    seen("an unreadable selector", api.get(f"{base}?labelSelector=%3D%3D%3D"))


def test_what_can_not_be_done(seen: Seen, api: Api, olm: Olm) -> None:
    """Packages can neither be made nor changed nor watched"""
    path = manifest_path(olm, "conformance-pots")
    body = {"apiVersion": "packages.operators.coreos.com/v1", "kind": "PackageManifest", "metadata": {"name": "new"}}
    seen("post", api.post(path.rpartition("/")[0], body))
    seen("delete", api.delete(path))
    seen("patch", api.patch(path, {}))


def test_discovery(seen: Seen, api: Api, catalog: str) -> None:
    """The package API is discovered as any other"""
    seen("group", api.get(PACKAGE_API.rpartition("/")[0]), only=["kind", "name", "versions", "preferredVersion"])
    seen("resources", api.get(PACKAGE_API))


def test_tables(seen: Seen, k: Kubectl, olm: Olm) -> None:
    """kubectl prints a package with its catalog and age"""
    printed = k("get", "packagemanifests", "conformance-pots").split()
    seen.value("header", printed[:3])
    assert printed[3] == "conformance-pots"
    table = olm.api.get(manifest_path(olm, "conformance-pots"), accept=TABLE)
    seen("table", table, only=["kind", "columnDefinitions", "rows.object.kind", "rows.object.metadata.name"])


def test_packages_of_a_catalog_of_ones_own(api: Api, olm: Olm) -> None:
    """A CatalogSource that can not be reached offers nothing"""
    olm.make("catalogsources", "far", {"sourceType": "grpc", "address": "127.0.0.1:9"})
    end = time.monotonic() + 10
    path = olm.path("catalogsources", "far")
    while not api.get(path).json.get("status"):
        assert time.monotonic() < end
    label = quote("catalog=far")
    assert (
        api.get(f"{PACKAGE_API}/namespaces/{olm.namespace}/packagemanifests?labelSelector={label}").json["items"] == []
    )
