"""Which ID tokens the embedded cluster accepts, and as whom: kube-apiserver's rules for an
AuthenticationConfiguration.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.oidc import Providers
from tests.console.signin.oidc.provider import Provider, another_key, provider
from tests.oidc import CLIENT


@pytest.fixture(scope="module")
def idp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    with provider(tmp_path_factory.mktemp("provider")) as made:
        yield made


def _config(idp: Provider, **changed: Any) -> str:
    entry = {
        "issuer": {"url": idp.issuer, "audiences": [CLIENT], "certificateAuthority": idp.authority.read_text()},
        "claimMappings": {
            "username": {"claim": "email", "prefix": "oidc:"},
            "groups": {"claim": "groups", "prefix": "oidc:"},
        },
    }
    return json.dumps({"kind": "AuthenticationConfiguration", "jwt": [entry | changed]})


def _providers(tmp_path: Path, text: str) -> Providers:
    (tmp_path / "authentication.yaml").write_text(text)
    return Providers(tmp_path / "authentication.yaml")


def _user(providers: Providers, token: str) -> Any:
    asyncio.run(providers.prepare(token))
    return providers.user(token)


def test_a_good_token_is_its_owner_with_prefixes(idp: Provider, tmp_path: Path) -> None:
    providers = _providers(tmp_path, _config(idp))
    user, audiences, expires = _user(providers, idp.id_token())
    assert user.name == "oidc:anna@example.com"
    assert user.groups == ("oidc:team-a", "system:authenticated")
    assert user.extra["authentication.kubernetes.io/credential-id"][0].startswith("JTI=")
    assert audiences == (CLIENT,) and 590 < expires - time.time() <= 600


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"aud": "another"}, "expected audience"),
        ({"exp": 1_000_000_000}, "expired"),
        ({"nbf": 4_000_000_000}, "not valid yet"),
        ({"email": None}, "parse username claims"),
        ({"email_verified": False}, "email not verified"),
        ({"groups": {"a": 1}}, "parse groups claim"),
    ],
)
def test_what_is_wrong_with_a_token_is_said(idp: Provider, tmp_path: Path, claims: dict[str, Any], why: str) -> None:
    providers = _providers(tmp_path, _config(idp))
    idp.claims = claims
    try:
        token = idp.id_token()
    finally:
        idp.claims = {}
    with pytest.raises(ValueError, match=why):
        _user(providers, token)


def test_a_token_of_nobody_here_is_none_and_a_forged_one_is_refused(idp: Provider, tmp_path: Path) -> None:
    providers = _providers(tmp_path, _config(idp))
    idp.claims = {"iss": "https://elsewhere.example"}
    elsewhere = idp.id_token()
    idp.claims = {}
    for token in ("", "x", "a.b.c", elsewhere):
        assert _user(providers, token) is None
    good, first = idp.id_token(), idp.key
    for algorithm in ("none", "HS256"):
        idp.algorithm = algorithm
        with pytest.raises(ValueError, match="verify token"):
            _user(providers, idp.id_token())
    idp.algorithm = "RS256"
    # A key of its own is fetched when a token names it; one that it does not publish is not accepted.
    idp.key, idp.published = another_key(), first
    with pytest.raises(ValueError, match="verify token"):
        _user(providers, idp.id_token())
    # At once after that: keys are not fetched twice in a second, so the question waits.
    idp.published = None
    assert _user(providers, idp.id_token())[0].name == "oidc:anna@example.com"
    with pytest.raises(ValueError, match="verify token"):
        _user(providers, good)


def test_the_file_is_read_when_it_changes_and_one_that_cannot_be_used_changes_nothing(
    idp: Provider, tmp_path: Path
) -> None:
    path, token = tmp_path / "authentication.yaml", idp.id_token()
    providers = Providers(path)
    assert _user(providers, token) is None
    path.write_text(_config(idp))
    assert _user(providers, token)
    expression = {"username": {"expression": "claims.email"}}
    for wrong in (
        "{",
        "[]",
        '{"kind": "Pod"}',
        _config(idp, claimMappings=expression),
        _config(idp, userValidationRules=[]),
    ):
        path.write_text(wrong)
        assert _user(providers, token), wrong
    path.write_text(_config(idp, claimValidationRules=[{"claim": "hd", "requiredValue": "example.com"}]))
    with pytest.raises(ValueError, match="required claim hd"):
        _user(providers, token)
    path.unlink()
    assert _user(providers, token) is None
