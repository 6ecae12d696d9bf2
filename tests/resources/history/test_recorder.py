"""The recorder on the cluster: it needs no open page, one records at a time, and resumes where another one ended."""

from typing import Any

import pytest

from kube.client import ClusterClient
from kube.discovery import ResourceType
from resources.history import recording_status
from resources.models import Followed, Recorder, Step, Traced
from tests.resources.history.conftest import Recording

pytestmark = pytest.mark.django_db


def _steps(place: str, name: str) -> list[Step]:
    return list(Step.objects.filter(traced__name=name, traced__namespace=place).order_by("pk"))


def _make(client: ClusterClient, gadgets: ResourceType, place: str, name: str, **spec: Any) -> None:
    body = {"apiVersion": gadgets.api_version, "kind": gadgets.kind, "metadata": {"name": name}, "spec": spec}
    client.create(gadgets, body, place)


def _followed(gadgets: ResourceType) -> bool:
    return Followed.objects.filter(type=gadgets.qualified).exclude(resource_version="").exists()


def test_it_writes_while_nobody_looks(client: ClusterClient, gadgets: ResourceType, place: str) -> None:
    _make(client, gadgets, place, "before", size=1)
    with Recording(client, "one") as item:
        item.until(lambda: _steps(place, "before"))
        _make(client, gadgets, place, "after", size=1)
        item.until(lambda: _steps(place, "after"))
        client.patch(gadgets, "after", {"spec": {"size": 2}}, place)
        client.patch(gadgets, "after", {"status": {"phase": "Running"}}, place, subresource="status")
        item.until(lambda: len(_steps(place, "after")) == 3)
        client.delete(gadgets, "after", place)
        item.until(lambda: len(_steps(place, "after")) == 4)
    assert [step.event for step in _steps(place, "before")] == ["seen"]
    found = _steps(place, "after")
    assert [step.event for step in found] == ["created", "changed", "changed", "deleted"]
    assert found[1].fields == [["spec.size", "1", "2"]]
    assert found[1].manager == "operator-console"
    assert found[2].state == "Ready"
    assert Traced.objects.get(name="after", namespace=place).deleted_at
    assert not Recorder.objects.exists(), "who ends says so"


def test_a_restart_goes_on_and_misses_nothing(client: ClusterClient, gadgets: ResourceType, place: str) -> None:
    _make(client, gadgets, place, "a", size=1)
    with Recording(client, "one") as first:
        first.until(lambda: _followed(gadgets) and _steps(place, "a"))
    for size in (2, 3):
        client.patch(gadgets, "a", {"spec": {"size": size}}, place)
    with Recording(client, "two") as second:
        second.until(lambda: len(_steps(place, "a")) == 3)
    assert [(step.fields, step.gap) for step in _steps(place, "a")[1:]] == [
        ([["spec.size", "1", "2"]], False),
        ([["spec.size", "2", "3"]], False),
    ]


def test_a_version_that_is_too_old_is_a_gap(client: ClusterClient, gadgets: ResourceType, place: str) -> None:
    for name in ("a", "b"):
        _make(client, gadgets, place, name, size=1)
    with Recording(client, "one") as first:
        first.until(lambda: _followed(gadgets) and _steps(place, "b"))
    for size in (2, 3):
        client.patch(gadgets, "a", {"spec": {"size": size}}, place)
    client.delete(gadgets, "b", place)
    Followed.objects.filter(type=gadgets.qualified).update(resource_version="")
    with Recording(client, "two") as second:
        second.until(lambda: _steps(place, "b")[-1].event == "deleted")
    assert [(step.fields, step.gap) for step in _steps(place, "a")[1:]] == [([["spec.size", "1", "3"]], True)]


def test_a_cluster_that_began_anew_under_its_name_is_read_anew(
    client: ClusterClient, gadgets: ResourceType, place: str
) -> None:
    """What is written is of a version that this server has not come to. It would let a watch wait for it."""
    Followed.objects.create(cluster=client.name, type=gadgets.qualified, resource_version=str(10**15))
    _make(client, gadgets, place, "a", size=1)
    with Recording(client, "one") as item:
        item.until(lambda: _steps(place, "a"))
        item.until(lambda: 0 < int(Followed.objects.get(type=gadgets.qualified).resource_version or 0) < 10**15)
        client.patch(gadgets, "a", {"spec": {"size": 2}}, place)
        item.until(lambda: len(_steps(place, "a")) == 2)


def test_two_workers_write_once_and_one_takes_over(client: ClusterClient, gadgets: ResourceType, place: str) -> None:
    with Recording(client, "one") as first:
        first.until(lambda: _followed(gadgets))
        with Recording(client, "two") as second:
            _make(client, gadgets, place, "a", size=1)
            first.until(lambda: _steps(place, "a"), second)
            assert Recorder.objects.get().holder == "one"
            assert len(_steps(place, "a")) == 1


def test_a_kind_with_too_many_objects_is_left(
    client: ClusterClient, gadgets: ResourceType, place: str, settings: Any
) -> None:
    settings.HISTORY_OBJECTS = 2
    for number in range(4):
        _make(client, gadgets, place, f"g{number}")
    with Recording(client, "one") as item:
        item.until(lambda: Followed.objects.filter(type=gadgets.qualified, too_many__gt=2))
    assert not Traced.objects.filter(namespace=place).exists()


def test_which_kinds(client: ClusterClient, gadgets: ResourceType, settings: Any) -> None:
    found = {type_.qualified for type_ in recording_status.recorded_types(client)}
    assert {gadgets.qualified, "deployments.apps", "configmaps"} <= found
    assert not {"secrets", "events", "pods"} & found
    settings.HISTORY_KINDS = ("deployments.apps", "secrets")
    assert [type_.qualified for type_ in recording_status.recorded_types(client)] == ["deployments.apps"]
    settings.HISTORY_KINDS = ()
    assert recording_status.recorded_types(client) == ()
