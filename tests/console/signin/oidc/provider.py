"""An OpenID Connect provider that can be set to misbehave: attacks that dex never sends, and the console must refuse.

It speaks TLS on loopback, checks PKCE, uses codes and refresh tokens once, and signs `person` in without asking.
"""

import base64
import hashlib
import hmac
import json
import secrets
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.oidc import CLIENT
from tools.realcluster.certificates import Authority


@dataclass(kw_only=True)
class Provider:
    """`claims`: put over those of the next ID tokens.

    `metadata`: over its description. `refuse`: the error that the token endpoint answers.
    """

    issuer: str
    authority: Path
    person: str = "anna"
    groups: tuple[str, ...] = ("team-a",)
    seconds: int = 600
    claims: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    deny: str = ""
    refuse: str = ""
    away: bool = False
    algorithm: str = "RS256"
    #: What was asked: names of endpoints, and the forms that came to the token endpoint.
    asked: list[str] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)
    key: RSAKey = field(default_factory=lambda: _key("first"))
    published: RSAKey | None = None
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    refreshes: set[str] = field(default_factory=set)
    given: list[str] = field(default_factory=list)

    def described(self) -> dict[str, Any]:
        at = self.issuer
        return {
            "issuer": at,
            "authorization_endpoint": f"{at}/authorize",
            "token_endpoint": f"{at}/token",
            "jwks_uri": f"{at}/keys",
            "end_session_endpoint": f"{at}/end",
            "revocation_endpoint": f"{at}/revoke",
            "scopes_supported": ["openid", "email", "groups", "offline_access"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            **self.metadata,
        }

    def id_token(self, nonce: str = "") -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": f"sub-{self.person}",
            "aud": CLIENT,
            "iat": now,
            "exp": now + self.seconds,
            "email": f"{self.person}@example.com",
            "email_verified": True,
            "groups": list(self.groups),
            "jti": secrets.token_hex(4),
            **({"nonce": nonce} if nonce else {}),
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        self.given.append(self._signed(claims))
        return self.given[-1]

    def _signed(self, claims: dict[str, Any]) -> str:
        if self.algorithm == "RS256":
            return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)
        parts = [json.dumps(part).encode() for part in ({"alg": self.algorithm, "kid": self.key.kid}, claims)]
        body = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
        if self.algorithm == "none":
            return f"{body}."
        # HS256 with the public key as the secret.
        digest = hmac.digest(self.key.as_pem(private=False), body.encode(), "sha256")
        return f"{body}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"

    def keys(self) -> dict[str, Any]:
        return {"keys": [(self.published or self.key).as_dict(private=False)]}

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser is led."""
        answer = {"state": query.get("state", "")}
        if self.deny:
            answer["error"] = self.deny
        else:
            code = secrets.token_urlsafe(12)
            self.codes[code] = query
            answer["code"] = code
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.forms.append(form)
        if self.refuse:
            return 400, {"error": self.refuse, "error_description": "<b>as told</b>"}
        nonce = ""
        if form.get("grant_type") == "authorization_code":
            begun = self.codes.pop(form.get("code", ""), None)
            digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            if (
                begun is None
                or begun.get("code_challenge") != challenge
                or begun["redirect_uri"] != form.get("redirect_uri")
            ):
                return 400, {"error": "invalid_grant"}
            nonce = begun.get("nonce", "")
        elif form.get("refresh_token") in self.refreshes:
            self.refreshes.discard(form["refresh_token"])
        else:
            return 400, {"error": "invalid_grant"}
        refresh = secrets.token_urlsafe(24)
        self.refreshes.add(refresh)
        answer = {"access_token": secrets.token_hex(8), "token_type": "Bearer", "id_token": self.id_token(nonce)}
        return 200, {**answer, "refresh_token": refresh}


def _key(name: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


def another_key() -> RSAKey:
    return _key("second")


@contextmanager
def provider(folder: Path) -> Iterator[Provider]:
    authority = Authority(folder)
    certificate, key = authority.issue("provider", "provider", hosts=("127.0.0.1",))
    made = Provider(issuer="", authority=authority.certificate)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            at = urlsplit(self.path)
            made.asked.append(at.path)
            if made.away:
                self._answer(502, b"<html>gateway</html>", "text/html")
            elif at.path.endswith("/.well-known/openid-configuration"):
                self._answer(200, made.described())
            elif at.path.endswith("/keys"):
                self._answer(200, made.keys())
            else:
                self._answer(404, {})

        def do_POST(self) -> None:
            made.asked.append(self.path)
            form = dict(parse_qsl(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()))
            if made.away:
                self._answer(502, b"<html>gateway</html>", "text/html")
            elif self.path.endswith("/revoke"):
                made.refreshes.discard(form.get("token", ""))
                self._answer(200, {})
            else:
                self._answer(*made.token(form))

        def _answer(self, status: int, body: Any, kind: str = "application/json") -> None:
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    made.issuer = f"https://127.0.0.1:{server.server_address[1]}/realm"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
