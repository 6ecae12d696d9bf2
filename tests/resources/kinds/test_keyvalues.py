"""Secrets and ConfigMaps made of a small form: of any sort, with files, and nothing that was typed gets lost."""

import base64
import html
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from kube.client import ClusterClient
from resources.writing.keyvalues import MOST
from tests.forms import dom

SECRETS = "/resources/core/v1/secrets/new-values/"
BINARY = bytes(range(256))


def pair() -> tuple[str, str]:
    """A certificate and its key, in PEM."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a.example")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = builder.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=9)).sign(key, SHA256())
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return (
        made.public_bytes(serialization.Encoding.PEM).decode(),
        key.private_bytes(serialization.Encoding.PEM, *plain).decode(),
    )


def made(client: ClusterClient, plural: str, namespace: str, name: str) -> dict[str, Any]:
    return client.get(client.find("", "v1", plural), name, namespace)


def decoded(obj: dict[str, Any]) -> dict[str, bytes]:
    return {key: base64.b64decode(value) for key, value in (obj.get("data") or {}).items()}


def test_keys_values_and_a_binary_file(browser: Client, client: ClusterClient, namespace: str) -> None:
    page = browser.get(SECRETS, {"namespace": namespace}).content.decode()
    assert f'<option value="{namespace}" selected>' in page
    data = {
        "sort": "values",
        "namespace": namespace,
        "name": "mixed",
        "rows": "3",
        "key-0": "text",
        "value-0": "a\r\nb\r\n",
        "key-1": "blob",
        "value-1-file": SimpleUploadedFile("blob.bin", BINARY),
        "key-2": "",
        "value-2": "",
        "immutable": "on",
    }
    answer = browser.post(SECRETS, data)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    assert answer["Location"] == f"/resources/core/v1/secrets/{namespace}/mixed/"
    obj = made(client, "secrets", namespace, "mixed")
    assert decoded(obj) == {"text": b"a\nb\n", "blob": BINARY}
    assert (obj["type"], obj["immutable"]) == ("Opaque", True)


def test_a_registry(browser: Client, client: ClusterClient, namespace: str) -> None:
    data = {
        "sort": "registry",
        "namespace": namespace,
        "name": "pull",
        "field-server": "quay.io",
        "field-username": "me",
        "field-password": "p:w",
        "field-email": "",
    }
    assert browser.post(SECRETS, data).status_code == 302
    obj = made(client, "secrets", namespace, "pull")
    assert obj["type"] == "kubernetes.io/dockerconfigjson"
    login = json.loads(decoded(obj)[".dockerconfigjson"])["auths"]["quay.io"]
    assert login == {"username": "me", "password": "p:w", "auth": base64.b64encode(b"me:p:w").decode()}


def test_a_certificate(browser: Client, client: ClusterClient, namespace: str) -> None:
    certificate, key = pair()
    data = {
        "sort": "tls",
        "namespace": namespace,
        "name": "cert",
        "field-tls.crt": certificate.replace("\n", "\r\n"),
        "field-tls.key-file": SimpleUploadedFile("tls.key", key.encode()),
    }
    assert browser.post(SECRETS, data).status_code == 302
    assert decoded(made(client, "secrets", namespace, "cert")) == {
        "tls.crt": certificate.encode(),
        "tls.key": key.encode(),
    }
    assert "CN=a.example" in browser.get(f"/resources/core/v1/secrets/{namespace}/cert/").content.decode()


@pytest.mark.parametrize(
    ("sort", "fields", "stored"),
    [
        ("basic", {"username": "me", "password": "x"}, {"username": b"me", "password": b"x"}),
        ("ssh", {"ssh-privatekey": "KEY\n"}, {"ssh-privatekey": b"KEY\n"}),
    ],
)
def test_other_sorts(
    browser: Client, client: ClusterClient, namespace: str, sort: str, fields: dict[str, str], stored: dict[str, bytes]
) -> None:
    data = {f"field-{name}": value for name, value in fields.items()}
    assert browser.post(SECRETS, {"sort": sort, "namespace": namespace, "name": "one", **data}).status_code == 302
    assert decoded(made(client, "secrets", namespace, "one")) == stored


def test_a_config_map(browser: Client, client: ClusterClient, namespace: str) -> None:
    url = "/resources/core/v1/configmaps/new-values/"
    assert "Secret type" not in browser.get(url).content.decode()
    data = {
        "namespace": namespace,
        "name": "paint",
        "rows": "2",
        "key-0": "colour",
        "value-0": "blue",
        "key-1": "logo",
        "value-1-file": SimpleUploadedFile("x", BINARY),
    }
    assert browser.post(url, data).status_code == 302
    obj = made(client, "configmaps", namespace, "paint")
    assert obj["data"] == {"colour": "blue"}
    assert base64.b64decode(obj["binaryData"]["logo"]) == BINARY


def control(page: str, name: str) -> dom.Element:
    return next(element for element in dom.parse(page).walk() if element.attributes.get("name") == name)


def test_what_is_wrong_is_said_at_its_place_and_nothing_is_lost(browser: Client, namespace: str) -> None:
    data = {
        "sort": "values",
        "namespace": namespace,
        "name": "x",
        "rows": "4",
        "key-0": "a b",
        "value-0": "first",
        "key-1": "same",
        "value-1": "1",
        "key-2": "same",
        "value-2-file": SimpleUploadedFile("<b>.bin", BINARY),
        "key-3": "",
        "value-3": "lonely",
    }
    answer = browser.post(SECRETS, data)
    page = answer.content.decode()
    assert answer.status_code == 422
    for words in ("dashes, dots and underscores only.", "This key already exists.", "Enter a key for this value."):
        assert words in page, words
    assert control(page, "value-0").text.strip() == "first"
    unchanged_value = control(page, "value-2-kept").attributes["value"]
    assert base64.b64decode(unchanged_value) == BINARY
    assert "File &lt;b&gt;.bin" in page
    again = {
        **{key: value for key, value in data.items() if not key.endswith("-file")},
        "key-0": "ab",
        "key-2": "other",
        "key-3": "end",
        "value-2-kept": unchanged_value,
        "value-2-kept-name": "b",
    }
    assert browser.post(SECRETS, again).status_code == 302


def test_a_file_that_is_too_large_is_not_carried_along_whole(browser: Client, namespace: str) -> None:
    file = SimpleUploadedFile("large.bin", bytes(3 * MOST))
    data = {"sort": "values", "namespace": namespace, "name": "x", "rows": "1", "key-0": "a", "value-0-file": file}
    answer = browser.post(SECRETS, data)
    page = answer.content.decode()
    assert answer.status_code == 422 and "All values together can&#x27;t exceed 1 MiB." in page
    unchanged_value = control(page, "value-0-kept").attributes["value"] or ""
    assert len(base64.b64decode(unchanged_value)) == MOST + 1
    # What is left of it is refused as well.
    again = {key: value for key, value in data.items() if key != "value-0-file"}
    again |= {"value-0-kept": unchanged_value, "value-0-kept-name": "large.bin"}
    assert browser.post(SECRETS, again).status_code == 422


def test_rows_come_and_go_and_another_sort_forgets_nothing(browser: Client, namespace: str) -> None:
    data = {
        "sort": "values",
        "namespace": namespace,
        "name": "x",
        "rows": "2",
        "key-0": "a",
        "value-0": "1",
        "key-1": "b",
        "value-1": "2",
    }
    more = browser.post(SECRETS, {**data, "more": "1"}).content.decode()
    assert control(more, "rows").attributes["value"] == "3"
    less = browser.post(SECRETS, {**data, "less": "0"}).content.decode()
    assert control(less, "key-0").attributes["value"] == "b"
    turned = browser.post(SECRETS, {**data, "turn": "tls"}).content.decode()
    assert control(turned, "name").attributes["value"] == "x"
    assert control(turned, "field-tls.key") is not None


@pytest.mark.parametrize("url", [SECRETS, "/resources/rbac.authorization.k8s.io/v1/rolebindings/new-binding/"])
def test_a_namespace_that_no_list_has_yet_stays_chosen(browser: Client, url: str) -> None:
    """Just created, or not the user's to list: the API server decides when the object is sent."""
    page = browser.post(url, {"namespace": "just-made", "name": "x", "rows": "1", "more": "1"}).content.decode()
    assert '<option value="just-made" selected>' in page


