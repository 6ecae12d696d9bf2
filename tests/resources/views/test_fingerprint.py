"""Whether an object that is open in an editor counts as changed."""

from copy import deepcopy
from typing import Any

import pytest

from resources.views.submission import fingerprint

OPENED: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "web",
        "resourceVersion": "1",
        "labels": {"app": "web"},
        "annotations": {"team": "shop", "deployment.kubernetes.io/revision": "1"},
    },
    "spec": {"replicas": 1},
    "status": {"replicas": 1},
}


def _with(section: str, **changed: Any) -> dict[str, Any]:
    found = deepcopy(OPENED)
    if section == "":
        return found | changed
    part = found[section] if section in found else found["metadata"].setdefault(section, {})
    part.update(changed)
    return found


@pytest.mark.parametrize(
    "now",
    [
        _with("metadata", resourceVersion="2", generation=2, managedFields=[{}]),
        _with("status", replicas=2),
        _with("annotations", **{"deployment.kubernetes.io/revision": "2"}),
        _with("annotations", **{"kubectl.kubernetes.io/last-applied-configuration": "{}"}),
        _with("metadata", finalizers=["example.com/f"], ownerReferences=[{"name": "owner"}]),
    ],
)
def test_what_servers_and_controllers_write_is_no_change(now: dict[str, Any]) -> None:
    assert fingerprint(now) == fingerprint(OPENED)


@pytest.mark.parametrize(
    "now",
    [
        _with("spec", replicas=2),
        _with("labels", app="api"),
        _with("annotations", team="bank"),
        _with("", data={"a": "b"}),
    ],
)
def test_what_people_write_is_a_change(now: dict[str, Any]) -> None:
    assert fingerprint(now) != fingerprint(OPENED)
