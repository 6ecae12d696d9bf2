"""Certificates as clusters in the field have them, which RFC 5280 to the letter refuses and kubectl accepts."""

import datetime
import ipaddress
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class PlainAuthority:
    """`ca.crt` without a key usage; its servers' certificates have no Authority Key Identifier."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.certificate = folder, folder / "ca.crt"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "plain")])
        self._build(self._name, self._key.public_key(), x509.BasicConstraints(ca=True, path_length=None), "ca")

    def issue(self, host: str = "127.0.0.1") -> tuple[Path, Path]:
        """A server's certificate and key, for one address or name."""
        key = ec.generate_private_key(ec.SECP256R1())
        try:
            name: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            name = x509.DNSName(host)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server")])
        self._build(subject, key.public_key(), x509.SubjectAlternativeName([name]), "server")
        private = self.folder / "server.key"
        private.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return self.folder / "server.crt", private

    def _build(self, subject: x509.Name, key: Any, extension: x509.ExtensionType, name: str) -> None:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(minutes=5))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(extension, critical=False)
        )
        signed = builder.sign(self._key, hashes.SHA256())
        (self.folder / f"{name}.crt").write_bytes(signed.public_bytes(serialization.Encoding.PEM))


class OpensslAuthority(PlainAuthority):
    """Made by `openssl req -x509` as a tutorial has it: it says nothing of key usage."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("needs openssl on PATH")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.certificate = folder, folder / "ca.crt"
        words = [
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "1",
            "-subj",
            "/CN=plain",
            "-keyout",
            "ca.key",
            "-out",
            "ca.crt",
        ]
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    def issue(self, host: str = "127.0.0.1") -> tuple[Path, Path]:
        (self.folder / "server.ext").write_text(f"subjectAltName={'DNS' if host.isalpha() else 'IP'}:{host}\n")
        request = "req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.csr"
        sign = (
            "x509 -req -days 1 -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile server.ext -out"
            " server.crt"
        )
        for words in (request, sign):
            subprocess.run(["openssl", *words.split()], cwd=self.folder, check=True, capture_output=True)
        return self.folder / "server.crt", self.folder / "server.key"


@contextmanager
def strict_by_default(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """ssl.create_default_context() as it is from Python 3.13 on, whichever Python this is."""
    original = ssl.create_default_context

    def strict(*args: Any, **options: Any) -> ssl.SSLContext:
        context = original(*args, **options)
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
        return context

    with monkeypatch.context() as patch:
        patch.setattr(ssl, "create_default_context", strict)
        yield
