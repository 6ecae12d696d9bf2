"""REST verbs over HTTP: from a request to the verbs of the cluster and back to bytes."""

from __future__ import annotations

from dataclasses import replace

from . import admission, listing, tables, watches
from .admission import check_names
from .apply import server_side_apply
from .bodies import Unrecognized, body
from .errors import AlreadyExists, Conflict, InternalError, MethodNotAllowed, NotFound, unsupported_verb
from .fieldtypes import type_of
from .forms import check_shape, collection, deleted, partial
from .http import Request, Response
from .kinds import strategy
from .negotiation import APPLY_PATCH, STRATEGIC_PATCH, Wanted, media_type, wanted
from .objects import Object, at_version, decode
from .options import (
    applied_object,
    call_of,
    delete_options,
    list_options,
    patch_of,
    scale_patch,
    written_call,
)
from .rbac import Authorizer
from .requestinfo import RequestInfo
from .resources import ALL_VERBS, Resource
from .reviews import with_status
from .routing import resource_of
from .scale import missing_replicas, scale_of, with_scale
from .store import Expired, StoreEntry
from .subresources import Subresources
from .tokens import Tokens
from .verbs import Call, Verbs, WriteResult

ORPHANED = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)
#: Subresources that are the object itself, of which less can be written.
_OBJECTS = ("namespaces/finalize", "pods/ephemeralcontainers")


