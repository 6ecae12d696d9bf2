"""What is made once for an ArgoCD and then left alone: the administrator's password, and the server's certificate
with its authority.

A deleted Secret is recreated with new contents, as the real operator does.
"""

from __future__ import annotations

import base64
import ipaddress
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from .argocd import ArgoCD, Object
from .objects import owned

#: Certificates aren't renewed, so they must outlive every tutorial.
_LIFE = timedelta(days=3650)
_Pair = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]


def makers(argocd: ArgoCD) -> dict[str, Callable[[], list[Object]]]:
    """For each Secret's name what makes it.

    The certificate is signed by the authority, so the two are made together.
    """
    name = argocd.name
    return {
        f"{name}-cluster": lambda: [_password(argocd)],
        f"{name}-ca": lambda: _certificates(argocd),
        f"{name}-tls": lambda: _certificates(argocd),
    }


def _password(argocd: ArgoCD) -> Object:
    password = base64.b64encode(secrets.token_urlsafe(18).encode()).decode()
    return owned(argocd, "v1", "Secret", f"{argocd.name}-cluster", type="Opaque", data={"admin.password": password})


def _certificates(argocd: ArgoCD) -> list[Object]:
    """The Secrets of the authority and of the server."""
    authority = _issue(f"{argocd.name}-ca")
    host = f"{argocd.name}-server"
    names = ["localhost", host, f"{host}.{argocd.namespace}", f"{host}.{argocd.namespace}.svc"]
    server = _issue(host, names, authority)
    return [_secret(argocd, "ca", authority, authority[0]), _secret(argocd, "tls", server, authority[0])]


def _issue(common_name: str, hosts: list[str] | None = None, by: _Pair | None = None) -> _Pair:
    """A certificate for these hosts; without `by` an authority that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by[0].subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + _LIFE)
        .add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
    )
    if hosts:
        alternatives = [*map(x509.DNSName, hosts), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    return builder.sign(by[1] if by else key, hashes.SHA256()), key


def _secret(argocd: ArgoCD, suffix: str, pair: _Pair, authority: x509.Certificate) -> Object:
    certificate, key = pair
    pem = serialization.Encoding.PEM
    files = {
        "tls.crt": certificate.public_bytes(pem),
        "tls.key": key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
        "ca.crt": authority.public_bytes(pem),
    }
    data = {name: base64.b64encode(content).decode() for name, content in files.items()}
    return owned(argocd, "v1", "Secret", f"{argocd.name}-{suffix}", type="kubernetes.io/tls", data=data)
