"""The index over the real catalog, and over one that changes."""

from typing import Any

import pytest

from kube.client import ClusterClient
from operatorhub.indexing import index
from operatorhub.models import Icon, Index, Package
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db
#: The real ones and our own.
PACKAGES = 268 + len(list((ROOT / "examples" / "operators" / "packages").glob("*/package.json")))


def revision(client: ClusterClient) -> int:
    return Index.objects.get(cluster=client.name).revision


def test_the_real_catalog(full_cluster: ClusterClient) -> None:
    outcome = index.build(full_cluster)
    assert outcome == index.BuildOutcome(PACKAGES, 0, PACKAGES)
    argocd = Package.objects.get(name="argocd-operator")
    assert (argocd.title, argocd.level, argocd.catalog, argocd.namespace) == ("Argo CD", 4, "community-catalog", "olm")
    assert "applications.argoproj.io" in argocd.crds
    assert argocd.modes == ["AllNamespaces"]
    # The same again writes nothing, and readers need not read again.
    before = revision(full_cluster)
    assert index.build(full_cluster) == index.BuildOutcome(0, 0, PACKAGES)
    assert revision(full_cluster) == before
    # All but a few icons are images, and equal ones are kept once.
    assert index.fetch_icons(full_cluster) >= 266
    assert 150 < Icon.objects.count() < 230
    assert index.fetch_icons(full_cluster) == 0


def manifest(name: str, **desc: Any) -> Package:
    status = {
        "catalogSource": "cat",
        "catalogSourceNamespace": "olm",
        "packageName": name,
        "defaultChannel": "b",
        "channels": [{"name": "a"}, {"name": "b", "currentCSV": f"{name}.v1", "currentCSVDesc": desc}],
    }
    found = index.msgspec.convert({"metadata": {"name": name}, "status": status}, index._Manifest)
    return index.package_row("c", found)


def rows(*packages: Package) -> dict[tuple[str, str, str], Package]:
    return {(package.namespace, package.catalog, package.name): package for package in packages}


def test_only_what_changed_is_written() -> None:
    Index.objects.create(cluster="c")
    assert index._write("c", rows(manifest("one"), manifest("two")), "s") == index.BuildOutcome(2, 0, 2)
    keys = dict(Package.objects.values_list("name", "pk"))
    assert index._write("c", rows(manifest("one"), manifest("two", displayName="Two")), "s") == index.BuildOutcome(
        1, 0, 2
    )
    assert dict(Package.objects.values_list("name", "pk")) == keys
    assert Package.objects.get(name="two").title == "Two"
    assert index._write("c", rows(manifest("two", displayName="Two")), "s") == index.BuildOutcome(0, 1, 1)
    assert Index.objects.get(cluster="c").revision == 3


def test_odd_manifests_are_read() -> None:
    odd = manifest(
        "odd",
        displayName=None,
        keywords="no list",
        installModes={},
        provider="nobody",
        annotations={"capabilities": 7},
        version=1.5,
    )
    assert (odd.title, odd.keywords, odd.modes, odd.provider, odd.level, odd.version) == ("odd", [], [], "", 0, "1.5")
    assert len(manifest("x" * 300, displayName="y" * 9000).title) == 512


def test_one_builder_at_a_time(client: ClusterClient) -> None:
    assert index._begin(client.name)
    assert index.build(client) is None
