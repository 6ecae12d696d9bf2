"""A console with SIGN_IN=oidc, a cluster that accepts the provider's tokens, and one person there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console.signin.oidc import provider as asked
from kube.client import ClusterClient
from tests.console.signin.oidc.provider import Provider, another_key, provider
from tests.console.signin.people import RULES, People
from tests.oidc import CLIENT, PREFIX, accepted


@pytest.fixture(scope="session")
def running(
    request: pytest.FixtureRequest, cluster_kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Provider]:
    given = request.config.getoption("--kubeconfig")
    kubeconfig = Path(given).expanduser() if given else cluster_kubeconfig
    with provider(tmp_path_factory.mktemp("provider")) as made, accepted(kubeconfig, made.issuer, made.authority):
        yield made


@pytest.fixture(scope="session")
def anna(running: Provider, staff: People, admin: ClusterClient) -> str:
    """Her name in the cluster. Her group may work in the namespace `staff.here`, as the clerk does."""
    rbac, api = "rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"
    role = {"apiVersion": rbac, "kind": "Role", "metadata": {"name": f"{staff.mark}-group"}, "rules": RULES}
    binding = {
        "apiVersion": rbac,
        "kind": "RoleBinding",
        "metadata": {"name": f"{staff.mark}-group"},
        "subjects": [{"kind": "Group", "apiGroup": api, "name": f"{PREFIX}team-a"}],
        "roleRef": {"apiGroup": api, "kind": "Role", "name": f"{staff.mark}-group"},
    }
    admin.create(admin.find(api, "v1", "roles"), role, staff.here)
    admin.create(admin.find(api, "v1", "rolebindings"), binding, staff.here)
    return f"{PREFIX}anna@example.com"


@pytest.fixture
def idp(running: Provider, anna: str, settings: Any) -> Iterator[Provider]:
    """The provider, honest at the start of each test."""
    fresh = Provider(issuer=running.issuer, authority=running.authority)
    for name in (
        "person",
        "groups",
        "seconds",
        "claims",
        "metadata",
        "deny",
        "refuse",
        "away",
        "algorithm",
        "published",
    ):
        setattr(running, name, getattr(fresh, name))
    for recorded in (running.asked, running.forms, running.given):
        recorded.clear()
    asked._known.clear()
    asked._failed.clear()
    settings.SIGN_IN = "oidc,token"
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = running.issuer, CLIENT, ""
    settings.OIDC_SCOPES, settings.OIDC_NAME, settings.CONSOLE_URL = (), "Example ID", ""
    settings.OIDC_CA_FILE = str(running.authority)
    yield running


@pytest.fixture
def other_key() -> Any:
    return another_key()
