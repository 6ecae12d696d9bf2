"""A Secret's values are nowhere until they are asked for, and the asking is noted."""

import base64
import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.test import Client

from kube.client import ClusterClient
from resources.kinds.configs import certificate, registries

BINARY = bytes(range(256))


@pytest.fixture
def secret(client: ClusterClient, namespace: str) -> str:
    """Its page's address."""
    obj: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "login"},
        "stringData": {"password": "<hunter2>", "empty": ""},
        "data": {"blob": base64.b64encode(BINARY).decode()},
    }
    client.create(client.find("", "v1", "secrets"), obj, namespace)
    return f"/resources/core/v1/secrets/{namespace}/login/"


def test_nothing_of_a_value_before_it_is_asked_for(browser: Client, secret: str) -> None:
    pages = (secret, f"{secret}?part=object", f"{secret}?part=values", f"{secret}value/?key=password", f"{secret}yaml/")
    for url in pages:
        page = browser.get(url, HTTP_HX_REQUEST="true").content.decode()
        assert "password" in page or "part=values" in url, url
        assert "hunter2" not in page, url
        assert base64.b64encode(b"<hunter2>").decode() not in page, url


@pytest.mark.parametrize(
    ("page", "is_shown"), [("", False), ("yaml/", False), ("yaml/?reveal=1", True), ("edit/", True)]
)
def test_a_page_with_values_is_kept_nowhere(browser: Client, secret: str, page: str, *, is_shown: bool) -> None:
    """Neither by the browser's cache nor for the time in which the cluster is silent."""
    answer = browser.get(f"{secret}{page}")
    assert answer.status_code == 200
    assert ("no-store" in answer["Cache-Control"]) is is_shown


def test_a_value_is_shown_when_asked_for_and_that_is_noted(
    browser: Client, secret: str, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="console.audit"):
        answer = browser.post(f"{secret}value/", {"key": "password", "number": "3"}, HTTP_HX_REQUEST="true")
    page = answer.content.decode()
    assert "&lt;hunter2&gt;" in page
    assert 'id="key-3"' in page
    assert "load delay:60s" in page
    assert "data-live-keep" in page
    assert answer["Cache-Control"] == "no-store"
    noted = [record.getMessage() for record in caplog.records if "verb=reveal" in record.getMessage()]
    assert len(noted) == 1
    assert f"core/v1/secrets {namespace}/login key=password outcome=ok" in noted[0]
    assert "hunter2" not in caplog.text


def test_without_script_it_is_a_page(browser: Client, secret: str) -> None:
    answer = browser.post(f"{secret}value/", {"key": "password"})
    assert "<html" in answer.content.decode()
    assert "&lt;hunter2&gt;" in answer.content.decode()
    assert answer["Cache-Control"] == "no-store"


def test_bytes_that_are_no_text_are_downloaded(browser: Client, secret: str) -> None:
    shown = browser.post(f"{secret}value/", {"key": "blob"}, HTTP_HX_REQUEST="true").content.decode()
    assert "The value isn't text" in shown
    answer = browser.post(f"{secret}value/", {"key": "blob", "as": "file"})
    assert answer.content == BINARY
    assert answer["Content-Disposition"] == 'attachment; filename="blob"'
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("key", "status"), [("other", 404), ("", 400), ("../../x", 404)])
def test_no_such_key(browser: Client, secret: str, key: str, status: int) -> None:
    assert browser.post(f"{secret}value/", {"key": key}).status_code == status


def test_a_config_maps_value_is_a_file(browser: Client, client: ClusterClient, namespace: str) -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "paint"},
        "data": {"a.txt": "blü"},
        "binaryData": {"b": "AAEC"},
    }
    client.create(client.find("", "v1", "configmaps"), obj, namespace)
    url = f"/resources/core/v1/configmaps/{namespace}/paint/"
    page = browser.get(url).content.decode()
    assert "blü" in page
    assert "binary" in page
    assert browser.get(f"{url}value/?key=a.txt").content.decode() == "blü"
    assert browser.get(f"{url}value/?key=b").content == b"\x00\x01\x02"
    assert browser.get(f"/resources/core/v1/namespaces/-/{namespace}/value/?key=a").status_code == 404


def made(days: int) -> bytes:
    """A self-signed certificate that ends in so many days."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "shop.example.com")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - timedelta(days=400))
    builder = builder.not_valid_after(now + timedelta(days=days, hours=1))
    names = x509.SubjectAlternativeName([x509.DNSName("www.example.com"), x509.DNSName("*.shop.example.com")])
    return builder.add_extension(names, False).sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.mark.parametrize(
    ("days", "words", "colour"), [(100, "100 days left", "green"), (5, "5 days left", "orange"), (-3, "expired", "red")]
)
def test_a_certificate(days: int, words: str, colour: str) -> None:
    found = dict(certificate(made(days)))
    assert found["Subject"][0].text == "CN=shop.example.com"
    assert [name.text for name in found["Names"]] == ["www.example.com", "*.shop.example.com"]
    assert (found["Valid until"][1].text, found["Valid until"][1].colour) == (words, colour)
    assert found["Key"][0].text == "ECDSA secp256r1"


@pytest.mark.parametrize("value", [b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_no_certificate(value: bytes) -> None:
    (title, cell), *_rest = certificate(value)
    assert cell[0].look == "error", title


def test_logins_of_registries_without_their_passwords() -> None:
    auth = base64.b64encode(b"robot:secret:part").decode()
    logins = {
        "auths": {"quay.io": {"auth": auth, "email": "a@example.com"}, "docker.io": {"username": "me", "password": "x"}}
    }
    data = {".dockerconfigjson": base64.b64encode(json.dumps(logins).encode()).decode()}
    rows = [tuple(cell[0].text if cell else "" for cell in row) for row in registries(data)]
    assert rows == [("quay.io", "robot", "a@example.com"), ("docker.io", "me", "")]
    assert list(registries({".dockerconfigjson": "bm8="})) == []