@pytest.mark.parametrize(
    ("crt", "key", "words"),
    [
        ("no", "no", "valid PEM certificate"),
        ("own", "no", "valid PEM private key"),
        ("own", "other", "doesn&#x27;t match the certificate"),
        ("", "", "This field is required."),
    ],
)
def test_a_key_that_is_not_the_certificates(browser: Client, namespace: str, crt: str, key: str, words: str) -> None:
    certificate, _key = pair()
    _other, foreign = pair()
    data = {"field-tls.crt": certificate if crt == "own" else crt, "field-tls.key": foreign if key == "other" else key}
    answer = browser.post(SECRETS, {"sort": "tls", "namespace": namespace, "name": "x", **data})
    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_what_the_cluster_refuses(browser: Client, client: ClusterClient, namespace: str) -> None:
    data = {"sort": "values", "namespace": namespace, "rows": "1", "key-0": "a", "value-0": "1"}
    bad = browser.post(SECRETS, {**data, "name": "No_Name"})
    assert bad.status_code == 422
    assert control(bad.content.decode(), "name").attributes["aria-invalid"] == "true"
    assert browser.post(SECRETS, {**data, "name": "one"}).status_code == 302
    assert "An object with this name already exists" in browser.post(SECRETS, {**data, "name": "one"}).content.decode()
    gone = browser.post(SECRETS, {**data, "name": "two", "namespace": "no-such-space"})
    assert "This namespace doesn't exist." in html.unescape(gone.content.decode())
    assert browser.get("/resources/core/v1/pods/new-values/").status_code == 404


def test_the_lists_lead_to_it(browser: Client, namespace: str) -> None:
    page = browser.get("/resources/core/v1/secrets/", {"namespace": namespace}).content.decode()
    assert f'href="{SECRETS}?namespace={namespace}"' in page
