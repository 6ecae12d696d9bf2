"""Subresources with a meaning of their own: eviction, binding, service-account tokens.

Logs, exec, attach, port-forward and proxies are streams; sandbox.streams registers them as routes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from .bodies import body
from .errors import BadRequest, Invalid, MethodNotAllowed, NotFound
from .http import Request, Response
from .objects import Object, decode, dig, now
from .requestinfo import RequestInfo
from .resources import Resource
from .tokens import ISSUER, Tokens
from .verbs import Call, DeleteOptions, Verbs


class Subresources:
    """One method for each."""

    def __init__(self, verbs: Verbs, tokens: Tokens):
        self._verbs = verbs
        self._tokens = tokens

    async def handle(self, request: Request, info: RequestInfo, resource: Resource, call: Call) -> Response:
        """NotFound for a subresource that the kind does not have."""
        name = f"{resource.key}/{info.subresource}"
        if name not in ("pods/eviction", "pods/binding", "serviceaccounts/token"):
            if resource.custom:
                raise NotFound(resource.plural, info.name, resource.group)
            raise NotFound
        if info.verb != "create":
            raise MethodNotAllowed
        entry = self._verbs.entry(resource, info.namespace, info.name)
        sent = body(await request.body(), request.headers.get("content-type", ""))
        if not isinstance(sent, dict):
            raise BadRequest("the request body must be a JSON object")
        match name:
            case "pods/eviction":
                return self._evict(resource, info, sent, call)
            case "pods/binding":
                return self._bind(resource, info, sent, call)
        return self._token(decode(entry.data), sent)

    def _evict(self, resource: Resource, info: RequestInfo, sent: Object, call: Call) -> Response:
        grace = dig(sent, "deleteOptions", "gracePeriodSeconds")
        self._verbs.delete(resource, info.namespace, info.name, DeleteOptions(grace=grace), call)
        return _success()

    def _bind(self, resource: Resource, info: RequestInfo, sent: Object, call: Call) -> Response:
        node = str(dig(sent, "target", "name") or "")

        def change(pod: Object) -> Object:
            pod.setdefault("spec", {})["nodeName"] = node
            return pod

        self._verbs.patch(resource, info.namespace, info.name, change, call)
        return _success()

    def _token(self, account: Object, sent: Object) -> Response:
        spec = sent.get("spec") or {}
        seconds = int(spec.get("expirationSeconds") or 3600)
        if seconds < 600:
            text = f"Invalid value: {seconds}: may not specify a duration less than 10 minutes"
            cause = ("spec.expirationSeconds", "FieldValueInvalid", text)
            raise Invalid("TokenRequest", "", [cause], "authentication.k8s.io")
        bound = spec.get("boundObjectRef") or {}
        claims = {}
        if bound.get("kind") in ("Pod", "Secret"):
            claims[str(bound["kind"]).lower()] = {"name": bound.get("name"), "uid": bound.get("uid")}
        audiences = list(spec.get("audiences") or [ISSUER])
        token = self._tokens.issue(account, seconds, audiences, **claims)
        expires = (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
        metadata = account["metadata"]
        answer = {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"name": metadata["name"], "namespace": metadata["namespace"], "creationTimestamp": now()},
            "spec": {"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": bound or None},
            "status": {"token": token, "expirationTimestamp": expires},
        }
        return Response.json(answer, 201)


def _success() -> Response:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return Response.json(status, 201)
