"""Subresources with a meaning of their own: eviction, binding, service-account tokens.

Logs, exec, attach, port-forward and proxies are streams; sandbox.streams registers them as routes.
"""

from __future__ import annotations

from . import tokenrequests
from .bodies import body
from .errors import BadRequest, MethodNotAllowed, NotFound
from .http import Request, Response
from .objects import Object, decode, dig
from .requestinfo import RequestInfo
from .resources import Resource
from .tokens import Tokens
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
        return Response.json(tokenrequests.answer(self._verbs.store, self._tokens, decode(entry.data), sent), 201)

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


def _success() -> Response:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return Response.json(status, 201)
