"""What probes and Prometheus read, and what a client without a session gets through a gateway."""

import json
from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def ask(path: str, **headers: str) -> Any:
    return Client().get(path, headers={"host": "localhost", **headers})


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_a_stranger_is_told_no_figures_and_no_causes(settings: Any, redis_server: str, header: str) -> None:
    settings.SIGN_IN = "oidc"
    outside = {header: "203.0.113.7"}
    assert ask("/healthz", **outside).status_code == 200
    refused = ask("/metrics", **outside)
    assert refused.status_code == 403 and b"console_" not in refused.content
    readiness = json.loads(ask("/readyz?only=worker", **outside).content)
    assert readiness == {"ready": False, "parts": {"worker": {"ready": False, "message": ""}}}
    # Who asks the process itself.
    assert b"console_live" in ask("/metrics").content
    assert "no worker watches" in json.loads(ask("/readyz?only=worker").content)["parts"]["worker"]["message"]


def test_on_this_machine_alone_nothing_is_kept_back(settings: Any) -> None:
    settings.SIGN_IN = "local"
    assert b"console_live" in ask("/metrics", **{"X-Forwarded-For": "127.0.0.1"}).content
