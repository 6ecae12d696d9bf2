"""Renewal with whole clusters: the embedded one is recreated under a running client, and users authenticate at a real
API server by certificate.
"""

import base64
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kube import requests
from kube.client import ClusterClient
from kube.errors import Unreachable
from kube.renewal import following
from kube.transport import AsyncTransport
from kube.watch import watch
from tests import processes
from tests.eventually import until


async def test_the_embedded_cluster_is_made_anew_under_a_client(tmp_path: Path) -> None:
    """Another authority, another token, another port, another history: what `make reset` and a new start leave of
    the old one.
    """
    data = tmp_path / "sandbox"
    with processes.sandbox(data, options=("--no-olm",)):
        client = ClusterClient(following(str(data / "kubeconfig")))
        maps, old = client.find("core", "v1", "configmaps"), client.host
        client.create(maps, {"metadata": {"name": "only-here"}}, "default")
    with pytest.raises(Unreachable):
        client.version()
    shutil.rmtree(data)
    async with AsyncTransport(client.config) as transport:
        with processes.sandbox(data, options=("--no-olm",)):
            assert client.host != old
            names = {item["metadata"]["name"] for item in client.list(maps, "default").items}
            assert "only-here" not in names
            request = requests.watch_table(maps, "default", "", 60, "Metadata")
            client.create(maps, {"metadata": {"name": "new"}}, "default")
            async for burst in watch(transport, request):
                if any(row["object"]["metadata"]["name"] == "new" for row in _rows(burst)):
                    break


def _rows(burst: list[Any]) -> list[dict[str, Any]]:
    return [row for event in burst for row in event.document().get("rows") or ()]


def test_a_client_certificate_is_replaced_under_a_client(client: ClusterClient, tmp_path: Path) -> None:
    """As cert-manager or a kubelet does it: certificate and key are other files' contents from one moment to the
    next.
    """
    if not any(type_.plural == "certificatesigningrequests" for type_ in client.types()):
        pytest.skip("the embedded cluster signs no certificates: a real one is needed")
    _install(client, tmp_path, "first")
    source = client.config.files[0]
    document = yaml.safe_load(source.read_text())
    context = next(item["context"] for item in document["contexts"] if item["name"] == client.config.context)
    user = next(item for item in document["users"] if item["name"] == context["user"])
    user["user"] = {"client-certificate": "me.crt", "client-key": "me.key"}
    (tmp_path / "config").write_text(yaml.safe_dump(document))
    person = ClusterClient(following(str(tmp_path / "config")))
    assert _who(person) == "renewal-first"
    _install(client, tmp_path, "second")
    assert _who(person) == "renewal-second"


def _who(client: ClusterClient) -> str:
    body = b'{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    answer = yaml.safe_load(client.raw("POST", path, body=body, content_type="application/json"))
    return str(answer["status"]["userInfo"]["username"])


def _install(client: ClusterClient, folder: Path, person: str) -> None:
    """A certificate for `renewal-PERSON`, signed by the cluster."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"renewal-{person}")])
    signing_request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    type_ = client.find("certificates.k8s.io", "v1", "certificatesigningrequests")
    spec = {
        "request": base64.b64encode(signing_request.public_bytes(serialization.Encoding.PEM)).decode(),
        "signerName": "kubernetes.io/kube-apiserver-client",
        "usages": ["client auth"],
    }
    made = client.create(type_, {"metadata": {"generateName": "renewal-"}, "spec": spec})
    name = made["metadata"]["name"]
    try:
        condition = {"type": "Approved", "status": "True", "reason": "Test", "message": "a test's"}
        made["status"] = {"conditions": [condition]}
        client.replace(type_, made, subresource="approval")
        signed = until(lambda: (client.get(type_, name).get("status") or {}).get("certificate"), "a signature")
    finally:
        client.delete(type_, name)
    (folder / "me.crt").write_bytes(base64.b64decode(signed))
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "me.key").write_bytes(text)