class Rest:
    """Handles requests whose path is a resource."""

    def __init__(self, verbs: Verbs, access: Authorizer, tokens: Tokens):
        self._verbs = verbs
        self._store = verbs.store
        self._access = access
        self._tokens = tokens
        self._subresources = Subresources(verbs, tokens)

    async def handle(self, request: Request, info: RequestInfo) -> Response:
        """Answers, or raises an ApiError."""
        resource = resource_of(self._verbs.registry, info, request.method)
        if resource.deprecation:
            request.warnings.append(resource.deprecation)
        if info.subresource:
            return await self._subresource(request, info, resource)
        verbs = ALL_VERBS if resource.custom else resource.verbs
        if info.verb not in verbs or (not info.name and info.verb in ("update", "patch")):
            raise MethodNotAllowed
        form = wanted(request.headers.get("accept", ""), bool(resource.custom), info.verb in ("list", "watch"))
        check_shape(form, resource, info.verb)
        match info.verb:
            case "get":
                listing.check_get(request.arg("resourceVersion"), self._store.version)
                entry = self._verbs.entry(resource, self._namespace(resource, info), info.name)
                return self._one(request, resource, entry, form)
            case "list":
                return self._list(request, resource, info, form)
            case "watch":
                return self._watch(request, resource, info, form)
            case "create":
                return await self._create(request, resource, info, form)
            case "update":
                return await self._update(request, resource, info, form)
            case "patch":
                return await self._patch(request, resource, info, form)
            case "delete":
                return await self._delete(request, resource, info)
            case "deletecollection":
                return await self._deletecollection(request, resource, info)
        raise MethodNotAllowed

    @staticmethod
    def _namespace(resource: Resource, info: RequestInfo) -> str:
        if not resource.namespaced:
            return ""
        return info.namespace

    # Reading

    def _one(self, request: Request, resource: Resource, entry: StoreEntry, form: Wanted) -> Response:
        if form.shape == "Table":
            of = tables.printer(resource)
            return Response(tables.single(of, entry, tables.included(request)))
        data = at_version(entry, resource)
        return Response(partial(data) if form.shape else data)

    def _list(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        page = listing.page(self._store, resource, self._namespace(resource, info), list_options(request))
        if form.shape == "Table":
            return Response(tables.table(tables.printer(resource), page, tables.included(request)))
        return Response(collection(resource, page, metadata_only=bool(form.shape)))

    def _watch(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        options = list_options(request)
        how = watches.watch_options(options)
        if form.shape == "Table":
            stream = tables.stream(resource, tables.included(request))
        elif form.shape:
            plain = watches.plain(resource)
            stream = watches.WatchFormat(
                lambda entry, first: partial(plain.render(entry, first)),
                lambda version, notes: partial(plain.mark(version, notes)),
            )
        else:
            stream = watches.plain(resource)
        if info.name:
            options = replace(options, fields=f"metadata.name={info.name}")
        try:
            begun = watches.begin(self._store, resource, self._namespace(resource, info), options, how)
        except Expired as expired:
            return Response(chunks=watches.too_old(expired))
        return Response(chunks=watches.events(self._store, begun, how, stream))

    # Writing

    async def _create(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        if info.name:
            raise MethodNotAllowed
        obj = body(await request.body(), request.headers.get("content-type", ""), resource.kind)
        if resource.custom and isinstance(obj, dict) and not obj.get("kind"):
            raw = await request.body()
            raise Unrecognized(resource.kind, f"Object 'Kind' is missing in '{raw.decode(errors='replace')}'", raw)
        namespace = self._namespace(resource, info)
        if resource.verbs == ("create",):
            return Response.json(
                with_status(
                    resource=resource,
                    namespace=namespace,
                    obj=obj,
                    user=request.user,
                    access=self._access,
                    tokens=self._tokens,
                ),
                201,
            )
        outcome = self._verbs.create(resource, namespace, obj, await written_call(request))
        return self._written(request, resource, outcome, form)

    async def _update(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        obj = body(await request.body(), request.headers.get("content-type", ""), resource.kind)
        namespace = self._namespace(resource, info)
        outcome = self._verbs.update(resource, namespace, info.name, obj, await written_call(request, info.subresource))
        return self._written(request, resource, outcome, form)

    async def _patch(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        media = media_type(request.headers.get("content-type", ""))
        data = await request.body()
        call = await written_call(request, info.subresource)
        namespace = self._namespace(resource, info)
        if media == APPLY_PATCH:
            outcome = self._apply(
                request=request, resource=resource, namespace=namespace, name=info.name, data=data, call=call
            )
        else:
            change = patch_of(resource, media, data, type_of(resource, self._verbs.schemas.schema_of(resource)))
            call = replace(call, structured=data) if media == STRATEGIC_PATCH else call
            outcome = self._verbs.patch(resource, namespace, info.name, change, call)
        return self._written(request, resource, outcome, form)

    def _apply(
        self, request: Request, resource: Resource, namespace: str, name: str, data: bytes, call: Call
    ) -> WriteResult:
        obj = applied_object(data, call.validation == "Strict")
        manager, force = request.arg("fieldManager"), request.flag("force")
        schema = self._verbs.schemas.schema_of(resource)
        call = Call(
            manager=manager,
            subresource=call.subresource,
            dry_run=call.dry_run,
            validation=call.validation,
            user=call.user,
            applied=True,
        )

        def change(old: Object | None) -> Object:
            return server_side_apply(
                resource=resource,
                old=old,
                applied=obj,
                manager=manager,
                force=force,
                schema=schema,
                subresource=call.subresource,
            )

        if self._store.get(resource.key, namespace, name) is None:
            if call.subresource:
                raise NotFound(resource.plural, name, resource.group)
            made = change(None)
            check_names(resource, namespace, name, made)
            if uid := made["metadata"].get("uid"):
                why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                raise Conflict(resource.plural, name, resource.group, why)
            try:
                return self._verbs.create(resource, namespace, made, call)
            except AlreadyExists:
                pass
        return self._verbs.patch(resource, namespace, name, change, call)

    def _written(self, request: Request, resource: Resource, outcome: WriteResult, form: Wanted) -> Response:
        request.warnings.extend(outcome.warnings)
        status = 201 if outcome.created else 200
        if form.shape == "Table":
            entry = StoreEntry(namespace="", name="", version=0, data=outcome.data, labels={})
            page = listing.ResultPage([entry], int(outcome.object["metadata"].get("resourceVersion") or 0))
            of = tables.printer(resource)
            return Response(tables.table(of, page, tables.included(request)), status)
        return Response(partial(outcome.data) if form.shape else outcome.data, status)

    # Deleting

    async def _delete(self, request: Request, resource: Resource, info: RequestInfo) -> Response:
        admission.check_deletable(resource, info.name)
        options = await delete_options(request)
        call = call_of(request)
        rules = strategy(resource.key)
        obj, gone = self._verbs.delete(resource, self._namespace(resource, info), info.name, options, call)
        if rules.orphans and not options.propagation:
            request.warnings.append(ORPHANED)
        return Response.json(obj if not gone or rules.returns_deleted else deleted(resource, obj))

    async def _deletecollection(self, request: Request, resource: Resource, info: RequestInfo) -> Response:
        options = await delete_options(request)
        call = call_of(request)
        namespace = self._namespace(resource, info)
        page = listing.page(self._store, resource, namespace, list_options(request))
        for entry in page.entries:
            try:
                self._verbs.delete(resource, entry.namespace, entry.name, options, call)
            except NotFound:
                continue
        return Response(collection(resource, page, metadata_only=False))

    # Subresources

    async def _subresource(self, request: Request, info: RequestInfo, resource: Resource) -> Response:
        form = wanted(request.headers.get("accept", ""), bool(resource.custom))
        namespace = self._namespace(resource, info)
        known = (info.subresource == "status" and resource.status) or (f"{resource.key}/{info.subresource}" in _OBJECTS)
        if known:
            match info.verb:
                case "get" if info.subresource != "finalize":
                    return self._one(request, resource, self._verbs.entry(resource, namespace, info.name), form)
                case "update":
                    return await self._update(request, resource, info, form)
                case "patch" if info.subresource != "finalize":
                    return await self._patch(request, resource, info, form)
            raise unsupported_verb(resource, info.verb)
        if info.subresource == "scale" and resource.scale is not None:
            return await self._scale(request, info, resource, namespace)
        return await self._subresources.handle(request, info, resource, call_of(request))

    async def _scale(self, request: Request, info: RequestInfo, resource: Resource, namespace: str) -> Response:
        assert resource.scale is not None
        if info.verb == "get":
            obj = decode(self._verbs.get(resource, namespace, info.name))
            if missing_replicas(resource, obj):
                raise InternalError(f'the spec replicas field "{resource.scale.replicas}" does not exist')
            return Response.json(scale_of(resource, obj))
        data, content_type = await request.body(), request.headers.get("content-type", "")
        if info.verb == "update":
            scale = body(data, content_type)

            def change(obj: Object) -> Object:
                return with_scale(resource, obj, scale)

        elif info.verb == "patch":
            media = media_type(content_type)
            patch = scale_patch(media, data)

            def change(obj: Object) -> Object:
                return with_scale(resource, obj, patch(scale_of(resource, obj)))

        else:
            raise MethodNotAllowed
        call = replace(call_of(request), owner="scale")
        outcome = self._verbs.patch(resource, namespace, info.name, change, call)
        return Response.json(scale_of(resource, outcome.object))
