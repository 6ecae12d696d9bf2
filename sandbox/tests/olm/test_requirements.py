"""What a ClusterServiceVersion needs, as OLM lists it."""

from typing import Any

from sandbox.errors import NotFound
from sandbox.olm.requirements import _kinds
from sandbox.outlines import Outline


class Cluster:
    def outline(self, _resource: str, _outline: Outline, name: str) -> Any:
        raise NotFound(name)


def test_a_definition_is_required_once_whatever_its_versions() -> None:
    """H1: Argo CD owns argocds.argoproj.io in two versions; OLM checks each definition once, in the order of names."""
    owned = [{"name": name, "version": version} for name, version in (("b.x", "v1"), ("b.x", "v2"), ("a.x", "v1"))]
    csv = {"spec": {"customresourcedefinitions": {"owned": owned, "required": [{"name": "a.x", "version": "v0"}]}}}
    cluster: Any = Cluster()
    assert [status["name"] for status in _kinds(cluster, csv)] == ["a.x", "b.x"]
