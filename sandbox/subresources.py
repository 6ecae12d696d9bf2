"""Subresources with a meaning of their own: eviction, binding, service-account tokens.

Logs, exec, attach, port-forward and proxies are streams; sandbox.streams registers them as routes.
"""

from __future__ import annotations

from . import tokenrequests
from .bodies import body
from .errors import BadRequest, MethodNotAllowed, NotFound
from .http import Request, Response
from .objects import decode
from .podsubresources import bind, evict
from .requestinfo import RequestInfo
from .resources import Resource
from .tokens import Tokens
from .verbs import Call, Verbs


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
        sent = body(await request.body(), request.headers.get("content-type", ""))
        if not isinstance(sent, dict):
            raise BadRequest("the request body must be a JSON object")
        match name:
            case "pods/eviction":
                return evict(
                    verbs=self._verbs, resource=resource, namespace=info.namespace, name=info.name, sent=sent, call=call
                )
            case "pods/binding":
                return bind(
                    verbs=self._verbs, resource=resource, namespace=info.namespace, name=info.name, sent=sent, call=call
                )
        entry = self._verbs.entry(resource, info.namespace, info.name)
        return Response.json(tokenrequests.with_token(self._verbs.store, self._tokens, decode(entry.data), sent), 201)
