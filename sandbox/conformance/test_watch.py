"""Watches: from where, what comes, when they end"""

from typing import Any
from urllib.parse import quote

import pytest

from tests.api import CRDS, Api, Watch, config_map, custom_resource_definition

from .observations import Seen


def next_events(watch: Watch, count: int) -> list[list[Any]]:
    """[type, name, data] of the next events."""
    events = [watch.next() for _ in range(count)]
    return [[event["type"], event["object"]["metadata"].get("name"), event["object"].get("data")] for event in events]


def version(api: Api, path: str) -> str:
    found: str = api.get(path).json["metadata"]["resourceVersion"]
    return found


def test_events(seen: Seen, api: Api, maps: str) -> None:
    """From a version on each change is sent once, in order"""
    since = version(api, maps)
    with api.watch(f"{maps}?watch=1&resourceVersion={since}") as watch:
        api.post(maps, config_map("a", k="1"))
        api.patch(f"{maps}/a", {"data": {"k": "2"}})
        api.patch(f"{maps}/a", {"data": {"k": "2"}})
        api.delete(f"{maps}/a")
        api.post(maps, config_map("b"))
        events = [watch.next() for _ in range(4)]
    seen.value("events", events)
    last = events[2]["object"]["metadata"]["resourceVersion"]
    with api.watch(f"{maps}?watch=1&resourceVersion={last}") as watch:
        assert next_events(watch, 1) == [["ADDED", "b", None]]


@pytest.mark.parametrize("since", ["", "&resourceVersion=0"])
def test_without_a_version(seen: Seen, api: Api, maps: str, since: str) -> None:
    """Without a version, or from 0, what there is comes first"""
    api.post(maps, config_map("a", k="1"))
    version(api, maps)
    with api.watch(f"{maps}?watch=1&labelSelector=!x&fieldSelector=metadata.name!%3Dkube-root-ca.crt{since}") as watch:
        present = next_events(watch, 1)
        api.post(maps, config_map("b"))
        assert present + next_events(watch, 1) == [["ADDED", "a", {"k": "1"}], ["ADDED", "b", None]]


def test_label_selector(seen: Seen, api: Api, maps: str) -> None:
    """Objects come into a selection and leave it"""
    since = version(api, maps)

    def label(name: str, value: str | None) -> None:
        api.patch(f"{maps}/{name}", {"metadata": {"labels": {"l": value}}})

    with api.watch(f"{maps}?watch=1&labelSelector=l%3D1&resourceVersion={since}") as watch:
        api.post(maps, config_map("a", k="v"))
        label("a", "1")
        api.patch(f"{maps}/a", {"data": {"k": "w"}})
        label("a", "2")
        api.delete(f"{maps}/a")
        api.post(maps, {"metadata": {"name": "b", "labels": {"l": "1"}}})
        api.delete(f"{maps}/b")
        events = [watch.next() for _ in range(5)]
    seen.value("events", events)


def test_field_selector(seen: Seen, api: Api, maps: str) -> None:
    """One object is watched by its name"""
    since = version(api, maps)
    with api.watch(f"{maps}?watch=1&fieldSelector=metadata.name%3Db&resourceVersion={since}") as watch:
        api.post(maps, config_map("a"))
        api.post(maps, config_map("b"))
        api.delete(f"{maps}/b")
        assert [event[:2] for event in next_events(watch, 2)] == [["ADDED", "b"], ["DELETED", "b"]]
    with api.watch(f"{maps}/a?watch=1&resourceVersion={since}") as watch:
        status, kind = watch.status, watch.headers["content-type"]
    seen.value("watch of a path to one object", [status, kind])


def test_old_watch_paths(seen: Seen, api: Api, maps: str) -> None:
    """The old paths below /watch still work"""
    since = version(api, maps)
    old = maps.replace("/api/v1/", "/api/v1/watch/")
    with api.watch(f"{old}?resourceVersion={since}") as watch:
        assert watch.status == 200
        api.post(maps, config_map("a"))
        assert next_events(watch, 1) == [["ADDED", "a", None]]
    with api.watch(f"{old}/b?resourceVersion={since}") as watch:
        api.post(maps, config_map("b"))
        assert next_events(watch, 1) == [["ADDED", "b", None]]
    seen("unknown", api.get(old.replace("configmaps", "nothings")))


def test_deletion_with_finalizers(seen: Seen, api: Api, maps: str) -> None:
    """Being marked is a change, going is the deletion"""
    since = version(api, maps)
    with api.watch(f"{maps}?watch=1&resourceVersion={since}") as watch:
        api.post(maps, {"metadata": {"name": "a", "finalizers": ["a.example/x"]}})
        api.delete(f"{maps}/a")
        api.patch(f"{maps}/a", {"metadata": {"finalizers": None}})
        seen.value("events", [watch.next() for _ in range(3)])


