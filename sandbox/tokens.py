"""Who is asking: the admin's token, service-account tokens (signed, JWT), ID tokens (sandbox/oidc.py)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
import uuid
from typing import Any, NamedTuple

import msgspec

from .errors import Unauthorized
from .http import ANONYMOUS, Request, User
from .journal import Journal
from .objects import Object, decode
from .oidc import Providers
from .store import Store

ADMIN = User("kubernetes-admin", ("system:masters", "system:authenticated"))
ISSUER = "https://kubernetes.default.svc.cluster.local"
#: Of the tokens that Secrets keep: they end with their Secret, not before.
_LEGACY_ISSUER = "kubernetes/serviceaccount"
_FLAT = "kubernetes.io/serviceaccount/"
#: Claim → resource of what a token may be bound to.
_BOUND = {"pod": "pods", "secret": "secrets", "node": "nodes"}
LONG = 10 * 365 * 24 * 3600


def _pack(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _unpack(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Reviewed(NamedTuple):
    """``user``: None for an invalid token, ``why`` is then the reason. ``expires``: a Unix time, 0 for none."""

    user: User | None
    audiences: tuple[str, ...] = ()
    why: str = ""
    expires: float = 0


class Tokens:
    """Makes and reads bearer tokens. Keys are made once and kept in the journal."""

    def __init__(self, store: Store, journal: Journal, providers: Providers):
        self._store = store
        self.providers = providers
        self.admin = self._remembered(journal, "admin_token")
        self._key = self._remembered(journal, "signing_key").encode()
        self._known: dict[str, tuple[tuple[int, ...], float, User]] = {}

    @staticmethod
    def _remembered(journal: Journal, name: str) -> str:
        value = journal.meta(name)
        if not value:
            value = secrets.token_urlsafe(32)
            journal.set_meta(name, value)
        return value

    def issue(self, account: Object, seconds: int = LONG, audiences: list[str] | None = None, **bound: Any) -> str:
        """A token for a ServiceAccount object. ``bound`` (pod=…, secret=…) is added to its claims."""
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
        return self._signed(claims)

    def issue_for_good(self, account: Object, secret: str) -> str:
        """The token that is kept in a Secret. It has no end and its claims are of the old form."""
        metadata = account["metadata"]
        return self._signed(
            {
                "iss": _LEGACY_ISSUER,
                f"{_FLAT}namespace": metadata["namespace"],
                f"{_FLAT}secret.name": secret,
                f"{_FLAT}service-account.name": metadata["name"],
                f"{_FLAT}service-account.uid": metadata["uid"],
                "sub": f"system:serviceaccount:{metadata['namespace']}:{metadata['name']}",
            }
        )

    def _signed(self, claims: dict[str, Any]) -> str:
        head = _pack(msgspec.json.encode({"alg": "HS256", "kid": "sandbox"}))
        body = f"{head}.{_pack(msgspec.json.encode(claims))}"
        return f"{body}.{_pack(self._sign(body))}"

    def _sign(self, text: str) -> bytes:
        return hmac.new(self._key, text.encode(), hashlib.sha256).digest()

    def user(self, token: str) -> User | None:
        """The user of a token for this server; None when it isn't valid (any more)."""
        present = tuple(self._store.changed(resource) for resource in ("serviceaccounts", *_BOUND.values()))
        known = self._known.get(token)
        if known is not None and known[0] == present and known[1] > time.time():
            return known[2]
        found = self.review(token, (ISSUER,))
        if found.user is not None and found.expires:
            if len(self._known) > 1000:
                self._known.clear()
            self._known[token] = (present, found.expires, found.user)
        return found.user

    def review(self, token: str, audiences: tuple[str, ...]) -> Reviewed:
        """The user of a token and its audiences among these; or why it isn't valid."""
        if hmac.compare_digest(token.encode(), self.admin.encode()):
            return Reviewed(ADMIN, audiences)
        claims = self._claims(token)
        if claims is None:
            return self._of_provider(token)
        if claims.get("iss") == _LEGACY_ISSUER:
            user = self._legacy(claims)
            return (
                Reviewed(user, audiences)
                if user
                else Reviewed(None, why="[invalid bearer token, token has been invalidated]")
            )
        meant = tuple(name for name in audiences if name in claims["aud"])
        if not meant:
            texts = [" ".join(f'"{name}"' for name in names) for names in (claims["aud"], audiences)]
            why = f"token audiences [{texts[0]}] is invalid for the target audiences [{texts[1]}]"
            return Reviewed(None, why=f"[invalid bearer token, {why}]")
        user = self._account(claims)
        if user is None:
            return Reviewed(None, why="[invalid bearer token, service account token has been invalidated]")
        return Reviewed(user, meant, expires=float(claims["exp"]))

    def _of_provider(self, token: str) -> Reviewed:
        """An ID token. It is meant for the provider's client, whatever audiences a reader has."""
        try:
            found = self.providers.user(token)
        except ValueError as error:
            return Reviewed(None, why=f"[invalid bearer token, {error}]")
        return Reviewed(found[0], found[1], expires=found[2]) if found else Reviewed(None, why="invalid bearer token")

    def _claims(self, token: str) -> dict[str, Any] | None:
        body, _, signature = token.rpartition(".")
        try:
            if not hmac.compare_digest(self._sign(body), _unpack(signature)):
                return None
            claims = msgspec.json.decode(_unpack(body.split(".")[1]))
        except (ValueError, IndexError, msgspec.DecodeError):
            return None
        if not isinstance(claims, dict):
            return None
        good = claims.get("iss") == _LEGACY_ISSUER or claims.get("exp", 0) > time.time()
        return claims if good else None

    def _account(self, claims: dict[str, Any]) -> User | None:
        bound = claims["kubernetes.io"]
        namespace, account = bound["namespace"], bound["serviceaccount"]
        entry = self._store.get("serviceaccounts", namespace, account["name"])
        if entry is None or entry.uid != account["uid"]:
            return None
        extra = {"authentication.kubernetes.io/credential-id": [f"JTI={claims['jti']}"]}
        for kind, resource in _BOUND.items():
            if kind not in bound:
                continue
            held = self._store.get(resource, "" if kind == "node" else namespace, bound[kind]["name"])
            if held is None or held.uid != bound[kind].get("uid", held.uid):
                return None
            if kind != "secret":
                extra[f"authentication.kubernetes.io/{kind}-name"] = [bound[kind]["name"]]
                extra[f"authentication.kubernetes.io/{kind}-uid"] = [held.uid]
        return account_user(namespace, account["name"], account["uid"], extra)

    def _legacy(self, claims: dict[str, Any]) -> User | None:
        """The user of a Secret's token: valid as long as the Secret and the account exist."""
        namespace = claims[f"{_FLAT}namespace"]
        entry = self._store.get("serviceaccounts", namespace, claims[f"{_FLAT}service-account.name"])
        uid = claims[f"{_FLAT}service-account.uid"]
        if (
            entry is None
            or entry.uid != uid
            or self._store.get("secrets", namespace, claims[f"{_FLAT}secret.name"]) is None
        ):
            return None
        return account_user(namespace, entry.name, uid)


