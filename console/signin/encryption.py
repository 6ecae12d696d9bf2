"""Encryption of credentials at rest, with a key derived from SECRET_KEY, each for one session only.

Fernet is AES-128-CBC with HMAC-SHA256 (https://github.com/fernet/spec). After a change of SECRET_KEY, the keys of
SECRET_KEY_FALLBACKS still decrypt older credentials.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class UnreadableCredentials(Exception):
    """Made with another key, for another session, or not by us."""


def seal(text: str, session: str) -> bytes:
    return _keys().encrypt(f"{session}\n{text}".encode())


def unseal(data: bytes | memoryview, session: str, seconds: int | None = None) -> str:
    """Raises UnreadableCredentials, with `seconds` also for what was sealed longer ago."""
    try:
        owner, _line, text = _keys().decrypt(bytes(data), seconds).decode().partition("\n")
    except (InvalidToken, UnicodeDecodeError):
        raise UnreadableCredentials("these credentials can't be read: was SECRET_KEY changed?") from None
    if owner != session:
        raise UnreadableCredentials("these credentials belong to another session")
    return text


def _keys() -> MultiFernet:
    return MultiFernet([_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"console sign-in credentials").derive(
        secret.encode()
    )
    return Fernet(base64.urlsafe_b64encode(derived))
