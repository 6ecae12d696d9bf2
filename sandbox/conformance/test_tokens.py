"""ServiceAccount tokens: requests, claims, reviews, and their end"""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.api import Answer, Api

from .observations import Seen

AUTHENTICATION = "/apis/authentication.k8s.io/v1"
Ask = Callable[..., Answer]


@pytest.fixture
def account(api: Api, namespace: str) -> str:
    """The path of a new ServiceAccount."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    assert api.post(path, {"metadata": {"name": "robot"}}).status == 201
    return f"{path}/robot"


@pytest.fixture
def ask(api: Api, account: str) -> Ask:
    """A TokenRequest with this spec."""

    def ask(**spec: Any) -> Answer:
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        return api.post(f"{account}/token", body)

    return ask


def claims(token: str) -> dict[str, Any]:
    """What a JWT says."""
    part = token.split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return found


def review(api: Api, token: str, **spec: Any) -> Answer:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token, **spec}}
    return api.post(f"{AUTHENTICATION}/tokenreviews", body)


def test_request(seen: Seen, ask: Ask, api: Api, account: str) -> None:
    """A token is for one account and one hour, if nothing else is asked"""
    answer = ask()
    seen.alias("issuer", claims(answer.json["status"]["token"])["iss"])
    seen("the answer", answer, without=["status.token", "spec.audiences"])
    token_claims = claims(answer.json["status"]["token"])
    assert token_claims["exp"] - token_claims["iat"] == 3600 and token_claims["nbf"] == token_claims["iat"]
    assert token_claims["kubernetes.io"]["serviceaccount"]["uid"] == api.get(account).json["metadata"]["uid"]
    assert token_claims["aud"] == answer.json["spec"]["audiences"] == [token_claims["iss"]]
    seen.value("claims", token_claims, without=["exp", "iat", "nbf", "iss", "aud"])
    seen.value("names of claims", sorted(token_claims))
    seen("an empty body", api.post(f"{account}/token", {}), only=["kind", "status.expirationTimestamp"])
    seen("of nobody", api.post(account.replace("robot", "none") + "/token", {}))
    seen("get", api.get(f"{account}/token"))


def test_expiration(seen: Seen, ask: Ask) -> None:
    """Ten minutes at least, and no more than 2^32 seconds"""
    seen("ten minutes", ask(expirationSeconds=600), only=["spec.expirationSeconds"])
    seen("less", ask(expirationSeconds=599))
    seen("nothing", ask(expirationSeconds=0))
    seen("2^32", ask(expirationSeconds=2**32), only=["spec.expirationSeconds"])
    seen("more", ask(expirationSeconds=2**32 + 1))
    seen("a text", ask(expirationSeconds="600"))


def test_audiences(seen: Seen, ask: Ask, api: Api) -> None:
    """The API server refuses a token for another audience; a review names its audiences"""
    token = ask(audiences=["other"]).json["status"]["token"]
    seen.alias("issuer", claims(token)["iss"])
    assert claims(token)["aud"] == ["other"]
    seen("used", api.bearer(token).get("/api/v1/namespaces/default"))
    seen("reviewed", review(api, token), without=["spec.token"])
    seen(
        "reviewed for its audience",
        review(api, token, audiences=["other", "more"]),
        without=["spec.token", "status.user.extra"],
    )
    seen("reviewed for another", review(api, token, audiences=["third"]), without=["spec.token"])
    both = ask(audiences=["other", "third"]).json["status"]["token"]
    seen("of two audiences", review(api, both, audiences=["third"]), only=["status.audiences", "status.authenticated"])


def test_use(seen: Seen, ask: Ask, api: Api, namespace: str) -> None:
    """Who uses a token is the account, in the groups of its namespace"""
    me = api.bearer(ask().json["status"]["token"])
    seen("no rights", me.get(f"/api/v1/namespaces/{namespace}/configmaps"))
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    seen("who am I", me.post(f"{AUTHENTICATION}/selfsubjectreviews", body), without=["status.userInfo.extra"])
    info = me.post(f"{AUTHENTICATION}/selfsubjectreviews", body).json["status"]["userInfo"]
    assert [key for key in info["extra"] if key.endswith("credential-id")] and info["username"].endswith(":robot")


def test_review(seen: Seen, ask: Ask, api: Api) -> None:
    """A TokenReview names the token's user, or the reason why there is none"""
    token = ask().json["status"]["token"]
    found = review(api, token)
    seen("a good one", found, without=["spec.token", "status.user.extra", "status.audiences"])
    assert found.json["status"]["audiences"] == [claims(token)["iss"]]
    seen("nonsense", review(api, "nonsense"))
    seen("none", review(api, ""))
    head, _, signature = token.split(".")
    forged = base64.urlsafe_b64encode(json.dumps(claims(token) | {"sub": "x"}).encode()).rstrip(b"=").decode()
    seen("forged", review(api, f"{head}.{forged}.{signature}"), without=["spec.token", "status.error"])


