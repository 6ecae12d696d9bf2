"""The second line of a state: its cause, or what else is to say."""

import pytest

from kube.discovery import ResourceType
from kube.objects import Column
from resources.lists.columns import available
from resources.lists.entries import ListEntry
from resources.lists.listing import cell, row_of
from resources.state.health import Health

PODS = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
COLUMNS = tuple(
    Column(name=name, type="string", format="", priority=0, description="") for name in ("Name", "Ready", "Status")
)


def _entry(health: Health, ready: str, status: str, name: str = "web-0") -> ListEntry:
    return ListEntry(
        uid="u", name=name, namespace="shop", created="2026-01-01T00:00:00Z", cells=(name, ready, status), health=health
    )


@pytest.mark.parametrize(
    ("health", "ready", "status", "words"),
    [
        (Health(state="Ready"), "1/1", "Running", "1/1 ready"),
        (Health(state="Completed"), "0/1", "Completed", ""),
        (Health(state="Ready", reason="2 of 2 ready"), "2/2", "", "2 of 2 ready"),
        (Health(state="Degraded", reason="back-off 5m"), "0/1", "CrashLoopBackOff", "CrashLoopBackOff: back-off 5m"),
        (Health(state="Degraded", reason="CrashLoopBackOff"), "1/2", "CrashLoopBackOff", "CrashLoopBackOff, 1/2 ready"),
        (Health(state="Degraded", reason="no node fits"), "0/1", "Pending", "no node fits"),
        (Health(state="Degraded", reason="web-0 can't pull x:v9"), "0/1", "ImagePullBackOff", "can't pull x:v9"),
        (Health(state="Ready"), "True", "Zooming", "Zooming"),
        (Health(state="Unknown"), "", "", ""),
    ],
)
def test_words(health: Health, ready: str, status: str, words: str) -> None:
    state = available(PODS, COLUMNS)[0]
    assert cell(state, _entry(health, ready, status)).detail == words


@pytest.mark.parametrize(
    ("name", "halves"),
    [
        ("web-0", ("web-0", "")),
        ("argocd-sample-redis-5b9d4c8f76-j7f77", ("argocd-sample-redis-5b9d4c8f76", "-j7f77")),
        ("argocd-sample-application-controller-0", ("argocd-sample-application", "-controller-0")),
        ("a" * 30, ("a" * 24, "a" * 6)),
    ],
)
def test_a_long_name_is_cut_where_its_end_begins(name: str, halves: tuple[str, str]) -> None:
    assert row_of(PODS, (), _entry(Health(), "", "", name)).halves == halves
