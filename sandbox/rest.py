"""REST verbs over HTTP: from a request to the verbs of the cluster and back to bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import listing, tables, watching
from .apply import server_side_apply
from .errors import AlreadyExists, BadRequest, MethodNotAllowed, NotFound, UnsupportedMediaType
from .http import Request, Response
from .kinds import strategy
from .negotiation import (
    APPLY_PATCH,
    JSON_PATCH,
    MERGE_PATCH,
    PATCHES,
    STRATEGIC_PATCH,
    Wanted,
    body,
    from_json,
    from_yaml,
    media_type,
    wanted,
)
from .objects import Object, at_version, decode, encode, prefix
from .patching import json_patch, merge_patch, strategic_patch
from .rbac import Authorizer
from .requestinfo import RequestInfo
from .resources import Resource
from .reviews import answer
from .scale import scale_of, with_scale
from .store import Entry
from .subresources import Subresources
from .tokens import Tokens
from .verbs import Call, DeleteOptions, Outcome, Verbs

Change = Callable[[Object], Object]


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
        resource = self._verbs.registry.find(info.group, info.version, info.resource)
        if resource is None:
            raise NotFound
        if resource.deprecation:
            request.warnings.append(resource.deprecation)
        if info.subresource:
            return await self._subresource(request, info, resource)
        if info.verb not in resource.verbs:
            raise MethodNotAllowed
        form = wanted(request.headers.get("accept", ""))
        match info.verb:
            case "get":
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
                return await self._delete_collection(request, resource, info)
        raise MethodNotAllowed

    @staticmethod
    def _namespace(resource: Resource, info: RequestInfo) -> str:
        if not resource.namespaced:
            return ""
        return info.namespace

    # Reading

    def _one(self, request: Request, resource: Resource, entry: Entry, form: Wanted) -> Response:
        if form.shape == "Table":
            of = tables.printer(resource)
            return Response(tables.single(of, entry, request.arg("includeObject", "Metadata")))
        data = at_version(entry, resource)
        return Response(_partial(data) if form.shape else data)

    def _options(self, request: Request) -> listing.Options:
        limit = request.arg("limit", "0")
        return listing.Options(
            labels=request.arg("labelSelector"),
            fields=request.arg("fieldSelector"),
            limit=int(limit) if limit.isdigit() else 0,
            continue_=request.arg("continue"),
            version=request.arg("resourceVersion"),
            match=request.arg("resourceVersionMatch"),
        )

    def _list(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        page = listing.page(self._store, resource, self._namespace(resource, info), self._options(request))
        if form.shape == "Table":
            return Response(tables.table(tables.printer(resource), page, request.arg("includeObject", "Metadata")))
        return Response(_collection(resource, page, partial=bool(form.shape)))

    def _watch(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        options = self._options(request)
        bookmarks = request.flag("allowWatchBookmarks")
        how = watching.watch_options(
            options, bookmarks, request.arg("sendInitialEvents"), request.arg("timeoutSeconds")
        )
        if info.name:
            options = _named(options, info.name)
        if form.shape == "Table":
            stream = tables.stream(resource, request.arg("includeObject", "Metadata"))
        elif form.shape:
            plain = watching.plain(resource)
            stream = watching.Stream(
                lambda entry, first: _partial(plain.render(entry, first)),
                lambda version, notes: _partial(plain.mark(version, notes)),
            )
        else:
            stream = watching.plain(resource)
        begun = watching.begin(self._store, resource, self._namespace(resource, info), options, how)
        return Response(chunks=watching.events(self._store, begun, how, stream))

    # Writing

    def _call(self, request: Request, subresource: str = "") -> Call:
        manager = request.arg("fieldManager") or request.headers.get("user-agent", "unknown").partition("/")[0]
        dry_run = request.arg("dryRun")
        if dry_run not in ("", "All"):
            raise BadRequest(f'invalid dryRun: Unsupported value: "{dry_run}": supported values: "All"')
        validation = request.arg("fieldValidation") or "Warn"
        if validation not in ("Strict", "Warn", "Ignore"):
            raise BadRequest(
                f'invalid fieldValidation: Unsupported value: "{validation}": supported values: "", "Ignore", "Strict", "Warn"'
            )
        return Call(manager[:128], subresource, bool(dry_run), validation, user=request.user)

    async def _create(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        if info.name:
            raise MethodNotAllowed
        obj = body(await request.body(), request.headers.get("content-type", ""))
        namespace = self._namespace(resource, info)
        if resource.verbs == ("create",):
            return Response.json(answer(resource, namespace, obj, request.user, self._access, self._tokens), 201)
        outcome = self._verbs.create(resource, namespace, obj, self._call(request))
        return self._written(request, resource, outcome, form)

    async def _update(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        obj = body(await request.body(), request.headers.get("content-type", ""))
        namespace = self._namespace(resource, info)
        outcome = self._verbs.update(resource, namespace, info.name, obj, self._call(request, info.subresource))
        return self._written(request, resource, outcome, form)

    async def _patch(self, request: Request, resource: Resource, info: RequestInfo, form: Wanted) -> Response:
        media = media_type(request.headers.get("content-type", ""))
        data = await request.body()
        call = self._call(request, info.subresource)
        namespace = self._namespace(resource, info)
        if media == APPLY_PATCH:
            outcome = self._apply(request, resource, namespace, info.name, from_yaml(data), call)
        else:
            change = _change(resource, media, data)
            outcome = self._verbs.patch(resource, namespace, info.name, change, call)
        return self._written(request, resource, outcome, form)

    def _apply(
        self, request: Request, resource: Resource, namespace: str, name: str, obj: Any, call: Call
    ) -> Outcome:
        manager = request.arg("fieldManager")
        if not manager:
            raise BadRequest("PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch")
        if not isinstance(obj, dict):
            raise BadRequest("error decoding YAML: the patch must be an object")
        schema = self._verbs.schemas.of(resource)
        force = request.flag("force")
        call = Call(manager, call.subresource, call.dry_run, call.validation, user=call.user, applied=True)

        def change(old: Object | None) -> Object:
            return server_side_apply(resource, old, obj, manager, force, schema, call.subresource)

        if self._store.get(resource.key, namespace, name) is None:
            if call.subresource:
                raise NotFound(resource.plural, name, resource.group)
            obj.setdefault("metadata", {}).setdefault("name", name)
            try:
                return self._verbs.create(resource, namespace, change(None), call)
            except AlreadyExists:
                pass
        return self._verbs.patch(resource, namespace, name, change, call)

    def _written(self, request: Request, resource: Resource, outcome: Outcome, form: Wanted) -> Response:
        request.warnings.extend(outcome.warnings)
        status = 201 if outcome.created else 200
        if form.shape == "Table":
            entry = Entry("", "", 0, outcome.data, {})
            page = listing.Page([entry], int(outcome.object["metadata"].get("resourceVersion") or 0))
            of = tables.printer(resource)
            return Response(tables.table(of, page, request.arg("includeObject", "Metadata")), status)
        return Response(_partial(outcome.data) if form.shape else outcome.data, status)

    # Deleting

    async def _delete(self, request: Request, resource: Resource, info: RequestInfo) -> Response:
        options = await delete_options(request)
        call = self._call(request)
        obj, gone = self._verbs.delete(resource, self._namespace(resource, info), info.name, options, call)
        whole = not gone or strategy(resource.key).returns_deleted
        return Response.json(obj if whole else deleted(resource, obj))

    async def _delete_collection(self, request: Request, resource: Resource, info: RequestInfo) -> Response:
        options = await delete_options(request)
        call = self._call(request)
        namespace = self._namespace(resource, info)
        page = listing.page(self._store, resource, namespace, self._options(request))
        for entry in page.entries:
            try:
                self._verbs.delete(resource, entry.namespace, entry.name, options, call)
            except NotFound:
                continue
        return Response(_collection(resource, page, partial=False))

    # Subresources

    async def _subresource(self, request: Request, info: RequestInfo, resource: Resource) -> Response:
        form = wanted(request.headers.get("accept", ""))
        namespace = self._namespace(resource, info)
        known = (info.subresource == "status" and resource.status) or (
            info.subresource == "finalize" and resource.key == "namespaces"
        )
        if known:
            match info.verb:
                case "get":
                    return self._one(request, resource, self._verbs.entry(resource, namespace, info.name), form)
                case "update":
                    return await self._update(request, resource, info, form)
                case "patch":
                    return await self._patch(request, resource, info, form)
            raise MethodNotAllowed
        if info.subresource == "scale" and resource.scale is not None:
            return await self._scale(request, info, resource, namespace)
        return await self._subresources.handle(request, info, resource, self._call(request))

    async def _scale(self, request: Request, info: RequestInfo, resource: Resource, namespace: str) -> Response:
        if info.verb == "get":
            return Response.json(scale_of(resource, decode(self._verbs.get(resource, namespace, info.name))))
        data, content_type = await request.body(), request.headers.get("content-type", "")
        if info.verb == "update":
            scale = body(data, content_type)

            def change(obj: Object) -> Object:
                return with_scale(resource, obj, scale)

        elif info.verb == "patch":
            media = media_type(content_type)
            patch = merge_patch_of(media, data)

            def change(obj: Object) -> Object:
                return with_scale(resource, obj, patch(scale_of(resource, obj)))

        else:
            raise MethodNotAllowed
        outcome = self._verbs.patch(resource, namespace, info.name, change, self._call(request))
        return Response.json(scale_of(resource, outcome.object))


def merge_patch_of(media: str, data: bytes) -> Change:
    """The patch of a Scale, whose fields have no lists."""
    operations = from_yaml(data)
    if media == JSON_PATCH:
        return lambda old: json_patch(old, operations)
    return lambda old: merge_patch(old, operations)


def _change(resource: Resource, media: str, data: bytes) -> Change:
    """A patch as a function. UnsupportedMediaType says which there are."""
    if media == STRATEGIC_PATCH and not resource.custom:
        patch = from_json(data)
        return lambda old: strategic_patch(old, patch)
    if media == MERGE_PATCH:
        patch = from_json(data)
        if not isinstance(patch, dict):
            raise BadRequest("error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}")
        return lambda old: merge_patch(old, patch)
    if media == JSON_PATCH:
        patch = from_json(data)
        return lambda old: json_patch(old, patch)
    offered = [name for name in PATCHES if not (resource.custom and name == STRATEGIC_PATCH)]
    raise UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: " + ", ".join(offered)
    )


def _named(options: listing.Options, name: str) -> listing.Options:
    fields = f"{options.fields},metadata.name={name}" if options.fields else f"metadata.name={name}"
    return listing.Options(options.labels, fields, options.limit, options.continue_, options.version, options.match)


def _partial(data: bytes) -> bytes:
    metadata = decode(data)["metadata"]
    return encode({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})


def _collection(resource: Resource, page: listing.Page, partial: bool) -> bytes:
    """A list as bytes: items of built-in kinds leave out kind and apiVersion, as the API server does."""
    metadata: Object = {"resourceVersion": str(page.version)}
    if page.continue_:
        metadata["continue"] = page.continue_
    if page.remaining:
        metadata["remainingItemCount"] = page.remaining
    kind, api_version = resource.collection_kind, resource.api_version
    items = [at_version(entry, resource) for entry in page.entries]
    if partial:
        kind, api_version = "PartialObjectMetadataList", "meta.k8s.io/v1"
        items = [_partial(item) for item in items]
    elif not resource.custom:
        cut = len(prefix(resource.kind, resource.api_version))
        items = [b"{" + item[cut:] for item in items]
    head = encode({"kind": kind, "apiVersion": api_version, "metadata": metadata})[:-1]
    return head + b',"items":[' + b",".join(items) + b"]}"


async def delete_options(request: Request) -> DeleteOptions:
    """From the body or the query."""
    data = await request.body()
    sent = body(data, request.headers.get("content-type", "")) if data.strip() else {}
    if not isinstance(sent, dict):
        raise BadRequest("DeleteOptions must be an object")
    conditions = sent.get("preconditions") or {}
    propagation = str(sent.get("propagationPolicy") or request.arg("propagationPolicy"))
    orphan = sent.get("orphanDependents")
    if orphan is not None and not propagation:
        propagation = "Orphan" if orphan else "Background"
    if propagation not in ("", "Orphan", "Background", "Foreground"):
        raise BadRequest(
            f'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "{propagation}": '
            'supported values: "Background", "Foreground", "Orphan"'
        )
    grace = sent.get("gracePeriodSeconds")
    if grace is None and request.arg("gracePeriodSeconds"):
        grace = int(request.arg("gracePeriodSeconds"))
    if sent.get("dryRun"):
        request.query.setdefault("dryRun", ["All"])
    return DeleteOptions(propagation, grace, conditions.get("uid", ""), conditions.get("resourceVersion", ""))


def deleted(resource: Resource, obj: Object) -> Object:
    """The Status of a deletion that is done."""
    details = {"name": obj["metadata"]["name"], "kind": resource.plural, "uid": obj["metadata"]["uid"]}
    if resource.group:
        details = {"name": details["name"], "group": resource.group, "kind": resource.plural, "uid": details["uid"]}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
