"""ID tokens of OpenID Connect providers, accepted as kube-apiserver does with --authentication-config.

The file is an AuthenticationConfiguration
(https://kubernetes.io/docs/reference/access-authn-authz/authentication/#using-authentication-configuration). It is read
when it changes; one that can't be used leaves the old one in use, and the log says why. What is served: `jwt` with
issuer (url, discoveryURL, certificateAuthority, audiences), claimValidationRules (claim, requiredValue) and
claimMappings (username, groups, uid as claims); no CEL expressions.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from joserfc.util import to_bytes, urlsafe_b64decode

from untrusted import yaml_bounds

from .http import User
from .tls import tls_context

log = logging.getLogger("sandbox.oidc")

_ALGORITHMS = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"]
#: Seconds: of a request, and before a provider is asked for its keys again.
_TIMEOUT, _PAUSE = 10, 1.0
#: Not before: https://github.com/coreos/go-oidc/blob/v3/oidc/verify.go allows five minutes there, and none for the end.
_EARLY = 300


@dataclass(slots=True, kw_only=True)
class Issuer:
    """One entry of `jwt`. Keys are fetched in a thread, never while a request waits in the event loop."""

    url: str
    discovery: str
    audiences: tuple[str, ...]
    authority: str
    required: dict[str, str]
    username: dict[str, str]
    groups: dict[str, str]
    uid: dict[str, str]
    keys: KeySet | None = None
    asked_at: float = -_PAUSE
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fetch(self) -> None:
        """Its keys, as they are from now on: who asks within a second of the last time waits, and all who wait share
        one answer.

        A provider that does not answer leaves those that are known.
        """
        wanted = time.monotonic()
        with self.lock:
            if self.asked_at >= wanted:
                return
            time.sleep(max(0.0, self.asked_at + _PAUSE - wanted))
            self.asked_at = time.monotonic()
            try:
                tls = tls_context(authority_data=self.authority or None)
                found = _read(self.discovery, tls)
                if found.get("issuer") != self.url:
                    raise ValueError(f"it calls itself {found.get('issuer')!r}")
                self.keys = KeySet.import_key_set(_read(str(found["jwks_uri"]), tls))  # type: ignore[arg-type]
            except (OSError, ValueError, KeyError, TypeError, JoseError) as error:
                log.warning("keys of %s can't be read: %s", self.url, error)

    def knows(self, kid: object) -> bool:
        return self.keys is not None and any(key.kid == kid for key in self.keys.keys)

    def user(self, token: str) -> tuple[User, tuple[str, ...], float]:
        """The token's user, audiences and expiry. ValueError or JoseError with what is wrong."""
        if self.keys is None:
            raise ValueError("oidc: authenticator not initialized")
        claims = jwt.decode(
            token, self.keys, registry=JWSRegistry(algorithms=_ALGORITHMS, strict_check_header=False)
        ).claims
        audience_claim, now = claims.get("aud"), time.time()
        meant = tuple(
            audience
            for audience in self.audiences
            if audience == audience_claim or (isinstance(audience_claim, list) and audience in audience_claim)
        )
        if not meant:
            raise ValueError(
                f"oidc: verify token: oidc: expected audience in {list(self.audiences)} got {audience_claim}"
            )
        if not float(claims["exp"]) > now or float(claims.get("nbf") or 0) > now + _EARLY:
            raise ValueError("oidc: verify token: oidc: token is expired, or not valid yet")
        for claim, value in self.required.items():
            if claims.get(claim) != value:
                raise ValueError(f"oidc: required claim {claim} value does not match")
        extra = {"authentication.kubernetes.io/credential-id": [f"JTI={claims['jti']}"]} if claims.get("jti") else {}
        uid = str(claims.get(self.uid["claim"]) or "") if self.uid else ""
        groups = (*self._groups(claims), "system:authenticated")
        return User(self._name(claims), groups, uid, extra), meant, float(claims["exp"])

    def _name(self, claims: dict[str, Any]) -> str:
        claim = self.username["claim"]
        name = claims.get(claim)
        if not isinstance(name, str) or not name:
            raise ValueError(f"oidc: parse username claims {claim!r}: claim not present")
        if claim == "email" and claims.get("email_verified", True) is not True:
            raise ValueError("oidc: email not verified")
        return self.username["prefix"] + name

    def _groups(self, claims: dict[str, Any]) -> tuple[str, ...]:
        groups_claim = claims.get(self.groups["claim"]) if self.groups else None
        names = [groups_claim] if isinstance(groups_claim, str) else groups_claim or []
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("oidc: parse groups claim: neither a string nor a list of strings")
        return tuple(self.groups["prefix"] + name for name in names)


