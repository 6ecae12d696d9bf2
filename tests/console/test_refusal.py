"""console.web.access.refusal: why an action is disabled."""

from typing import Any, cast
from uuid import uuid4

import pytest
from django.utils import translation

from console.web.access import denial, refusal
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, Unreachable
from kube.objects import Access

DEPLOYMENTS = ResourceType(group="apps", version="v1", plural="deployments", kind="Deployment", namespaced=True)
PODS = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)


class Reviewed:
    """An API server that gives the same answer to each review."""

    def __init__(self, answer: Access | KubeError) -> None:
        self.host, self.who, self._answer = uuid4().hex, "someone", answer

    def review(self, *_asked: Any) -> Access:
        if isinstance(self._answer, KubeError):
            raise self._answer
        return self._answer


def refused(answer: Access | KubeError, *asked: Any) -> str:
    return refusal(cast(ClusterClient, Reviewed(answer)), *asked)


@pytest.mark.parametrize("answer", [Access(True, "RBAC: allowed by a RoleBinding"), Unreachable("no answer")])
def test_an_action_is_offered_unless_the_api_server_denies_it(answer: Access | KubeError) -> None:
    assert refused(answer, "patch", DEPLOYMENTS, "shop") == ""


def test_the_reason_of_the_api_server_comes_first() -> None:
    assert refused(Access(False, "frozen until Monday"), "patch", DEPLOYMENTS, "shop") == "frozen until Monday"


def test_without_a_reason_the_missing_permission_is_named_as_rbac_calls_it() -> None:
    in_shop = refused(Access(False), "patch", DEPLOYMENTS, "shop")
    assert all(part in in_shop for part in ("patch", "deployments.apps", "shop"))
    everywhere = refused(Access(False), "create", PODS, "", "web-1", "exec")
    assert "create pods/exec" in everywhere and "“" not in everywhere


def test_the_object_that_needs_the_permission_is_named_in_both_languages() -> None:
    words = denial("create", "deployments.apps", "shop", kind="Deployment", name="web")
    assert words.endswith("create deployments.apps in the namespace “shop” (for the Deployment “web”).")
    with translation.override("ko"):
        korean = denial("create", "deployments.apps", kind="Deployment", name="web")
    assert korean == "deployments.apps에 대한 create 권한이 없습니다(Deployment “web”에 필요)."
