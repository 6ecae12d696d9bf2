"""Where a ClusterCatalog's contents are, by its status; the pages' tests read a real one."""

from typing import Any

import pytest

from kube.errors import Forbidden
from operatorhub.sources import clustercatalogs
from operatorhub.sources.drafts import SourceError

REF = f"x.io/catalog@sha256:{'0' * 64}"
SERVING = {"type": "Serving", "status": "True"}


class Cluster:
    """Answers with one ClusterCatalog, and remembers what was asked."""

    def __init__(self, **status: Any) -> None:
        self.status = status
        self.asked: list[str] = []

    def find(self, *_names: str) -> str:
        return "type"

    def get(self, _type: str, name: str) -> dict[str, Any]:
        return {"metadata": {"name": name, "annotations": {clustercatalogs.TITLE: "Ours"}}, "status": self.status}

    def raw(self, _method: str, path: str, **_more: Any) -> bytes:
        self.asked.append(path)
        if "forbidden" in path:
            raise Forbidden("no")
        return b'{"schema": "olm.package"}'


def status(base: str, **more: Any) -> dict[str, Any]:
    image = {"type": "Image", "image": {"ref": REF}}
    return {"conditions": [SERVING], "urls": {"base": base}, "resolvedSource": image, "lastUnpacked": "today"} | more


@pytest.mark.parametrize(
    ("base", "path"),
    [
        (
            "https://catalogd-service.olmv1-system.svc/catalogs/x",
            "olmv1-system/services/https:catalogd-service:443/proxy/catalogs/x",
        ),
        ("http://c.ns.svc.cluster.local:8080/catalogs/x/", "ns/services/c:8080/proxy/catalogs/x"),
    ],
)
def test_through_the_service_proxy(base: str, path: str) -> None:
    cluster: Any = Cluster(**status(base))
    source = clustercatalogs.read_source(cluster, "x")
    assert (source.base, source.image, source.title) == (base, REF, "Ours") and source.digest.startswith("sha256:")
    with clustercatalogs.content(cluster, source) as stream:
        assert stream.read() == b'{"schema": "olm.package"}'
    assert cluster.asked == [f"/api/v1/namespaces/{path}/api/v1/all"]


def test_from_the_image_where_nothing_is_served() -> None:
    cluster: Any = Cluster(**status("https://a.b.svc/catalogs/x", conditions=[]))
    source = clustercatalogs.read_source(cluster, "x")
    assert (source.base, source.image) == ("", REF)


def test_neither() -> None:
    cluster: Any = Cluster(conditions=[{"type": "Progressing", "reason": "Retrying", "message": "cannot pull"}])
    with pytest.raises(SourceError, match=r"doesn't serve any content yet\. cannot pull"):
        clustercatalogs.read_source(cluster, "x")


@pytest.mark.parametrize(
    ("base", "words"), [("https://localhost/x", "isn't a Service"), ("https://a.forbidden.svc/x", "can't be read: no")]
)
def test_what_can_not_be_read(base: str, words: str) -> None:
    cluster: Any = Cluster(**status(base))
    source = clustercatalogs.read_source(cluster, "x")
    with pytest.raises(SourceError, match=words), clustercatalogs.content(cluster, source):
        pass
