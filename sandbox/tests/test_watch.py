"""Watches: from a version, from the state, with bookmarks, as Tables; nothing is missed, nothing comes twice."""

import threading

from tests.api import TABLE, Api, Watch, config_map

#: All but the ConfigMap that is in every namespace.
OTHERS = "fieldSelector=metadata.name!%3Dkube-root-ca.crt"


def test_from_a_version(api: Api, maps: str) -> None:
    version = api.get(maps).json["metadata"]["resourceVersion"]
    api.post(maps, config_map("a"))
    api.patch(f"{maps}/a", {"data": {"k": "v"}})
    api.delete(f"{maps}/a")
    with api.watch(f"{maps}?watch=true&resourceVersion={version}") as watch:
        events = [watch.next() for _ in range(3)]
    assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(versions) and len(set(versions)) == 3


def test_from_the_state(api: Api, maps: str) -> None:
    api.post(maps, config_map("a"))
    with api.watch(f"{maps}?watch=true&{OTHERS}") as watch:
        assert watch.next()["object"]["metadata"]["name"] == "a"
        api.post(maps, config_map("b"))
        assert watch.next()["object"]["metadata"]["name"] == "b"


def test_streaming_list(api: Api, maps: str) -> None:
    api.post(maps, config_map("a"))
    query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    with api.watch(f"{maps}?{query}&{OTHERS}") as watch:
        assert watch.next()["type"] == "ADDED"
        mark = watch.next()
    assert mark["type"] == "BOOKMARK"
    assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert api.get(f"{maps}?watch=1&sendInitialEvents=true").causes == [("resourceVersionMatch", "FieldValueForbidden")]


def test_selectors_turn_changes_into_comings_and_goings(api: Api, maps: str) -> None:
    version = api.get(maps).json["metadata"]["resourceVersion"]
    with api.watch(f"{maps}?watch=1&resourceVersion={version}&labelSelector=x%3D1") as watch:
        api.post(maps, config_map("a"))
        api.patch(f"{maps}/a", {"metadata": {"labels": {"x": "1"}}})
        api.patch(f"{maps}/a", {"data": {"k": "v"}})
        api.patch(f"{maps}/a", {"metadata": {"labels": {"x": "2"}}})
        api.delete(f"{maps}/a")
        api.post(maps, {"metadata": {"name": "b", "labels": {"x": "1"}}})
        found = [(event["type"], event["object"]["metadata"]["name"]) for event in (watch.next() for _ in range(4))]
    assert found == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a"), ("ADDED", "b")]


def test_as_tables(api: Api, maps: str) -> None:
    api.post(maps, config_map("a", k="v"))
    with api.watch(f"{maps}?watch=1&resourceVersion=0&{OTHERS}", accept=TABLE) as watch:
        first = watch.next()["object"]
        assert [column["name"] for column in first["columnDefinitions"]] == ["Name", "Data", "Age"]
        assert first["rows"][0]["cells"][:2] == ["a", 1]
        api.patch(f"{maps}/a", {"data": {"l": "w"}})
        second = watch.next()["object"]
    assert second["columnDefinitions"] is None
    assert second["rows"][0]["cells"][:2] == ["a", 2]


def test_timeout_ends_the_stream(api: Api, maps: str) -> None:
    with api.watch(f"{maps}?watch=1&timeoutSeconds=1&{OTHERS}") as watch:
        assert list(watch) == []


def test_a_version_of_the_future_is_waited_for(api: Api, maps: str) -> None:
    with api.watch(f"{maps}?watch=1&resourceVersion=999999999&timeoutSeconds=1") as watch:
        api.post(maps, config_map("a"))
        assert list(watch) == []


def test_one_object(api: Api, maps: str) -> None:
    api.post(maps, config_map("a"))
    api.post(maps, config_map("b"))
    with api.watch(f"{maps}?watch=1&fieldSelector=metadata.name%3Db") as watch:
        assert watch.next()["object"]["metadata"]["name"] == "b"


def test_many_watchers_see_every_change_in_order(api: Api, maps: str) -> None:
    version = api.get(maps).json["metadata"]["resourceVersion"]
    api.post(maps, config_map("a", n="0"))
    seen: list[list[str]] = []

    def follow() -> None:
        with Watch(api, f"{maps}?watch=1&resourceVersion={version}") as watch:
            seen.append([watch.next()["object"]["data"]["n"] for _ in range(51)])

    threads = [threading.Thread(target=follow) for _ in range(5)]
    for thread in threads:
        thread.start()
    for number in range(1, 51):
        api.patch(f"{maps}/a", {"data": {"n": str(number)}})
    for thread in threads:
        thread.join(20)
    assert seen == [[str(number) for number in range(51)]] * 5
