"""TLS as Go's programs read certificates."""

from __future__ import annotations

import ssl


def tls_context(
    *,
    purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH,
    authority_file: str | None = None,
    authority_data: str | None = None,
) -> ssl.SSLContext:
    """As ssl.create_default_context, without Python 3.13's VERIFY_X509_STRICT: it refuses certificates that Go accepts.

    https://docs.python.org/3/library/ssl.html#ssl.VERIFY_X509_STRICT
    """
    made = ssl.create_default_context(purpose, cafile=authority_file, cadata=authority_data)
    made.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return made
