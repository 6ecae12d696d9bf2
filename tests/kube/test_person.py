"""A person's configuration has the way to the server, and no credential of the kubeconfig that it was found by:
whatever kind those are.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from kube.client import ClusterClient
from kube.config import ClusterConfig, impersonated_config, load, user_config
from kube.errors import Unauthorized
from kube.renewal import following, signed
from kube.requests import ApiRequest

CREDENTIALS: dict[str, dict[str, Any]] = {
    "token": {"token": "console-secret"},
    "file": {"tokenFile": "token.txt"},
    "basic": {"username": "console", "password": "console-secret"},
    "impersonation": {"token": "console-secret", "as": "root", "as-groups": ["system:masters"]},
    "plugin": {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "touch",
            "args": ["ran"],
            "interactiveMode": "Never",
        }
    },
    "certificate": {"client-certificate-data": "bm8=", "client-key-data": "bm8="},
}


@pytest.mark.parametrize("kind", CREDENTIALS)
def test_nothing_of_the_kubeconfigs_user_comes_along(tmp_path: Path, kind: str) -> None:
    (tmp_path / "token.txt").write_text("console-secret")
    path = tmp_path / "config"
    document = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "console"}}],
        "clusters": [
            {
                "name": "k",
                "cluster": {"server": "https://10.0.0.1", "tls-server-name": "api", "proxy-url": "http://proxy:1"},
            }
        ],
        "users": [{"name": "console", "user": CREDENTIALS[kind]}],
    }
    path.write_text(yaml.safe_dump(document))
    for way in (load(str(path), anonymous=True), following(str(path), anonymous=True)):
        mine = user_config(way, "anna", "hers", "session")
        used = signed(mine, ApiRequest(method="GET", path="/api", ref="x"))
        headers = dict(used.headers)
        assert headers["Authorization"] == "Bearer hers"
        assert not [name for name in headers if name.startswith("Impersonate")]
        assert "console-secret" not in str(used.headers)
        assert (used.config.host, used.config.server_name, used.config.proxy) == (
            "https://10.0.0.1",
            "api",
            "http://proxy:1",
        )
        assert (mine.user, mine.session) == ("anna", "session")
        assert "hers" not in repr(mine)
    assert not (tmp_path / "ran").exists() and not Path("ran").exists()


def test_the_consoles_own_configuration_is_refused(tmp_path: Path, cluster_kubeconfig: Path) -> None:
    with pytest.raises(ValueError, match="anonymous"):
        user_config(load(str(cluster_kubeconfig)), "anna", "hers")


def test_the_servers_certificate_is_still_checked_and_the_token_is_all_that_counts(cluster_kubeconfig: Path) -> None:
    way = load(str(cluster_kubeconfig), anonymous=True)
    with pytest.raises(Unauthorized):
        ClusterClient(user_config(way, "anna", "nothing")).whoami()
    document = yaml.safe_load(cluster_kubeconfig.read_text())
    token = document["users"][0]["user"].get("token")
    if token:
        owner = ClusterClient(load(str(cluster_kubeconfig))).whoami()["username"]
        assert ClusterClient(user_config(way, "anna", token)).whoami()["username"] == owner
    if way.tls is not None:
        import ssl

        assert way.tls.verify_mode is ssl.CERT_REQUIRED and way.tls.check_hostname


def test_two_sessions_of_one_name_share_no_answers(cluster_kubeconfig: Path) -> None:
    way = load(str(cluster_kubeconfig), anonymous=True)
    first, second = (ClusterClient(user_config(way, "anna", "t", session)) for session in ("a", "b"))
    assert first.user == second.user and first.who != second.who
    assert ClusterClient(load(str(cluster_kubeconfig))).who == ClusterClient(load(str(cluster_kubeconfig))).user


def test_acting_as_another_adds_to_ones_own_credentials_and_never_twice() -> None:
    way = ClusterConfig(name="here", host="http://127.0.0.1:1", user="", token=lambda: "", tls=None)
    own = user_config(way, "anna", "t", "s")
    as_bert = impersonated_config(own, "bert", ("a", "b"), "key")
    assert (as_bert.user, as_bert.by, as_bert.session, as_bert.token()) == ("bert", "anna", "key", "t")
    assert as_bert.headers == (("Impersonate-User", "bert"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b"))
    assert (ClusterClient(as_bert).owner, ClusterClient(as_bert).who) == ("anna → bert", "bert key")
    # No user name can equal the owner of an impersonation.
    assert ClusterClient(user_config(way, "anna → bert", "t", "s")).owner != ClusterClient(as_bert).owner
    kubeconfigs = replace(way, user="x", headers=(("Impersonate-User", "root"),))
    for whose, name, groups, session in (
        (as_bert, "carl", (), "k"),
        (kubeconfigs, "carl", (), "k"),
        (own, "", (), "k"),
        (own, "carl", (), ""),
        (own, "a\r\nImpersonate-Group: system:masters", (), "k"),
        (own, "carl", ("안",), "k"),
        (own, " carl", (), "k"),
    ):
        with pytest.raises(ValueError):
            impersonated_config(whose, name, groups, session)
