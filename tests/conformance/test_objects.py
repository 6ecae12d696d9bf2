"""Create, read, update: names, versions, namespaces, and bodies that do not fit"""

from tests.api import Api, config_map

from .seen import Seen


def test_create_and_get(seen: Seen, api: Api, maps: str) -> None:
    """What is created is what is read"""
    created = seen("create", api.post(maps, config_map("a", k="v")))
    read = seen("get", api.get(f"{maps}/a"))
    assert created.json == read.json
    seen("of nothing", api.get(f"{maps}/b"))
    seen("twice", api.post(maps, config_map("a")))


def test_names(seen: Seen, api: Api, maps: str) -> None:
    """Names follow RFC 1123 and are at most 253 characters"""
    seen("upper case", api.post(maps, config_map("A_b")))
    seen("none", api.post(maps, {"metadata": {}}))
    seen("253 characters", api.post(maps, config_map("a" * 253)))
    seen("254 characters", api.post(maps, config_map("a" * 254)))
    seen("a dot at the end", api.post(maps, config_map("a.")))
    seen("of a Service", api.post(maps.replace("configmaps", "services"), {"metadata": {"name": "1a"}, "spec": {}}))
    seen("of a Namespace", api.post("/api/v1/namespaces", {"metadata": {"name": "a.b"}}))


def test_generate_name(seen: Seen, api: Api, maps: str) -> None:
    """generateName adds five characters"""
    created = api.post(maps, {"metadata": {"generateName": "some-"}})
    name = created.json["metadata"]["name"]
    assert len(name) == 10 and name.startswith("some-")
    seen.alias("generated", name)
    seen("create", created)
    seen("a bad prefix", api.post(maps, {"metadata": {"generateName": "Some-"}}), without=["message", "details.causes"])
