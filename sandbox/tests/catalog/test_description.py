"""What the package API tells about a CSV."""

import base64

import pytest

from sandbox.catalog.description import describe, icon, images, labels

from .bundles import csv


def test_it_works() -> None:
    found = describe(
        csv(
            "tea",
            "1.0.0",
            provider={"name": "Us", "url": "https://x.dev"},
            keywords=["hot"],
            links=[{"name": "a", "url": "b"}],
        )
    )
    assert found["displayName"] == "Tea"
    assert found["provider"] == {"name": "Us", "url": "https://x.dev"}
    assert found["keywords"] == ["hot"]
    assert "icon" not in found
    assert found["installModes"] == [{"type": "AllNamespaces", "supported": True}]


def test_images_are_those_of_the_containers_and_the_listed_ones() -> None:
    pod = {"template": {"spec": {"containers": [{"image": "b"}], "initContainers": [{"image": "c"}]}}}
    install = {"strategy": "deployment", "spec": {"deployments": [{"name": "x", "spec": pod}]}}
    assert images(csv("tea", "1", install=install, relatedImages=[{"name": "n", "image": "a"}])) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "entries", [None, [], [{}], [{"base64data": "***", "mediatype": "image/png"}], [{"base64data": None}]]
)
def test_a_bad_icon_is_none(entries: object) -> None:
    assert icon(csv("tea", "1", icon=entries)) is None


def test_an_icon_with_line_breaks() -> None:
    text = base64.b64encode(b"<svg/>").decode()
    assert icon(csv("tea", "1", icon=[{"base64data": text[:4] + "\n" + text[4:], "mediatype": "image/svg+xml"}])) == (
        b"<svg/>",
        "image/svg+xml",
    )


def test_labels_say_linux_when_the_csv_does_not() -> None:
    found = labels(csv("tea", "1", provider={"name": "Us"}))
    assert found["provider"] == "Us"
    assert found["operatorframework.io/os.linux"] == "supported"
    assert found["operatorframework.io/arch.amd64"] == "supported"
