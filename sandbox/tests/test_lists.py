"""Lists: pages, selectors, versions."""

import gzip
import http.client

from tests.api import Api, config_map

#: In every namespace.
ROOT_CA = "kube-root-ca.crt"


def _names(answer: dict) -> list[str]:
    return [item["metadata"]["name"] for item in answer["items"]]


def test_pages_hold_everything_once(api: Api, maps: str) -> None:
    for number in range(7):
        api.post(maps, config_map(f"m{number}"))
    page = api.get(f"{maps}?limit=3").json
    assert page["metadata"]["remainingItemCount"] == 5
    names, version = _names(page), page["metadata"]["resourceVersion"]
    while token := page["metadata"].get("continue"):
        page = api.get(f"{maps}?limit=3&continue={token}").json
        names += _names(page)
        assert page["metadata"]["resourceVersion"] == version
    assert names == [ROOT_CA, *(f"m{number}" for number in range(7))]


def test_a_page_misses_nothing_that_a_watch_from_it_brings(api: Api, maps: str) -> None:
    for name in ("a", "b", "c"):
        api.post(maps, config_map(name))
    first = api.get(f"{maps}?limit=2").json
    api.patch(f"{maps}/a", {"data": {"k": "late"}})
    api.get(f"{maps}?limit=2&continue={first['metadata']['continue']}")
    with api.watch(f"{maps}?watch=1&resourceVersion={first['metadata']['resourceVersion']}") as watch:
        assert watch.next()["object"]["data"] == {"k": "late"}


def test_label_selectors(api: Api, maps: str) -> None:
    for name, labels in (("a", {"x": "1"}), ("b", {"x": "2", "y": ""}), ("c", {})):
        api.post(maps, {"metadata": {"name": name, "labels": labels}})
    for selector, wanted in (
        ("x%3D1", ["a"]),
        ("x!%3D1", ["b", "c", ROOT_CA]),
        ("x+in+(1,2)", ["a", "b"]),
        ("x+notin+(1)", ["b", "c", ROOT_CA]),
        ("y", ["b"]),
        ("!x", ["c", ROOT_CA]),
        ("x,y", ["b"]),
        ("x%3E1", ["b"]),
    ):
        assert _names(api.get(f"{maps}?labelSelector={selector}").json) == wanted, selector
    assert api.get(f"{maps}?labelSelector=a+b").status == 400


def test_field_selectors(api: Api, namespace: str, maps: str) -> None:
    api.post(maps, config_map("a"))
    api.post(maps, config_map("b"))
    assert _names(api.get(f"{maps}?fieldSelector=metadata.name%3Da").json) == ["a"]
    everywhere = f"/api/v1/configmaps?fieldSelector=metadata.namespace%3D{namespace},metadata.name!%3Da"
    assert _names(api.get(everywhere).json) == ["b", ROOT_CA]
    assert "is not a known field selector" in api.get(f"{maps}?fieldSelector=data.k%3D1").message


def test_versions(api: Api, maps: str) -> None:
    created = api.post(maps, config_map("a")).json["metadata"]["resourceVersion"]
    assert api.get(f"{maps}?resourceVersion=0").status == 200
    assert api.get(f"{maps}?resourceVersion={created}&resourceVersionMatch=NotOlderThan").status == 200
    assert api.get(f"{maps}?resourceVersion=999999999").status == 504
    assert api.get(f"{maps}?resourceVersion=1&resourceVersionMatch=Exact").json["items"] == []
    assert api.get(f"{maps}?resourceVersionMatch=Exact").causes == [("resourceVersionMatch", "FieldValueForbidden")]
    assert api.get(f"{maps}?resourceVersion=abc").status == 400
    assert api.get(f"{maps}?continue=abc").status == 400
    assert api.get(f"{maps}?limit=x").status == 400


def test_items_of_built_in_kinds_have_no_kind(api: Api, maps: str) -> None:
    api.post(maps, config_map("a"))
    found = api.get(maps).json
    assert (found["kind"], found["apiVersion"]) == ("ConfigMapList", "v1")
    assert "kind" not in found["items"][0]


def test_large_answers_are_compressed_when_asked(api: Api, maps: str) -> None:
    for number in range(3):
        api.post(maps, config_map(f"m{number}", text="x" * 100_000))
    connection = http.client.HTTPConnection(api.host)
    connection.request("GET", maps, headers={"Authorization": f"Bearer {api.token}", "Accept-Encoding": "gzip"})
    response = connection.getresponse()
    assert response.headers["content-encoding"] == "gzip"
    body = response.read()
    assert len(body) < 10_000
    assert len(gzip.decompress(body)) > 300_000
    connection.close()


def test_metadata_only(api: Api, maps: str) -> None:
    api.post(maps, config_map("a", k="v"))
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    found = api.get(maps, accept=accept).json
    assert found["kind"] == "PartialObjectMetadataList"
    assert set(found["items"][0]) == {"kind", "apiVersion", "metadata"}
