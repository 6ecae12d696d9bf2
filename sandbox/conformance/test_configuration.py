"""ConfigMaps and Secrets: data, types, immutability, kubectl"""

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.api import TABLE, Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import path


@pytest.fixture
def secrets(namespace: str) -> str:
    """The path of Secrets."""
    return path(namespace, "secrets")


def _secret(name: str = "a", **fields: Any) -> Any:
    return {"metadata": {"name": name}, **fields}


def _64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_string_data(seen: Seen, api: Api, secrets: str) -> None:
    """stringData is encoded into data, over what is there, and is never read back"""
    body = _secret(data={"a": _64("1"), "b": _64("2")}, stringData={"b": "zwei", "c": "drei"})
    created = seen("create", api.post(secrets, body)).json
    assert created["data"] == {"a": _64("1"), "b": _64("zwei"), "c": _64("drei")}
    assert "stringData" not in created
    seen(
        "patch",
        api.patch(f"{secrets}/a", {"stringData": {"a": "eins"}, "data": {"b": None}}),
        only=["data", "stringData"],
    )
    seen("empty", api.post(secrets, _secret("b", stringData={"k": ""})), only=["data"])


def test_secret_types(seen: Seen, api: Api, secrets: str) -> None:
    """Secrets of known types have what their type needs"""
    dry = f"{secrets}?dryRun=All"
    for name, body in {
        "basic-auth with a user": {"type": "kubernetes.io/basic-auth", "stringData": {"username": "u"}},
        "ssh-auth": {"type": "kubernetes.io/ssh-auth"},
        "tls": {"type": "kubernetes.io/tls", "stringData": {"tls.crt": "c"}},
        "tls of nothing": {"type": "kubernetes.io/tls"},
        "dockercfg": {"type": "kubernetes.io/dockercfg"},
        "dockerconfigjson": {"type": "kubernetes.io/dockerconfigjson"},
        "token": {"type": "kubernetes.io/service-account-token"},
        "own type": {"type": "example.com/own"},
        "no type": {"type": ""},
    }.items():
        seen(name, api.post(dry, _secret(**body)))


def test_secret_data(seen: Seen, api: Api, secrets: str) -> None:
    """Keys are names of files; values are base64 and no more than a megabyte in all"""
    dry = f"{secrets}?dryRun=All"
    seen("bad key", api.post(dry, _secret(data={"a/b": ""})))
    seen("key upwards", api.post(dry, _secret(data={"..": ""})))
    seen("key of two dots in front", api.post(dry, _secret(data={"..a": ""})))
    seen("long key", api.post(dry, _secret(data={"k" * 254: ""})))
    seen("no base64", api.post(dry, _secret(data={"k": "a b"})))
    seen("half base64", api.post(dry, _secret(data={"k": "abc"})))
    seen("a number", api.post(dry, _secret(data={"k": 1})))
    seen("null", api.post(dry, _secret(data={"k": None})), only=["data"])
    seen("line ends", api.post(dry, _secret(data={"k": "YW\nJj"})), only=["data"])
    seen("too large", api.post(dry, _secret(data={"k": _64("v" * 1024 * 1024), "l": _64("v")})))


def test_secret_updates(seen: Seen, api: Api, secrets: str) -> None:
    """The type of a Secret never changes; an immutable one nothing but its labels"""
    api.post(secrets, _secret(stringData={"k": "v"}))
    seen("type", api.patch(f"{secrets}/a", {"type": "example.com/other"}))
    seen("no type", api.put(f"{secrets}/a", _secret(stringData={"k": "w"})), only=["type", "data"])
    seen("immutable", api.patch(f"{secrets}/a", {"immutable": True}), only=["immutable"])
    seen("data", api.patch(f"{secrets}/a", {"stringData": {"k": "x"}}))
    seen("mutable again", api.patch(f"{secrets}/a", {"immutable": False}))
    seen("left out", api.patch(f"{secrets}/a", {"immutable": None}))
    seen(
        "labels", api.patch(f"{secrets}/a", {"metadata": {"labels": {"l": "1"}}}), only=["metadata.labels", "immutable"]
    )


