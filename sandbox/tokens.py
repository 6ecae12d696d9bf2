"""Who is asking: the admin's token, service-account tokens (signed, JWT)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
import uuid
from typing import Any

import msgspec

from .errors import Unauthorized
from .http import ANONYMOUS, Request, User
from .journal import Journal
from .objects import Object, decode
from .store import Store

ADMIN = User("kubernetes-admin", ("system:masters", "system:authenticated"))
ISSUER = "https://kubernetes.default.svc.cluster.local"
#: Tokens of Pods and of token_for: they end with the sandbox's data, not before.
LONG = 10 * 365 * 24 * 3600


def _pack(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _unpack(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Tokens:
    """Makes and reads bearer tokens. Keys are made once and kept in the journal."""

    def __init__(self, store: Store, journal: Journal):
        self._store = store
        self.admin = self._remembered(journal, "admin_token")
        self._key = self._remembered(journal, "signing_key").encode()
        self._known: dict[str, tuple[int, float, User]] = {}

    @staticmethod
    def _remembered(journal: Journal, name: str) -> str:
        value = journal.meta(name)
        if not value:
            value = secrets.token_urlsafe(32)
            journal.set_meta(name, value)
        return value

    def issue(self, account: Object, seconds: int = LONG, audiences: list[str] | None = None, **bound: Any) -> str:
        """A token for a ServiceAccount object. ``bound`` (pod=…, secret=…) goes into its claims."""
        metadata = account["metadata"]
        issued = int(time.time())
        claims: dict[str, Any] = {
            "aud": audiences or [ISSUER],
            "exp": issued + seconds,
            "iat": issued,
            "nbf": issued,
            "iss": ISSUER,
            "jti": str(uuid.uuid4()),
            "sub": f"system:serviceaccount:{metadata['namespace']}:{metadata['name']}",
            "kubernetes.io": {
                "namespace": metadata["namespace"],
                "serviceaccount": {"name": metadata["name"], "uid": metadata["uid"]},
                **bound,
            },
        }
        head = _pack(msgspec.json.encode({"alg": "HS256", "kid": "sandbox"}))
        body = f"{head}.{_pack(msgspec.json.encode(claims))}"
        return f"{body}.{_pack(self._sign(body))}"

    def _sign(self, text: str) -> bytes:
        return hmac.new(self._key, text.encode(), hashlib.sha256).digest()

    def user(self, token: str) -> User | None:
        """Whose token this is; None when it is nobody's (any more)."""
        if hmac.compare_digest(token.encode(), self.admin.encode()):
            return ADMIN
        accounts = self._store.changed("serviceaccounts")
        known = self._known.get(token)
        if known is not None and known[0] == accounts and known[1] > time.time():
            return known[2]
        claims = self._claims(token)
        user = self._account(claims) if claims else None
        if user is not None and claims is not None:
            if len(self._known) > 1000:
                self._known.clear()
            self._known[token] = (accounts, float(claims["exp"]), user)
        return user

    def _claims(self, token: str) -> dict[str, Any] | None:
        body, _, signature = token.rpartition(".")
        try:
            if not hmac.compare_digest(self._sign(body), _unpack(signature)):
                return None
            claims = msgspec.json.decode(_unpack(body.split(".")[1]))
        except (ValueError, IndexError, msgspec.DecodeError):
            return None
        return claims if isinstance(claims, dict) and claims.get("exp", 0) > time.time() else None

    def _account(self, claims: dict[str, Any]) -> User | None:
        bound = claims["kubernetes.io"]
        namespace, account = bound["namespace"], bound["serviceaccount"]
        entry = self._store.get("serviceaccounts", namespace, account["name"])
        if entry is None or entry.uid != account["uid"]:
            return None
        extra = {"authentication.kubernetes.io/credential-id": [f"JTI={claims['jti']}"]}
        if "pod" in bound:
            extra["authentication.kubernetes.io/pod-name"] = [bound["pod"]["name"]]
            extra["authentication.kubernetes.io/pod-uid"] = [bound["pod"]["uid"]]
        return account_user(namespace, account["name"], account["uid"], extra)


def account_user(namespace: str, name: str, uid: str = "", extra: dict[str, list[str]] | None = None) -> User:
    """The user that a ServiceAccount is."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    return User(f"system:serviceaccount:{namespace}:{name}", groups, uid, extra or {})


def authenticate(request: Request, tokens: Tokens) -> User:
    """The user of a request; Unauthorized for a token that is not valid. Without one: anonymous."""
    header = request.headers.get("authorization", "")
    token = header[7:].strip() if header[:7].lower() == "bearer " else ""
    if not token and request.is_websocket:
        token = _websocket_token(request)
    if not header and not token:
        return ANONYMOUS
    user = tokens.user(token) if token else None
    if user is None:
        raise Unauthorized
    return user


def _websocket_token(request: Request) -> str:
    """Browsers cannot set headers on a WebSocket: the token comes as a subprotocol."""
    marker = "base64url.bearer.authorization.k8s.io."
    for name in request.headers.get("sec-websocket-protocol", "").split(","):
        if name.strip().startswith(marker):
            return _unpack(name.strip()[len(marker) :]).decode(errors="replace")
    return ""


def account_object(store: Store, namespace: str, name: str) -> Object | None:
    """The stored ServiceAccount."""
    entry = store.get("serviceaccounts", namespace, name)
    return decode(entry.data) if entry else None