def test_streaming_list(seen: Seen, api: Api, maps: str) -> None:
    """sendInitialEvents brings what there is, then a bookmark that says so"""
    api.post(maps, config_map("a"))
    options = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    with api.watch(f"{maps}?watch=1&fieldSelector=metadata.name%3Da&{options}") as watch:
        first, mark = watch.next(), watch.next()
        seen.value("initial", first)
        seen.value("bookmark", mark)
        api.patch(f"{maps}/a", {"data": {"k": "v"}})
        assert next_events(watch, 1) == [["MODIFIED", "a", {"k": "v"}]]
    assert int(mark["object"]["metadata"]["resourceVersion"]) >= int(first["object"]["metadata"]["resourceVersion"])


def test_timeout(seen: Seen, api: Api, maps: str) -> None:
    """timeoutSeconds ends the stream in good order"""
    with api.watch(f"{maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone") as watch:
        seen.value("status", [watch.status, watch.headers["content-type"]])
        assert list(watch) == []


def test_refused(seen: Seen, api: Api, maps: str) -> None:
    """Options of a watch must fit together"""
    for query in (
        "resourceVersion=x",
        "resourceVersion=-1",
        "timeoutSeconds=x",
        "resourceVersionMatch=NotOlderThan",
        "resourceVersionMatch=Exact&resourceVersion=1",
        "sendInitialEvents=true",
        "sendInitialEvents=true&resourceVersionMatch=Exact",
        "sendInitialEvents=false",
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
        "labelSelector=,",
        "fieldSelector=x",
    ):
        with api.watch(f"{maps}?watch=1&{query}") as watch:
            seen(query, watch.refusal())


def test_versions_out_of_reach(seen: Seen, api: Api, maps: str) -> None:
    """A version of the future is waited for in silence"""
    future = str(int(version(api, maps)) + 1_000_000)
    with api.watch(f"{maps}?watch=1&resourceVersion={future}&timeoutSeconds=1") as watch:
        api.post(maps, config_map("a"))
        seen.value("status and events", [watch.status, list(watch)])


def test_what_counts_as_watch(seen: Seen, api: Api, maps: str) -> None:
    """watch=false and watch=0 list; all else watches"""
    found = {}
    for value in ("1", "true", "0", "false", "False", "maybe", ""):
        with api.watch(f"{maps}?watch={value}&timeoutSeconds=1&fieldSelector=metadata.name%3Dkube-root-ca.crt") as item:
            found[value] = sorted(item.next())
    seen.value("first line", {key: value[0] for key, value in found.items()})


def test_custom_resources(seen: Seen, api: Api, group: str, namespace: str) -> None:
    """Custom resources are watched the same way; the end of their CRD ends the watch"""
    assert api.post(CRDS, custom_resource_definition(group, "things", "Thing")).status == 201
    path = f"/apis/{group}/v1/namespaces/{namespace}/things"
    since = api.until(path, lambda _: True)["metadata"]["resourceVersion"]
    body = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"x": 1}}
    with api.watch(f"{path}?watch=1&resourceVersion={since}") as watch:
        api.post(path, body)
        api.patch(f"{path}/a", {"spec": {"x": 2}})
        api.delete(f"{path}/a")
        seen.value("events", [watch.next() for _ in range(3)])
        with api.watch(f"{path}?watch=1&resourceVersion=x") as refused:
            seen("a bad version", refused.refusal())
        api.delete(f"{CRDS}/things.{group}")
        assert list(watch) == []


def test_metadata_only(seen: Seen, api: Api, maps: str) -> None:
    """A watch of PartialObjectMetadata"""
    since = version(api, maps)
    accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
    with api.watch(f"{maps}?watch=1&resourceVersion={since}", accept=accept) as watch:
        api.post(maps, config_map("a", k="v"))
        api.delete(f"{maps}/a")
        seen.value("events", [watch.next(), watch.next()])
        seen.value("content type", watch.headers["content-type"])


def test_all_namespaces(seen: Seen, api: Api, maps: str) -> None:
    """A watch of all namespaces sees this one"""
    since = version(api, maps)
    mine = quote(f"metadata.namespace={maps.split('/')[4]}")
    with api.watch(f"/api/v1/configmaps?watch=1&resourceVersion={since}&fieldSelector={mine}") as watch:
        api.post(maps, config_map("a"))
        assert next_events(watch, 1) == [["ADDED", "a", None]]
