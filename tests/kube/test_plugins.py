"""Credential plugins of a kubeconfig (`exec:`), as EKS, GKE and AKS have them: real programs, good and bad ones."""

import base64
import json
import stat
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from kube import limits
from kube.config import ClusterConfig, load
from kube.errors import InvalidConfig, PluginFailed

VERSION = "client.authentication.k8s.io/v1"
#: Makes from a shell script a configuration whose plugin it is.
Make = Callable[..., ClusterConfig]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def configuration(script: str, cluster: dict[str, Any] | None = None, **plugin: Any) -> ClusterConfig:
        program = tmp_path / "plugin"
        program.write_text(f"#!/bin/sh\necho run >> {tmp_path}/runs\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        known = {"apiVersion": VERSION, "command": str(program), "interactiveMode": "Never", **plugin}
        document = {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1", **(cluster or {})}}],
            "users": [{"name": "u", "user": {"exec": known}}],
        }
        (tmp_path / "config").write_text(yaml.safe_dump(document))
        return load(str(tmp_path / "config"))

    return configuration


def _printed(seconds: float | None = None, **status: Any) -> str:
    """The command that prints an answer, good for so many seconds."""
    if seconds is not None:
        status["expirationTimestamp"] = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()
    answer = {"apiVersion": VERSION, "kind": "ExecCredential", "status": status}
    return f"cat <<'END'\n{json.dumps(answer)}\nEND"


def _runs(folder: Path) -> int:
    return len((folder / "runs").read_text().splitlines())


def test_it_gets_its_arguments_its_environment_and_the_cluster(make: Make, tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("an authority")
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "us"}}
    config = make(
        f'echo "$1 $EXTRA" > {tmp_path}/told; echo "$KUBERNETES_EXEC_INFO" > {tmp_path}/info\n' + _printed(token="t"),
        {"certificate-authority": "ca.crt", "tls-server-name": "named", "extensions": [extension]},
        args=["get-token"],
        env=[{"name": "EXTRA", "value": "more"}],
        provideClusterInfo=True,
    )
    assert config.token() == "t"
    assert (tmp_path / "told").read_text() == "get-token more\n"
    info = json.loads((tmp_path / "info").read_text())
    assert (info["apiVersion"], info["kind"]) == (VERSION, "ExecCredential")
    assert info["spec"] == {
        "interactive": False,
        "cluster": {
            "server": "http://127.0.0.1:1",
            "tls-server-name": "named",
            "certificate-authority-data": base64.b64encode(b"an authority").decode(),
            "config": {"audience": "us"},
        },
    }


def test_without_provide_cluster_info_it_is_not_told_of_the_cluster(make: Make, tmp_path: Path) -> None:
    config = make(f'echo "$KUBERNETES_EXEC_INFO" > {tmp_path}/info\n' + _printed(token="t"), args=None, env=None)
    assert config.token() == "t"
    assert json.loads((tmp_path / "info").read_text())["spec"] == {"interactive": False}


def test_it_runs_once_for_many_requests_and_again_before_the_token_ends(make: Make, tmp_path: Path) -> None:
    config = make(_printed(900, token="t"))
    assert {config.token() for _ in range(50)} == {"t"} and _runs(tmp_path) == 1
    # It ends within the seconds in which it is renewed: once a second at most.
    config = make(_printed(14, token="t"))
    assert {config.token() for _ in range(50)} == {"t"} and _runs(tmp_path) == 2
    time.sleep(1.1)
    assert {config.token() for _ in range(50)} == {"t"} and _runs(tmp_path) == 3


def test_while_a_slow_plugin_renews_a_token_the_others_continue_with_it(make: Make, tmp_path: Path) -> None:
    config = make(_printed(14, token="t"))
    assert config.token() == "t"
    (tmp_path / "plugin").write_text(f"#!/bin/sh\necho run >> {tmp_path}/runs\nsleep 2\n{_printed(900, token='new')}\n")
    time.sleep(1.1)
    renewing = threading.Thread(target=config.token)
    renewing.start()
    time.sleep(0.2)
    began = time.monotonic()
    assert [config.token() for _ in range(20)] == ["t"] * 20 and time.monotonic() - began < 0.5
    renewing.join()
    assert config.token() == "new" and _runs(tmp_path) == 2