def account_user(namespace: str, name: str, uid: str = "", extra: dict[str, list[str]] | None = None) -> User:
    """The user that a ServiceAccount is."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    return User(f"system:serviceaccount:{namespace}:{name}", groups, uid, extra or {})


def bearer(request: Request) -> str:
    """The token of a request, '' for none."""
    header = request.headers.get("authorization", "")
    token = header[7:].strip() if header[:7].lower() == "bearer " else ""
    return _websocket_token(request) if not token and request.is_websocket else token


def authenticate(request: Request, tokens: Tokens) -> User:
    """The user of a request; Unauthorized for a token that is not valid. Without one: anonymous."""
    header, token = request.headers.get("authorization", ""), bearer(request)
    if not header and not token:
        return ANONYMOUS
    user = tokens.user(token) if token else None
    if user is None:
        raise Unauthorized
    return user


def _websocket_token(request: Request) -> str:
    """Browsers cannot set headers on a WebSocket: the token is a subprotocol."""
    marker = "base64url.bearer.authorization.k8s.io."
    for name in request.headers.get("sec-websocket-protocol", "").split(","):
        if name.strip().startswith(marker):
            return _unpack(name.strip()[len(marker) :]).decode(errors="replace")
    return ""


def account_object(store: Store, namespace: str, name: str) -> Object | None:
    """The stored ServiceAccount."""
    entry = store.get("serviceaccounts", namespace, name)
    return decode(entry.data) if entry else None
