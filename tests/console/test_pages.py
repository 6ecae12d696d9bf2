"""The frame of every page, the health answers, preferences, and errors in words."""

from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.test import Client, override_settings

from console.pages import health
from console.web import clusters
from console.web.errors import explain
from kube import errors
from resources.changes import HubState

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(cluster_kubeconfig: Path, redis_server: str) -> Client:
    return Client()


def test_the_overview_names_the_cluster_and_that_it_is_embedded(browser: Client) -> None:
    page = browser.get("/").content.decode()
    assert clusters.console_client().config.name in page
    assert "embedded" in page
    for words in ("OperatorHub", "Installed operators", "Namespaces", "Workloads"):
        assert words in page


def test_every_page_has_a_strict_content_policy(browser: Client) -> None:
    policy = browser.get("/")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    page = browser.get("/").content.decode()
    assert "<script>" not in page
    assert " style=" not in page
    assert "onclick" not in page


@pytest.mark.parametrize("language", dict(settings.LANGUAGES))
def test_language_and_theme_are_remembered(browser: Client, language: str) -> None:
    answer = browser.post("/settings/", {"language": language, "theme": "dark", "next": "/namespaces/"})
    assert answer["Location"] == "/namespaces/"
    page = browser.get("/namespaces/").content.decode()
    assert f'<html lang="{language}" class="pf-v6-theme-dark"' in page


def test_preferences_lead_nowhere_else(browser: Client) -> None:
    assert browser.post("/settings/", {"language": "en", "next": "https://evil.example/"})["Location"] == "/settings/"


def test_ready_says_which_part_is_not(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = browser.get("/readyz")
    assert answer.status_code == 503  # no worker runs in this test
    parts = answer.json()["parts"]
    assert [name for name, part in parts.items() if not part["ready"]] == ["worker"]
    assert "no worker watches the cluster" in parts["worker"]["message"]
    answer = browser.get("/readyz?only=database,redis")
    assert (answer.status_code, [*answer.json()["parts"]]) == (200, ["database", "redis"])
    assert browser.get("/readyz?only=worker").status_code == 503
    assert browser.get("/readyz?only=nothing").content.startswith(b"only=nothing: there is no such part")
    monkeypatch.setattr(health, "hub_states", lambda: [HubState("one")])
    assert browser.get("/readyz").status_code == 200
    monkeypatch.setattr(health, "hub_states", lambda: [HubState("one"), HubState("two", problem="refused")])
    answer = browser.get("/readyz")
    assert (answer.status_code, answer.json()["parts"]["worker"]["message"]) == (200, "two: refused")
    monkeypatch.setattr(health, "hub_states", lambda: [HubState("two", problem="refused")])
    assert browser.get("/readyz").status_code == 503
    with redis.Redis.from_url(settings.REDIS_URL) as direct:
        direct.config_set("maxmemory", 1)
        try:
            answer = browser.get("/readyz")
        finally:
            direct.config_set("maxmemory", 0)
    assert answer.status_code == 503
    assert answer.json()["parts"]["redis"]["message"].startswith("Redis is full, live updates are paused")


def test_a_broken_kubeconfig_is_said_in_the_page(
    browser: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config"
    path.write_text("a: [b")
    monkeypatch.setattr(clusters, "_clients", {})
    with override_settings(KUBECONFIG=str(path)):
        answer = browser.get("/")
    page = answer.content.decode()
    assert answer.status_code == 503
    assert f"the kubeconfig {path} is not YAML at line" in page
    assert "data-retry" in page


def test_an_unknown_page_and_type(browser: Client) -> None:
    assert "Page not found" in browser.get("/nowhere/").content.decode()
    answer = browser.get("/resources/example.org/v1/things/")
    assert answer.status_code == 404
    assert "things" in answer.content.decode()
    as_json = browser.get("/resources/example.org/v1/things/", headers={"Accept": "application/json"}).json()
    assert as_json["status"] == 404


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.Unreachable("x"), 503),
        (errors.InvalidConfig("x"), 503),
        (errors.Forbidden("x"), 403),
        (errors.Conflict("x"), 409),
        (errors.AlreadyExists("x"), 409),
        (errors.BadRequest("x"), 400),
        (errors.Invalid("x"), 422),
        (errors.TooManyRequests("x"), 429),
        (errors.KubeError("x"), 502),
        (errors.ServerError("x", code=507), 507),
    ],
)
def test_every_error_has_words_and_a_status(error: errors.KubeError, status: int) -> None:
    problem = explain(error)
    assert problem.status == status
    assert problem.title
    assert problem.advice
    assert problem.detail == "x"


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (
            errors.Forbidden(
                'subscriptions.operators.coreos.com "db" is forbidden: exceeded quota: few, requested: '
                "count/subscriptions.operators.coreos.com=1, used: count/subscriptions.operators.coreos.com=0, "
                "limited: count/subscriptions.operators.coreos.com=0"
            ),
            "The resource quota “few” doesn't allow this",
        ),
        (
            errors.Invalid(
                "subscriptions.operators.coreos.com \"db\" is forbidden: ValidatingAdmissionPolicy 'no-db' with "
                "binding 'no-db' denied request: Ask the platform team."
            ),
            "The admission policy “no-db” doesn't allow this",
        ),
        (
            errors.BadRequest('admission webhook "check.example.com" denied the request: No.'),
            "The admission webhook “check.example.com” doesn't allow this",
        ),
        (
            errors.Forbidden(
                'configmaps "a" is forbidden: unable to create new content in namespace b because it is being '
                "terminated"
            ),
            "The namespace is being deleted",
        ),
    ],
)
def test_what_admission_refuses_is_no_missing_permission_and_no_field(error: errors.KubeError, title: str) -> None:
    problem = explain(error)
    assert (problem.title, problem.status) == (title, error.code)
    assert "permission" not in problem.advice and "fields" not in problem.advice