def test_a_token_is_used_to_its_end_while_the_plugin_fails(make: Make, tmp_path: Path) -> None:
    config = make(_printed(3, token="t"))
    assert config.token() == "t"
    (tmp_path / "plugin").write_text(f"#!/bin/sh\necho run >> {tmp_path}/runs\nexit 1\n")
    time.sleep(1.1)
    assert config.token() == "t"
    time.sleep(2.1)
    with pytest.raises(PluginFailed):
        config.token()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            "echo 'The SSO session has expired. Run aws sso login.' >&2; exit 255",
            "code 255: The SSO session has expired",
        ),
        ("exit 3", "it ended with code 3 and without a message"),
        ("echo 'secret-token'", "it printed 13 bytes that aren't an ExecCredential in JSON"),
        ("echo '[1]'", "it printed 4 bytes that aren't"),
        ("true", "it printed 0 bytes"),
        (
            'echo \'{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1"}\'',
            "v1beta1, the kube",
        ),
        (f'echo \'{{"kind": "ExecCredential", "apiVersion": "{VERSION}"}}\'', "has no status"),
        (_printed(expirationTimestamp="2999-01-01T00:00:00Z"), "neither a token nor a certificate"),
        (_printed(clientCertificateData="x"), "a certificate without a key"),
        ("kill -9 $$", "it ended with code -9"),
    ],
)
def test_what_a_bad_plugin_did_is_said_in_one_sentence_without_its_output(make: Make, script: str, words: str) -> None:
    config = make(script, installHint="Ask in #platform.")
    with pytest.raises(PluginFailed) as failed:
        config.token()
    text = str(failed.value)
    assert words in text and "/plugin' failed: " in text and text.endswith(". Ask in #platform.")
    assert "secret-token" not in text and "\n" not in text


def test_a_long_complaint_is_cut_and_its_end_shown(make: Make) -> None:
    config = make("yes a very long complaint | head -c 3000000 >&2; echo the reason >&2; exit 1")
    with pytest.raises(PluginFailed, match="the reason") as failed:
        config.token()
    assert len(str(failed.value)) < 700


def test_a_program_that_cannot_be_started(make: Make, tmp_path: Path) -> None:
    config = make("true")
    (tmp_path / "plugin").chmod(0o644)
    with pytest.raises(PluginFailed, match="Permission denied"):
        config.token()


def test_one_that_asks_questions_is_refused_and_none_reads_our_input(make: Make, tmp_path: Path) -> None:
    with pytest.raises(PluginFailed, match="interactiveMode: Always"):
        make("true", interactiveMode="Always").token()
    assert not (tmp_path / "runs").exists()
    assert make("read answer && exit 1\n" + _printed(token="t"), interactiveMode="IfAvailable").token() == "t"


def test_a_plugin_that_hangs_is_ended_once_for_all(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty pages at once wait for one run, and the next ones not at all."""
    monkeypatch.setattr(limits, "PLUGIN_SECONDS", replace(limits.PLUGIN_SECONDS, value=1))
    config = make(f"sleep 600 & echo $! > {tmp_path}/child; wait")

    def failure() -> str:
        with pytest.raises(PluginFailed) as failed:
            config.token()
        return str(failed.value)

    began = time.monotonic()
    with ThreadPoolExecutor(20) as pages:
        texts = set(pages.map(lambda _number: failure(), range(20)))
    (text,) = texts | {failure()}
    assert "it didn't answer within 1 seconds" in text
    assert time.monotonic() - began < 4 and _runs(tmp_path) == 1
    child = int((tmp_path / "child").read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE


def test_after_a_failure_it_runs_again_in_seconds(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = make("exit 1")
    for _ in range(10):
        with pytest.raises(PluginFailed):
            config.token()
    assert _runs(tmp_path) == 1
    monkeypatch.setattr("kube.credentials._FAILED_SECONDS", 0.1)
    time.sleep(0.2)
    (tmp_path / "plugin").write_text(f"#!/bin/sh\n{_printed(token='mended')}\n")
    assert config.token() == "mended"


def test_output_without_an_end_ends(make: Make) -> None:
    began = time.monotonic()
    with pytest.raises(PluginFailed, match="it printed more than 256 KiB"):
        make("yes").token()
    assert time.monotonic() - began < 5


def test_a_child_that_stays_behind_holds_nothing_up(make: Make) -> None:
    """A program that starts a cache of tokens in the background, with its own output."""
    began = time.monotonic()
    assert make("sleep 20 &\n" + _printed(token="t")).token() == "t"
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ({"name": "gcp", "config": {"access-token": "x"}}, "gke-gcloud-auth-plugin"),
        ({"name": "azure", "config": {}}, "kubelogin convert-kubeconfig"),
        ({"name": "openstack"}, "its credential plugin"),
        (None, "its credential plugin"),
    ],
)
def test_a_removed_auth_provider_is_said_with_what_replaces_it(tmp_path: Path, provider: Any, words: str) -> None:
    document = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"auth-provider": provider}}],
    }
    (tmp_path / "config").write_text(yaml.safe_dump(document))
    with pytest.raises(InvalidConfig, match=words) as refused:
        load(str(tmp_path / "config"))
    assert str(tmp_path / "config") in str(refused.value) and "user 'u'" in str(refused.value)
    assert load(str(tmp_path / "config"), anonymous=True).token() == "", "users with tokens of their own need none"
