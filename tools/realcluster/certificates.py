"""One authority for the whole cluster, and the certificates by which its parts authenticate.

Created at each start, valid for 30 days.
"""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_DAYS = 30


class Authority:
    """Writes `NAME.crt` and `NAME.key` into a folder; its own are `ca.crt` and `ca.key`."""

    def __init__(self, folder: Path, *, states_usage: bool = True):
        """``states_usage``: without, its certificate has no key usage, as of a plain `openssl req -x509`. Python 3.13
        refuses that in strict mode, Go doesn't, and clusters have it.
        """
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "real-cluster")])
        builder = self._builder(self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        if states_usage:
            builder = builder.add_extension(_usage(signs=True), critical=True)
        self._write("ca", builder, self._key)

    @property
    def certificate(self) -> Path:
        """The authority's certificate."""
        return self.folder / "ca.crt"

    def issue(self, name: str, user: str, group: str = "", hosts: tuple[str, ...] = ()) -> tuple[Path, Path]:
        """A certificate (and its key) of ``user`` in ``group``, for clients and, with ``hosts`` (names, addresses),
        servers.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        parts = [x509.NameAttribute(NameOID.COMMON_NAME, user)]
        if group:
            parts.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, group))
        purposes = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
        builder = (
            self._builder(x509.Name(parts), key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        )
        if hosts:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False
            )
        return self._write(name, builder, key)

    def key_pair(self, name: str) -> tuple[Path, Path]:
        """An RSA key for signing service-account tokens: `NAME.pub`, `NAME.key`."""
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        (self.folder / f"{name}.pub").write_bytes(public)
        return self.folder / f"{name}.pub", self._write_key(name, key)

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=5))
            .not_valid_after(now + timedelta(days=_DAYS))
        )

    def _write(self, name: str, builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> tuple[Path, Path]:
        made = builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        (self.folder / f"{name}.crt").write_bytes(made)
        return self.folder / f"{name}.crt", self._write_key(name, key)

    def _write_key(self, name: str, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> Path:
        path = self.folder / f"{name}.key"
        path.touch(mode=0o600)
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return path


def _host(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=not signs,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
