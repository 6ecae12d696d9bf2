"""resources/views/workload_source.py: what the Pod template's spec becomes."""

from typing import Any

import pytest

from resources.views.workload_source import CannotAdd, DataSource, as_environment, as_files

SECRET = DataSource(kind="Secret", name="login.v2")
CONFIG_MAP = DataSource(kind="ConfigMap", name="settings")


def pod_spec(*containers: dict[str, Any], volumes: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"containers": list(containers), **({"volumes": volumes} if volumes else {})}


WEB, SIDE = {"name": "web", "image": "a"}, {"name": "side", "image": "b", "envFrom": [{"secretRef": {"name": "x"}}]}


def test_every_container_gets_the_variables_beside_those_it_has() -> None:
    found = as_environment(pod_spec(WEB, SIDE), SECRET, container="", prefix="DB_")
    entry = {"secretRef": {"name": "login.v2"}, "prefix": "DB_"}
    assert found["containers"] == [
        {**WEB, "envFrom": [entry]},
        {**SIDE, "envFrom": [{"secretRef": {"name": "x"}}, entry]},
    ]


def test_one_container_gets_them_and_the_other_stays() -> None:
    found = as_environment(pod_spec(WEB, SIDE), CONFIG_MAP, container="web", prefix="")
    assert found["containers"] == [{**WEB, "envFrom": [{"configMapRef": {"name": "settings"}}]}, SIDE]


def test_files_come_with_a_volume_that_is_mounted_read_only() -> None:
    found = as_files(pod_spec(WEB), SECRET, container="", path="/etc/login")
    assert found["volumes"] == [{"name": "secret-login-v2", "secret": {"secretName": "login.v2"}}]
    mount = {"name": "secret-login-v2", "mountPath": "/etc/login", "readOnly": True}
    assert found["containers"] == [{**WEB, "volumeMounts": [mount]}]


def test_a_volume_that_is_there_is_used_and_another_of_its_name_is_left_alone() -> None:
    present = {"name": "own", "configMap": {"name": "settings", "defaultMode": 420}}
    found = as_files(pod_spec(WEB, volumes=[present]), CONFIG_MAP, container="", path="/a")
    assert found["volumes"] == [present] and found["containers"][0]["volumeMounts"][0]["name"] == "own"
    other = {"name": "configmap-settings", "configMap": {"name": "settings", "items": [{"key": "a", "path": "a"}]}}
    found = as_files(pod_spec(WEB, volumes=[other]), CONFIG_MAP, container="", path="/a")
    assert [volume["name"] for volume in found["volumes"]] == ["configmap-settings", "configmap-settings-2"]


@pytest.mark.parametrize("length", [10, 63, 253])
def test_a_volume_has_a_name_that_the_api_server_takes(length: int) -> None:
    name = DataSource(kind="ConfigMap", name="a." * (length // 2)).volume_name
    assert len(name) <= 63 and name[0].isalnum() and name[-1].isalnum() and "." not in name


def test_what_cannot_be_added_says_why_and_at_which_field() -> None:
    twice = pod_spec({**WEB, "envFrom": [{"secretRef": {"name": "login.v2"}}]})
    with pytest.raises(CannotAdd) as refused:
        as_environment(twice, SECRET, container="", prefix="")
    assert refused.value.field == ""
    with pytest.raises(CannotAdd) as refused:
        as_environment(pod_spec(WEB), SECRET, container="other", prefix="")
    assert refused.value.field == "container" and "web" in str(refused.value)
    taken = pod_spec({**WEB, "volumeMounts": [{"name": "x", "mountPath": "/etc/login/"}]})
    with pytest.raises(CannotAdd) as refused:
        as_files(taken, SECRET, container="", path="/etc/login")
    assert refused.value.field == "path"