class Providers:
    """The providers of the configuration file, which is read again when it changes; none without a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._issuers: dict[str, Issuer] = {}

    async def prepare(self, token: str) -> None:
        """Keys of the token's issuer are fetched now when it needs one that is not known."""
        issuer, kid = self._of(token)
        if issuer is not None and not issuer.knows(kid):
            await asyncio.to_thread(issuer.fetch)

    def user(self, token: str) -> tuple[User, tuple[str, ...], float] | None:
        """None for a token that is of no provider here; ValueError with what is wrong with one that is."""
        issuer, _kid = self._of(token)
        if issuer is None:
            return None
        try:
            return issuer.user(token)
        except (JoseError, KeyError, TypeError) as error:
            raise ValueError(f"oidc: verify token: {error}") from None

    def _of(self, token: str) -> tuple[Issuer | None, object]:
        self._look()
        parts = token.split(".")
        if not self._issuers or len(parts) != 3:
            return None, None
        try:
            head, claims = (json.loads(urlsafe_b64decode(to_bytes(part))) for part in parts[:2])
            return self._issuers.get(claims.get("iss")), head.get("kid")
        except (ValueError, TypeError, AttributeError, RecursionError):
            return None, None

    def _look(self) -> None:
        """With each token, so that one which is used as soon as the file has changed is judged by the new one."""
        try:
            stat = self._path.stat()
            seen = (stat.st_mtime_ns, stat.st_size)
            if seen == self._seen:
                return
            self._seen = seen
            self._issuers = {issuer.url: issuer for issuer in parsed(self._path.read_text(encoding="utf-8"))}
            log.info("ID tokens are accepted of %s", ", ".join(self._issuers) or "nobody")
        except FileNotFoundError:
            self._seen, self._issuers = None, {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
            log.error("%s can't be used, what it was before stays: %s", self._path, error)


def parsed(text: str) -> list[Issuer]:
    """ValueError for what the embedded cluster does not serve."""
    document = yaml_bounds.load(text) or {}
    if document.get("kind") != "AuthenticationConfiguration":
        raise ValueError("its kind is not AuthenticationConfiguration")
    found = []
    for entry in document.get("jwt") or []:
        if unknown := set(entry) - {"issuer", "claimValidationRules", "claimMappings"}:
            raise ValueError(f"the embedded cluster does not serve {sorted(unknown)}")
        issuer, maps = entry["issuer"], entry["claimMappings"]
        url = str(issuer["url"])
        if not url.startswith("https://"):
            raise ValueError(f"issuer.url {url!r}: URL scheme must be https")
        if not issuer.get("audiences"):
            raise ValueError("issuer.audiences: at least one is required")
        discovery = str(issuer.get("discoveryURL") or f"{url.rstrip('/')}/.well-known/openid-configuration")
        found.append(
            Issuer(
                url=url,
                discovery=discovery,
                audiences=tuple(map(str, issuer["audiences"])),
                authority=str(issuer.get("certificateAuthority") or ""),
                required={rule["claim"]: rule["requiredValue"] for rule in entry.get("claimValidationRules") or []},
                username=_claim(maps["username"], prefixed=True),
                groups=_claim(maps.get("groups") or {}, prefixed=True),
                uid=_claim(maps.get("uid") or {}, prefixed=False),
            )
        )
    return found


def _claim(mapping: dict[str, str], *, prefixed: bool) -> dict[str, str]:
    """A prefix must be given even if it is '', as in kube-apiserver."""
    if not mapping:
        return {}
    if "expression" in mapping:
        raise ValueError("the embedded cluster serves no expressions: use claim")
    if prefixed and mapping.get("prefix") is None:
        raise ValueError("claimMappings: prefix is required when claim is set")
    return {"claim": str(mapping["claim"]), "prefix": str(mapping.get("prefix") or "")}


def _read(url: str, tls: ssl.SSLContext) -> dict[str, Any]:
    with urllib.request.urlopen(url, timeout=_TIMEOUT, context=tls) as answer:  # noqa: S310 - checked: https
        found = json.load(answer)
    if not isinstance(found, dict):
        raise ValueError(f"{url} is no object")
    return found
