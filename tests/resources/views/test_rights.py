"""What a person with few rights sees: the API server's refusals, in the page's own words, and no buttons that would
be refused.
"""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.resources.views.form_submission import flat

Become = Callable[[str], None]


@pytest.fixture
def become(client: ClusterClient, browser: Client, monkeypatch: pytest.MonkeyPatch) -> Become:
    """From then on the console's pages are those of this user."""

    def use(user: str) -> None:
        headers = (("Impersonate-User", user), ("Impersonate-Group", "system:authenticated"))
        other = ClusterClient(dataclasses.replace(client.config, user=user, headers=headers))
        monkeypatch.setattr("console.web.request.console_client", lambda: other)

    return use


@pytest.fixture
def dev(client: ClusterClient, namespace: str) -> str:
    """A user who may read everything in the namespace but Secrets, and nothing else."""
    user, group = f"dev-{namespace}", "rbac.authorization.k8s.io"
    binding: dict[str, Any] = {
        "apiVersion": f"{group}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "dev"},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "User", "apiGroup": group, "name": user}],
    }
    client.create(client.find(group, "v1", "rolebindings"), binding, namespace)
    return user


def test_a_reader(browser: Client, become: Become, dev: str, namespace: str, config_map: str) -> None:
    become(dev)
    shown = browser.get("/resources/core/v1/configmaps/", {"namespace": namespace})
    assert shown.status_code == 200
    assert config_map in shown.content.decode()
    assert "/configmaps/new" not in shown.content.decode()
    page = browser.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/").content.decode()
    assert f"{config_map}/yaml/" in page
    assert f'href="/resources/core/v1/configmaps/{namespace}/{config_map}/delete/"' not in page
    assert "resource-refused" in page
    # The question has its own address.
    question = flat(browser.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/delete/"))
    assert re.search(r'<button[^>]* disabled aria-describedby="delete-refusal"', question)
    assert 'id="delete-refusal"' in question


def test_a_reader_of_yaml(browser: Client, become: Become, dev: str, namespace: str, config_map: str) -> None:
    become(dev)
    page = flat(browser.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/yaml/"))
    assert "You can read this object, but you don't have permission to change it." in page
    assert re.search(r"<textarea[^>]* readonly>", page)
    assert "Review changes" not in page


def test_all_namespaces_are_refused_with_a_way_on(browser: Client, become: Become, dev: str) -> None:
    become(dev)
    answer = browser.get("/resources/core/v1/configmaps/", {"namespace": "-"})
    assert answer.status_code == 403
    assert b"Pick one of yours" in answer.content
    assert b'id="pick-namespace"' in answer.content


def test_a_stranger(browser: Client, become: Become, namespace: str, config_map: str) -> None:
    become("stranger")
    assert browser.get("/resources/core/v1/configmaps/", {"namespace": namespace}).status_code == 403
    assert browser.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/").status_code == 403
    assert browser.get("/resources/").status_code == 200


def test_kinds_that_may_not_be_read_are_named(
    browser: Client, client: ClusterClient, become: Become, dev: str, namespace: str
) -> None:
    obj = {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": "group"},
        "spec": {"targetNamespaces": [namespace]},
    }
    client.create(client.find("operators.coreos.com", "v1", "operatorgroups"), obj, namespace)
    grant = "rbac.authorization.k8s.io"
    role = {"apiVersion": f"{grant}/v1", "kind": "Role", "metadata": {"name": "groups"}}
    rules = [{"apiGroups": ["operators.coreos.com"], "resources": ["operatorgroups"], "verbs": ["get", "list"]}]
    client.create(client.find(grant, "v1", "roles"), {**role, "rules": rules}, namespace)
    subjects = [{"kind": "User", "apiGroup": grant, "name": dev}]
    reference = {"apiGroup": grant, "kind": "Role", "name": "groups"}
    binding = {"apiVersion": f"{grant}/v1", "kind": "RoleBinding", "metadata": {"name": "groups"}}
    client.create(
        client.find(grant, "v1", "rolebindings"), {**binding, "subjects": subjects, "roleRef": reference}, namespace
    )
    become(dev)
    page = browser.get(f"/resources/operators.coreos.com/v1/operatorgroups/{namespace}/group/").content.decode()
    assert "read all Secret objects: " in page
    assert "read all ConfigMap objects: " not in page
