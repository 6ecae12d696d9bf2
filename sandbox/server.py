"""The ASGI application: authentication, authorization and routing. The listener is in listener.py.

Order for every request: health without a name; authentication; impersonation; authorization by the path alone; routes
of controllers (logs, exec, aggregated APIs); discovery and OpenAPI; resources.
"""

from __future__ import annotations

from urllib.parse import unquote

from . import apiservices, requestinfo
from .asgi import AsgiApplication
from .context import Context
from .discovery import Discovery
from .errors import NotFound, ServiceUnavailable
from .escalation import Escalation
from .http import ANONYMOUS, Request, Response
from .impersonation import Impersonation
from .openapi import OpenApi
from .rbac import Authorizer, attributes
from .response_format import render
from .rest import Rest
from .routing import NoSuchPage, built_in, no_such_page
from .tokens import Tokens, authenticate, bearer
from .verbs import Verbs

HEALTH = frozenset({"healthz", "livez", "readyz"})
VERSION = {
    "major": "1",
    "minor": "36",
    "emulationMajor": "1",
    "emulationMinor": "36",
    "minCompatibilityMajor": "1",
    "minCompatibilityMinor": "35",
    "gitVersion": "v1.36.3+sandbox",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "2026-11-20T00:00:00Z",
    "goVersion": "none",
    "compiler": "python",
    "platform": "sandbox",
}
#: Paths that every authenticated user may read (system:discovery, system:public-info-viewer).
_OPEN_ROOTS = frozenset({"api", "apis", "openapi", "version", *HEALTH})


class Application(AsgiApplication):
    """ASGI entry point."""

    def __init__(self, verbs: Verbs, context: Context, tokens: Tokens, access: Authorizer):
        super().__init__()
        self._verbs = verbs
        self._store = verbs.store
        self._context = context
        self._tokens = tokens
        self._access = access
        self._discovery = Discovery(verbs.registry, context)
        self._openapi = OpenApi(verbs.store, verbs.registry)
        self._rest = Rest(verbs, access, tokens)
        self._impersonation = Impersonation(access.check)
        verbs.escalation = Escalation(self._store, access).check
        self.ready = False

    def answered(self) -> None:
        """Commits what a request changed before the response is sent."""
        self._store.commit()

    def written(self, request: Request, response: Response) -> Response:
        """The response as JSON or YAML; OpenAPI documents stay as they are."""
        return response if request.path.startswith("/openapi/") else render(request, response)

    async def respond(self, request: Request) -> Response:
        if self._store.diverged.is_set():
            raise ServiceUnavailable("the embedded cluster couldn't write to its disk and is starting anew")
        parts = [unquote(part) for part in request.raw_path.split("/") if part]
        root = parts[0] if parts else ""
        await self._tokens.providers.prepare(bearer(request))
        if root in HEALTH or root == "version":
            authenticate(request, self._tokens)
            return self._health(request, root) if root in HEALTH else Response.json(VERSION)
        info = self._admit(request, parts)
        for route in self._context.routes:
            params = route.match(request.method, parts)
            if params is not None:
                request.params = params
                return await route.handler(request)
        if root == "apis" and tuple(parts[1:3]) in self._context.unavailable:
            return apiservices.unavailable()
        if info.is_resource:
            try:
                return await self._rest.handle(request, info)
            except NoSuchPage:
                return no_such_page()
        if root in ("api", "apis") and request.method in ("GET", "HEAD"):
            try:
                return self._discovery.respond(request, parts)
            except NotFound:
                if built_in(self._verbs.registry, "" if root == "api" else "".join(parts[1:2])):
                    raise
                return no_such_page()
        if root == "openapi":
            return await self._openapi.respond(request, parts)
        if not parts:
            return Response.json(
                {
                    "paths": [
                        "/api",
                        "/api/v1",
                        "/apis",
                        "/healthz",
                        "/livez",
                        "/openapi/v2",
                        "/openapi/v3",
                        "/readyz",
                        "/version",
                    ]
                }
            )
        return no_such_page()

    def _admit(self, request: Request, parts: list[str]) -> requestinfo.RequestInfo:
        """Sets the user; Unauthorized or Forbidden."""
        user = authenticate(request, self._tokens)
        info = requestinfo.parse(request.method, request.path, parts, request.flag("watch"))
        asked = attributes(info, requestinfo.selected_name(info, request.arg("fieldSelector")))
        request.user = self._impersonation.act(request, user, asked)
        if info.is_resource or request.user is ANONYMOUS or not parts or parts[0] not in _OPEN_ROOTS:
            self._access.check(request.user, asked)
        return info

    def _health(self, request: Request, name: str) -> Response:
        plain = "text/plain; charset=utf-8"
        if name == "readyz" and not self.ready:
            return Response(b"[+]ping ok\n[-]controllers failed: starting\nreadyz check failed\n", 500, plain)
        if "verbose" in request.query:
            return Response(f"[+]ping ok\n[+]controllers ok\n{name} check passed\n".encode(), 200, plain)
        return Response(b"ok", 200, plain)
