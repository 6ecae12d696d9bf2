"""A name is one part of an address of the API, or none at all."""

import pytest

from kube.discovery import ResourceType, path_segment
from kube.errors import NotFound

MAPS = ResourceType(group="", version="v1", plural="configmaps", kind="ConfigMap", namespaced=True)


@pytest.mark.parametrize("name", [".", "..", "a/b", "../..", "%2e%2e", "web%2Fexec", "/"])
def test_what_would_be_another_address_is_no_name(name: str) -> None:
    with pytest.raises(NotFound):
        path_segment(name)
    with pytest.raises(NotFound):
        MAPS.path("demo", name)
    with pytest.raises(NotFound):
        MAPS.path(name)


@pytest.mark.parametrize(
    ("name", "part"),
    [("...", "..."), ("a.b", "a.b"), ("x?y#z", "x%3Fy%23z"), ("<b>", "%3Cb%3E"), ("system:a b", "system%3Aa%20b")],
)
def test_all_else_is(name: str, part: str) -> None:
    assert MAPS.path("demo", name) == f"/api/v1/namespaces/demo/configmaps/{part}"