def test_bound(seen: Seen, ask: Ask, api: Api, namespace: str) -> None:
    """A token that is bound to a Secret says so, and ends with it"""
    secrets = f"/api/v1/namespaces/{namespace}/secrets"
    uid = api.post(secrets, {"metadata": {"name": "a"}}).json["metadata"]["uid"]
    reference = {"apiVersion": "v1", "kind": "Secret", "name": "a"}
    answer = ask(boundObjectRef=reference)
    seen("the answer", answer, only=["spec.boundObjectRef", "spec.expirationSeconds"])
    token = answer.json["status"]["token"]
    seen.value("claims", claims(token)["kubernetes.io"])
    assert claims(token)["kubernetes.io"]["secret"]["uid"] == uid
    seen("a Secret that is not there", ask(boundObjectRef=reference | {"name": "none"}))
    seen("another uid", ask(boundObjectRef=reference | {"uid": "x"}))
    seen("another kind", ask(boundObjectRef=reference | {"kind": "ConfigMap"}))
    assert review(api, token).json["status"]["authenticated"]
    api.delete(f"{secrets}/a")
    while review(api, token).json["status"].get("authenticated"):
        pass
    seen("when the Secret is gone", api.bearer(token).get(secrets))


def test_end(seen: Seen, ask: Ask, api: Api, account: str, namespace: str) -> None:
    """A token ends with its account, and is not that of a new one with the same name"""
    token = ask().json["status"]["token"]
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    assert api.bearer(token).get(path).status == 403
    seen("delete the account", api.delete(account), only=["kind", "status"])
    while api.bearer(token).get(path).status == 403:
        pass
    seen("then", api.bearer(token).get(path))
    assert api.post(account.removesuffix("/robot"), {"metadata": {"name": "robot"}}).status == 201
    seen("with a new account", api.bearer(token).get(path))


def test_secrets(seen: Seen, api: Api, account: str, namespace: str) -> None:
    """A Secret of type service-account-token gets a token for good, and goes with its account"""
    secrets = f"/api/v1/namespaces/{namespace}/secrets"
    body = {
        "metadata": {"name": "a", "annotations": {"kubernetes.io/service-account.name": "robot"}},
        "type": "kubernetes.io/service-account-token",
    }
    assert api.post(secrets, body).status == 201
    found = api.until(f"{secrets}/a", lambda body: "token" in (body.get("data") or {}))
    seen.value("the Secret", found, without=["data"])
    seen.value("its keys", sorted(found["data"]))
    token = base64.b64decode(found["data"]["token"]).decode()
    seen.value("names of claims", sorted(claims(token)))
    assert api.bearer(token).get(secrets).status == 403
    api.delete(account)
    api.until_gone(f"{secrets}/a")
    no_name = {"metadata": {"name": "b"}, "type": "kubernetes.io/service-account-token"}
    seen("without an account", api.post(secrets, no_name))
