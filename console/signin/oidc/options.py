"""Settings of the provider, validated at start.

console/settings.py imports it, so it doesn't import Django.
"""

import ssl
from collections.abc import Sequence
from urllib.parse import urlsplit

from kube.config import client_context

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def trouble(issuer: str, client: str, scopes: Sequence[str], authority: str, console: str) -> str:
    """What is wrong with them, in one sentence that names the setting; ''."""
    if not issuer or not client:
        missing = "OIDC_ISSUER" if not issuer else "OIDC_CLIENT_ID"
        return f"SIGN_IN=oidc needs {missing}: the provider's issuer URL and the id of this console there"
    if not safe(issuer) or "?" in issuer or "#" in issuer:
        return f"OIDC_ISSUER={issuer!r} is not an https:// URL without query (http:// only on this machine)"
    if scopes and "openid" not in scopes:
        return f"OIDC_SCOPES={' '.join(scopes)!r} lacks openid, without which no provider gives an ID token"
    if authority:
        try:
            client_context(authority_file=authority)
        except (OSError, ssl.SSLError) as error:
            return f"OIDC_CA_FILE={authority!r} can't be used: {error}"
    if console and (not safe(console) or urlsplit(console).path or "?" in console or "#" in console):
        return (
            f"CONSOLE_URL={console!r} is not an address like https://console.example.com (http:// only on this machine)"
        )
    return ""


def safe(url: str) -> bool:
    """Whether requests can't be intercepted: https, or the loopback address."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK))
