"""The requests of our operators, against a running sandbox."""

import asyncio
from pathlib import Path

import pytest

from examples.operators.access import ApiServerAccess
from examples.operators.kubeapi import ApiError, KubeApi


@pytest.fixture
def access(cluster_kubeconfig: Path) -> ApiServerAccess:
    return ApiServerAccess.find({"KUBECONFIG": str(cluster_kubeconfig)})


def config_map(**data: str) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kubeapi", "namespace": "default"},
        "data": data,
    }


async def test_it_works(access: ApiServerAccess) -> None:
    async with KubeApi(access) as api:
        assert await api.get("ConfigMap", "default", "kubeapi") is None
        first = await api.ensure(config_map(a="1"))
        same = await api.ensure(config_map(a="1"))
        assert same["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
        changed = await api.ensure(config_map(b="2"))
        assert changed["data"] == {"a": "1", "b": "2"}
        await api.patch("ConfigMap", "default", "kubeapi", {"data": {"a": None}})
        assert [
            item["data"] for item in await api.list("ConfigMap", "default") if item["metadata"]["name"] == "kubeapi"
        ] == [{"b": "2"}]
        await api.delete("ConfigMap", "default", "kubeapi")
        await api.delete("ConfigMap", "default", "kubeapi")


async def test_what_is_written_is_noted_under_the_operators_name(access: ApiServerAccess) -> None:
    async with KubeApi(access, "kettle-operator") as api:
        made = await api.ensure(config_map(a="1"))
        assert [entry["manager"] for entry in made["metadata"]["managedFields"]] == ["kettle-operator"]
        await api.delete("ConfigMap", "default", "kubeapi")


async def test_a_refusal_has_its_code_and_sentence(access: ApiServerAccess) -> None:
    async with KubeApi(access) as api:
        with pytest.raises(ApiError, match="not found") as refused:
            await api.patch("ConfigMap", "default", "absent", {})
        assert (refused.value.code, refused.value.reason) == (404, "NotFound")


async def test_a_command_that_can_not_be_run_is_a_refusal(access: ApiServerAccess) -> None:
    async with KubeApi(access) as api:
        with pytest.raises(ApiError, match="a command in the Pod absent is refused") as refused:
            await api.run("default", "absent", "main", ["true"])
        assert refused.value.code == 404


async def test_a_watch_begins_with_what_is_there(access: ApiServerAccess) -> None:
    async with KubeApi(access) as api:
        await api.ensure(
            {**config_map(a="1"), "metadata": {"name": "watched", "namespace": "default", "labels": {"w": "y"}}}
        )
        seen: list[tuple[str, str]] = []

        async def follow() -> None:
            async for kind, obj in api.watch("ConfigMap", "default", "w=y"):
                seen.append((kind, obj["metadata"]["name"]))
                if kind == "ADDED":
                    await api.delete("ConfigMap", "default", "watched")
                if kind == "DELETED":
                    return

        await asyncio.wait_for(follow(), 20)
        assert seen == [("ADDED", "watched"), ("DELETED", "watched")]


def test_without_a_cluster_it_says_which_variable_is_missing() -> None:
    with pytest.raises(KeyError, match="KUBERNETES_SERVICE_HOST"):
        ApiServerAccess.find({})
