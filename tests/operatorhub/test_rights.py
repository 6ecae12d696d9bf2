"""What a person with few rights sees of OperatorHub: what they may see, and buttons that say why they don't work."""

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from operatorhub.indexing import index

pytestmark = pytest.mark.django_db
Become = Callable[[str], None]
PACKAGE = "/operatorhub/olm/samples-catalog/sampledb/"
GROUP = "rbac.authorization.k8s.io"


@pytest.fixture
def become(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> Become:
    """From then on the console's pages are those of this user."""
    index.build(client)

    def use(user: str) -> None:
        headers = (("Impersonate-User", user), ("Impersonate-Group", "system:authenticated"))
        other = ClusterClient(dataclasses.replace(client.config, user=user, headers=headers))
        monkeypatch.setattr("console.web.request.console_client", lambda: other)

    return use


@pytest.fixture
def reader(client: ClusterClient) -> Iterator[str]:
    """A user who may look at OLM's objects in `default`, and change none."""
    roles, bindings = client.find(GROUP, "v1", "roles"), client.find(GROUP, "v1", "rolebindings")
    groups = ["operators.coreos.com", "packages.operators.coreos.com"]
    role: dict[str, Any] = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Role",
        "metadata": {"name": "hub-reader"},
        "rules": [{"apiGroups": groups, "resources": ["*"], "verbs": ["get", "list", "watch"]}],
    }
    binding = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "hub-reader"},
        "roleRef": {"apiGroup": GROUP, "kind": "Role", "name": "hub-reader"},
        "subjects": [{"kind": "User", "apiGroup": GROUP, "name": "hub-reader"}],
    }
    client.create(roles, role, "default")
    client.create(bindings, binding, "default")
    yield "hub-reader"
    client.delete(bindings, "hub-reader", "default")
    client.delete(roles, "hub-reader", "default")


def test_a_stranger_sees_no_packages_and_why(become: Become) -> None:
    become("stranger")
    page = Client().get("/operatorhub/").content.decode()
    assert 'data-total="0"' in page
    assert "Some catalogs aren't shown" in page
    assert Client().get(PACKAGE).status_code == 403
    assert Client().get("/operators/").status_code == 403


def test_a_reader_may_look_and_not_install(become: Become, reader: str) -> None:
    become(reader)
    web = Client()
    assert 'data-total="1"' in web.get("/operatorhub/", {"namespace": "default", "q": "sampledb"}).content.decode()
    page = web.get(PACKAGE, {"namespace": "default"}).content.decode()
    assert re.search(r'aria-disabled="true"\s+aria-describedby="install-refused"', page)
    assert f"{PACKAGE}install/" not in page
    form = web.get(f"{PACKAGE}install/", {"namespace": "default", "mode": "OwnNamespace"}).content.decode()
    assert 'disabled aria-describedby="refused"' in form
    assert web.get("/operators/", {"namespace": "default"}).status_code == 200


def test_what_the_server_refuses_is_said_in_the_form(become: Become, reader: str) -> None:
    become(reader)
    sent = {
        "channel": "stable",
        "version": "",
        "mode": "OwnNamespace",
        "install_namespace": "+",
        "new_namespace": "hub-no",
        "approval": "Automatic",
    }
    web = Client()
    web.get("/operatorhub/", {"namespace": "default"})
    answer = web.post(f"{PACKAGE}install/", sent)
    assert answer.status_code == 422
    assert "Permission denied" in answer.content.decode()