def test_token(seen: Seen, api: Api, secrets: str, namespace: str) -> None:
    """A Secret for a ServiceAccount's token is filled in"""
    note = {"kubernetes.io/service-account.name": "default"}
    body = {"metadata": {"name": "t", "annotations": note}, "type": "kubernetes.io/service-account-token"}
    assert api.post(secrets, body).status == 201
    filled = api.until(f"{secrets}/t", lambda item: "token" in (item.get("data") or {}))
    assert sorted(filled["data"]) == ["ca.crt", "namespace", "token"]
    assert base64.b64decode(filled["data"]["namespace"]).decode() == namespace
    seen.value("metadata", filled["metadata"], only=["annotations", "labels"])
    token = base64.b64decode(filled["data"]["token"]).decode()
    me = api.bearer(token).post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    seen("who it is", me, only=["status.userInfo.username", "status.userInfo.groups"])


def test_config_map_data(seen: Seen, api: Api, maps: str) -> None:
    """Text is in data, other bytes in binaryData; no key is in both"""
    dry = f"{maps}?dryRun=All"
    seen("both", api.post(dry, {"metadata": {"name": "a"}, "data": {"t": "ü\n"}, "binaryData": {"b": "AP8="}}))
    seen("no base64", api.post(dry, {"metadata": {"name": "a"}, "binaryData": {"b": "ü"}}))
    seen("bad key", api.post(dry, {"metadata": {"name": "a"}, "data": {"a b": ""}, "binaryData": {"c/d": ""}}))
    seen("a number", api.post(dry, {"metadata": {"name": "a"}, "data": {"k": 1}}))
    seen("an object", api.post(dry, {"metadata": {"name": "a"}, "data": {"k": {}}}))
    seen("null", api.post(dry, {"metadata": {"name": "a"}, "data": {"k": None}}), only=["data"])
    seen("too large", api.post(dry, {"metadata": {"name": "a"}, "data": {"k": "v" * (1024 * 1024 + 1)}}))
    largest = api.post(dry, {"metadata": {"name": "a"}, "data": {"k": "v" * 1024 * 1024}})
    assert largest.status == 201


def test_immutable(seen: Seen, api: Api, maps: str) -> None:
    """An immutable ConfigMap keeps data and binaryData, and may be deleted"""
    api.post(maps, {"metadata": {"name": "a"}, "data": {"k": "v"}, "immutable": True})
    seen("data", api.patch(f"{maps}/a", {"data": {"k": "w"}}))
    seen("binary data", api.patch(f"{maps}/a", {"binaryData": {"b": "AP8="}}))
    seen(
        "both and mutable",
        api.put(f"{maps}/a", {"metadata": {"name": "a"}, "data": {"k": "w"}, "binaryData": {"b": ""}}),
    )
    seen("delete", api.delete(f"{maps}/a"))


def test_commands(seen: Seen, api: Api, maps: str, k: Kubectl, tmp_path: Path) -> None:
    """kubectl create configmap and secret, get and describe"""
    (tmp_path / "text").write_text("t\n")
    (tmp_path / "bytes").write_bytes(b"\x00\xff")
    seen.text("from files", k("create", "configmap", "a", f"--from-file={tmp_path}", "--from-literal=k=v"))
    seen("created", api.get(f"{maps}/a"), only=["data", "binaryData"])
    seen.text("generic", k("create", "secret", "generic", "b", "--from-literal=k=v"))
    registry = ["--docker-server=example.com", "--docker-username=u", "--docker-password=p"]
    seen.text("registry", k("create", "secret", "docker-registry", "c", *registry))
    seen.text("config maps", k("get", "configmaps"))
    seen.text("secrets", k("get", "secrets"))
    seen.text("describe secret", k("describe", "secret", "b"))
    # kubectl writes the keys in no order, so one key only
    k("create", "configmap", "one", "--from-literal=k=v")
    seen.text("describe config map", k("describe", "configmap", "one"))
    seen("columns of secrets", api.get(maps.replace("configmaps", "secrets"), accept=TABLE), only=["columnDefinitions"])
    seen("columns of config maps", api.get(maps, accept=TABLE), only=["columnDefinitions"])
