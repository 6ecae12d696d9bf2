"""Kubeconfigs as people have them, and the one sentence for each way of breaking one."""

import base64
import json
import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml

from kube.config import load
from kube.errors import InvalidConfig


def _document(**user: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1/"}}],
        "users": [{"name": "u", "user": user}],
    }


def _write(path: Path, document: Any) -> str:
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    return str(path)


def test_token(tmp_path: Path) -> None:
    config = load(_write(tmp_path / "config", _document(token="secret")))
    assert (config.name, config.host, config.user, config.token()) == ("c", "http://127.0.0.1:1", "u", "secret")
    assert config.tls is None


def test_a_token_file_is_read_at_every_request(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("one\n")
    config = load(_write(tmp_path / "config", _document(tokenFile="token")))
    assert config.token() == "one"
    (tmp_path / "token").write_text("two\n")
    assert config.token() == "two"


def test_impersonation_names_every_group(tmp_path: Path) -> None:
    config = load(_write(tmp_path / "config", _document(**{"as": "jane", "as-groups": ["a", "b"]})))
    assert config.headers == (("Impersonate-User", "jane"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b"))


def test_password(tmp_path: Path) -> None:
    config = load(_write(tmp_path / "config", _document(username="u", password="p")))
    assert config.headers == (("Authorization", f"Basic {base64.b64encode(b'u:p').decode()}"),)


def test_exec_plugin(tmp_path: Path) -> None:
    answer = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "from-plugin"},
    }
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "echo",
        "args": [json.dumps(answer)],
        "interactiveMode": "Never",
    }
    config = load(_write(tmp_path / "config", _document(exec=plugin)))
    assert config.token() == "from-plugin"


def test_a_plugin_that_fails_is_said_to(tmp_path: Path) -> None:
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "false", "interactiveMode": "Never"}
    config = load(_write(tmp_path / "config", _document(exec=plugin)))
    with pytest.raises(InvalidConfig, match="the kubeconfig's credential plugin 'false' failed"):
        config.token()


def test_k8_a_plugin_that_is_not_installed_is_named_with_what_to_do(tmp_path: Path) -> None:
    """K8: the image has no plugins, so a kubeconfig that works on a laptop fails in it."""
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "no-such-plugin",
        "interactiveMode": "Never",
        "installHint": "Install it from example.com.",
    }
    config = load(_write(tmp_path / "config", _document(exec=plugin)))
    with pytest.raises(InvalidConfig) as refused:
        config.token()
    for words in ("'no-such-plugin'", "docs/deploy.md", "Install it from example.com."):
        assert words in str(refused.value)


def test_several_files_are_merged_and_the_first_wins(tmp_path: Path) -> None:
    first, second = _document(token="first"), _document(token="second")
    second["contexts"].append({"name": "other", "context": {"cluster": "c2", "user": "u2"}})
    second["clusters"].append({"name": "c2", "cluster": {"server": "http://two"}})
    second["users"].append({"name": "u2", "user": {"token": "t2"}})
    paths = f"{_write(tmp_path / 'a', first)}:{_write(tmp_path / 'b', second)}"
    assert load(paths).token() == "first"
    assert load(paths, "other").host == "http://two"


def test_proxies_are_those_of_the_environment_but_never_for_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", ".inside.example")
    document = _document()
    for server, proxy in (
        ("http://127.0.0.1:1", ""),
        ("http://a.inside.example", ""),
        ("http://outside.example", "http://proxy:3128"),
    ):
        document["clusters"][0]["cluster"]["server"] = server
        assert load(_write(tmp_path / "config", document)).proxy == proxy


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("users: [", "is not YAML at line"),
        ("", "is empty or not a mapping"),
        ({"current-context": ""}, "has no current-context: set CONTEXT to one of here"),
        ({"current-context": "gone"}, "has no context named 'gone'; it has: here"),
        ({"clusters": []}, "has no cluster named 'c'; it has: none"),
        ({"users": []}, "has no user named 'u'"),
        ({"clusters": [{"name": "c", "cluster": {"server": "ftp://x"}}]}, "is 'ftp://x', not an http or https address"),
        (
            {"clusters": [{"name": "c", "cluster": {"server": "https://x", "certificate-authority-data": "%%"}}]},
            "the certificates of context 'here' can't be used",
        ),
        (
            {"clusters": [{"name": "c", "cluster": {"server": "https://x", "certificate-authority": "none.crt"}}]},
            "the certificates of context 'here' can't be used",
        ),
    ],
)
def test_a_broken_file_gives_one_sentence_that_names_it(tmp_path: Path, change: Any, sentence: str) -> None:
    path = _write(tmp_path / "config", {**_document(token="t"), **change} if isinstance(change, dict) else change)
    with pytest.raises(InvalidConfig) as refused:
        load(path)
    assert path in str(refused.value)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_absent_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"there is no kubeconfig at .*nowhere: set KUBECONFIG"):
        load(str(tmp_path / "nowhere"))


def test_inside_a_pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("pod-token")
    (tmp_path / "ca.crt").write_text(_certificate())
    monkeypatch.setattr("kube.config._SERVICE_ACCOUNT", tmp_path)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    config = load()
    assert (config.name, config.host, config.token()) == ("in-cluster", "https://[fd00::1]:443", "pod-token")
    assert config.namespace == "", "nothing says it"
    (tmp_path / "namespace").write_text("ours\n")
    assert load().namespace == "ours"


def _certificate() -> str:
    """Any certificate authority that Python can read: the first that comes with certifi's or the system's list."""
    context = ssl.create_default_context()
    authorities = context.get_ca_certs(binary_form=True)
    if not authorities:
        pytest.skip("needs a system list of certificate authorities")
    return ssl.DER_cert_to_PEM_cert(authorities[0])
