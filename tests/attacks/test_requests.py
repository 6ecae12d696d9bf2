"""The protections of docs/security.md against untrusted requests, tried over HTTP; and each test that it names is
there.
"""

import re

import pytest
from django.test import Client

from tests.deploy.manifests import ROOT

# The frame of a page shows favourites.
pytestmark = pytest.mark.django_db

# Names that a rebound DNS entry, a proxy's mistake or a forged header would bring. The console of deploy/ answers to
# its own only.
HOSTS = (
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "10.0.0.1",
    "console",
    "[::2]",
    "localhost:9000.evil.example",
    "localhost@evil.example",
)
PATHS = (
    "/",
    "/settings/",
    "/resources/",
    "/operatorhub/",
    "/namespaces/",
    "/api/resources/",
    "/palette/",
    "/readyz",
    "/metrics",
)


@pytest.mark.parametrize("host", HOSTS)
def test_another_host_name_is_answered_nothing(host: str) -> None:
    for path in PATHS:
        answer = Client(headers={"host": host}).get(path)
        assert answer.status_code == 400, path
        # Not even the frame of a page, which names the cluster and its namespaces.
        assert answer["Content-Type"].startswith("text/plain") and b"<" not in answer.content


def test_a_forwarded_host_is_not_believed() -> None:
    answer = Client(headers={"host": "localhost", "x-forwarded-host": "evil.example"}).get("/settings/")
    assert answer.status_code == 200
    assert b"evil.example" not in answer.content


@pytest.mark.parametrize(
    "path", ["/settings/", "/namespaces/", "/resources/import/", "/resources/core/v1/configmaps/new/"]
)
def test_a_change_from_another_site_is_refused(path: str) -> None:
    web = Client(enforce_csrf_checks=True, headers={"host": "localhost", "origin": "https://evil.example"})
    answer = web.post(path, {"name": "made-by-another", "language": "ko"})
    assert answer.status_code == 403
    assert "language" not in answer.cookies


def test_every_answer_has_its_headers() -> None:
    for path in ("/settings/", "/healthz", "/no/such/page/"):
        headers = Client(headers={"host": "localhost"}).get(path).headers
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"], path
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


def test_what_the_threat_model_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "security.md").read_text())
    assert len(named) > 15
    for file, test in named:
        text = (ROOT / file).read_text()
        assert not test or f"def {test}(" in text, f"{file} has no {test}"
