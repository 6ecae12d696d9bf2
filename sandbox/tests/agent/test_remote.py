"""The verbs of sandbox.client over HTTP: the same answers and the same errors as inside the sandbox."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.agent.access import read
from sandbox.agent.remote import Remote
from sandbox.client import ObjectEvent
from sandbox.errors import AlreadyExists, Conflict, Invalid, NotFound, ServiceUnavailable, Unauthorized
from sandbox.tests.agent.kubelet import pod
from tests import processes
from tests.api import Api


def test_objects(remote: Remote, namespace: str) -> None:
    made = remote.as_manager("tests").create("configmaps", {"metadata": {"name": "one"}, "data": {"a": "1"}}, namespace)
    assert (made["kind"], made["metadata"]["managedFields"][0]["manager"]) == ("ConfigMap", "tests")
    assert remote.patch("configmaps", "one", {"data": {"b": "2", "a": None}}, namespace)["data"] == {"b": "2"}
    assert remote.update("configmaps", {**made, "metadata": {"name": "one"}}, namespace)["data"] == {"a": "1"}
    again = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "one", "namespace": namespace},
        "data": {"c": "3"},
    }
    assert remote.apply("configmaps", again)["data"] == {"a": "1", "c": "3"}
    assert remote.apply("configmaps", {**again, "metadata": {"name": "two", "namespace": namespace}})["data"] == {
        "c": "3"
    }
    listed = remote.list("configmaps", namespace, fields="metadata.name!=kube-root-ca.crt")
    assert [(item["kind"], item["apiVersion"], item["metadata"]["name"]) for item in listed] == [
        ("ConfigMap", "v1", "one"),
        ("ConfigMap", "v1", "two"),
    ]
    remote.delete("configmaps", "one", namespace)
    assert remote.get("configmaps", "two", namespace)["data"] == {"c": "3"}


def test_resources_of_groups_and_of_the_whole_cluster(remote: Remote, namespace: str) -> None:
    assert remote.get("namespaces", namespace)["metadata"]["name"] == namespace
    assert remote.get("storageclasses.storage.k8s.io", "standard")["apiVersion"] == "storage.k8s.io/v1"
    assert remote.list("widgets.example.dev") == []
    with pytest.raises(NotFound):
        remote.get("widgets.example.dev", "one", namespace)


def test_refusals_are_the_errors_of_the_sandbox(remote: Remote, namespace: str) -> None:
    with pytest.raises(NotFound, match='configmaps "one" not found'):
        remote.get("configmaps", "one", namespace)
    made = remote.create("configmaps", {"metadata": {"name": "one"}}, namespace)
    with pytest.raises(AlreadyExists):
        remote.create("configmaps", {"metadata": {"name": "one"}}, namespace)
    with pytest.raises(Invalid, match="Invalid value"):
        remote.create("configmaps", {"metadata": {"name": "One"}}, namespace)
    remote.patch("configmaps", "one", {"data": {"a": "1"}}, namespace)
    with pytest.raises(Conflict):
        remote.update("configmaps", made, namespace)
    with pytest.raises(Conflict):
        remote.delete("configmaps", "one", namespace, uid="another")


def test_tokens(remote: Remote, api: Api, namespace: str, kubeconfig: Path) -> None:
    api.until(f"/api/v1/namespaces/{namespace}/serviceaccounts/default", lambda account: account)
    path = f"/api/v1/namespaces/{namespace}/pods"
    made = api.post(path, pod("mine", "")).json
    token = remote.pod_token(made, "default")
    review = {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"}
    review_status = api.bearer(token).post("/apis/authentication.k8s.io/v1/selfsubjectreviews", review).json
    assert review_status["status"]["userInfo"]["username"] == f"system:serviceaccount:{namespace}:default"
    with pytest.raises(NotFound):
        remote.pod_token(made, "nobody")
    api.delete(f"{path}/mine?gracePeriodSeconds=0")
    assert api.bearer(token).get("/version").status == 401, "it ends with its Pod"


def test_a_kubeconfig_with_a_wrong_token_is_said(kubeconfig: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "kubeconfig"
    wrong.write_text(kubeconfig.read_text().replace(Api(kubeconfig).token, "wrong"))
    with pytest.raises(Unauthorized):
        Remote(read(wrong, tmp_path)).get("namespaces", "default")


async def _next(events: AsyncIterator[ObjectEvent], name: str) -> str:
    """What happened to an object next."""
    async with asyncio.timeout(20):
        async for event in events:
            if event.object["metadata"]["name"] == name:
                return event.type
    raise AssertionError("the watch has ended")


def test_a_watch_shows_what_there_is_and_every_change(remote: Remote, namespace: str) -> None:
    name = f"of-{namespace}"

    async def walk() -> None:
        remote.create("configmaps", {"metadata": {"name": name}}, namespace)
        events = remote.watch("secrets", "configmaps")
        assert await _next(events, name) == "ADDED"
        remote.patch("configmaps", name, {"data": {"a": "1"}}, namespace)
        assert await _next(events, name) == "MODIFIED"
        remote.delete("configmaps", name, namespace)
        assert await _next(events, name) == "DELETED"

    asyncio.run(walk())


def test_a_watch_of_some_objects_only(kubeconfig: Path, tmp_path: Path, namespace: str) -> None:
    remote = Remote(read(kubeconfig, tmp_path), only={"configmaps": f"metadata.name=of-{namespace}"})

    async def walk() -> None:
        for name in ("another", f"of-{namespace}"):
            remote.create("configmaps", {"metadata": {"name": name}}, namespace)
        async with asyncio.timeout(20):
            event = await anext(remote.watch("configmaps"))
        assert event.object["metadata"]["name"] == f"of-{namespace}"

    asyncio.run(walk())


def test_what_happens_while_the_server_is_away_is_made_up_for(tmp_path: Path) -> None:
    """Requests fail with ServiceUnavailable; then a watch resumes, and the same connection serves again."""
    data = tmp_path / "sandbox"

    async def walk(servers: ExitStack) -> None:
        await asyncio.to_thread(servers.enter_context, processes.sandbox(data))
        remote = Remote(read(data / "kubeconfig", tmp_path))
        for name in ("first", "second"):
            remote.create("configmaps", {"metadata": {"name": name}}, "default")
        events = remote.watch("configmaps")
        assert await _next(events, "second") == "ADDED"
        await asyncio.to_thread(servers.close)
        with pytest.raises(ServiceUnavailable):
            remote.get("configmaps", "first", "default")
        await asyncio.to_thread(servers.enter_context, processes.sandbox(data))
        remote.delete("configmaps", "second", "default")
        remote.create("configmaps", {"metadata": {"name": "third"}}, "default")
        assert await _next(events, "second") == "DELETED"
        assert await _next(events, "third") == "ADDED"

    with ExitStack() as servers:
        asyncio.run(walk(servers))
