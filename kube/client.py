"""One user on one cluster: the verbs, named as kubectl names them. Sync, and safe across threads.

Raises kube.errors throughout; objects are plain dicts, as the API server sent them.
"""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, Self

from kube import across_namespaces, answers, channels, limits, requests
from kube.catalog import SchemaCache, TypeCatalog
from kube.config import ClusterConfig
from kube.discovery import ResourceType
from kube.errors import Forbidden, NotFound
from kube.objects import Access, KubeObject, ObjectList, Table, parse_table
from kube.requests import ApiRequest, PatchStyle, Query
from kube.transport import READ_SECONDS, Answer, SyncTransport

__all__ = ["Access", "ClusterClient", "ObjectList", "ResourceType", "Table"]

# Discovery is cheap for the server but serialised behind a lock here, so its timeout is short.
_DISCOVERY_SECONDS = 10.0


def _are_namespaces(type_: ResourceType) -> bool:
    return not type_.group and type_.plural == "namespaces"


class ClusterClient:
    """`name`: of the cluster, as its kubeconfig calls it, or the console where two would have one name; `user`: as
    whom.
    """

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        self.name = config.alias or config.name
        self.user = config.user
        #: Who acts as `user`; '' for oneself.
        self.by = config.by
        #: The owner of what the console stores for users (favourites, runs, undo); impersonation has another owner.
        #: Arrows in names are doubled, so that no user name equals a pair of names.
        self.owner = " → ".join(name.replace("→", "→→") for name in (config.by, config.user) if name)[:512]
        #: Key of cached answers: differs by user, by session (an impersonation has its own) and by cluster, since two
        #: clusters can have the same address (behind different proxies) and the same user names.
        who = f"{config.user} {config.session}" if config.session else config.user
        self.who = f"{who}\n{config.alias}" if config.alias else who
        self._transport = SyncTransport(config)
        self._catalog = TypeCatalog(partial(self._transport.send, read_seconds=_DISCOVERY_SECONDS))
        self._schemas = SchemaCache(self._transport.send)
        self._refusals = across_namespaces.RefusalCache()
        self._read_seconds = READ_SECONDS

    def impatient(self, seconds: float) -> Self:
        """The same, waiting at most so long for a byte of an answer: for what a page can do without."""
        found = copy.copy(self)
        found._read_seconds = seconds
        return found

    @property
    def host(self) -> str:
        """The API server's address, which may change while the name stays."""
        return self.config.current().host

    # What is served

    def types(self) -> tuple[ResourceType, ...]:
        """All types in all served versions, at most some seconds old; of one group the preferred version comes
        first.
        """
        return self._catalog.current().types

    @property
    def discovery_errors(self) -> tuple[str, ...]:
        """Groups whose own server does not answer: one sentence each, beginning with group/version."""
        return self._catalog.current().errors

    def forget_types(self) -> None:
        """Ask again at the next use: a CRD was made, changed or deleted."""
        self._catalog.forget()
        self._schemas.forget()

    def find(self, group: str, version: str, plural: str) -> ResourceType:
        """The type, by its place in an address.

        `group` 'core' or ''; `version` '' is the preferred one. Raises NotFound.
        """
        return self._catalog.find(group, version, plural)

    def find_kind(self, group: str, kind: str, version: str = "") -> ResourceType:
        """The type, by what stands in objects and ownerReferences. Raises NotFound."""
        return self._catalog.find_kind(group, kind, version)

    def type_of(self, obj: KubeObject) -> ResourceType:
        """The type of an object that says its apiVersion and kind. Raises NotFound."""
        group, _slash, version = str(obj["apiVersion"]).rpartition("/")
        return self.find_kind(group, obj["kind"], version)

    def schema(self, type_: ResourceType) -> dict[str, Any] | None:
        """The kind's OpenAPI v3 schema; `$ref`s point into its own `components.schemas`.

        None when the server publishes none.

        Shared by all callers: never change it.
        """
        return self._schemas.schema(type_)

    def version(self) -> dict[str, Any]:
        """gitVersion, platform and so on."""
        return self._dict(ApiRequest(method="GET", path="/version", ref="the API server's version"))

    # Objects

    def get(self, type_: ResourceType, name: str, namespace: str = "") -> KubeObject:
        return self._dict(requests.get(type_, name, namespace))

    def list(
        self,
        type_: ResourceType,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        limit: int = 0,
        continue_: str = "",
        whole: bool = False,
    ) -> ObjectList:
        """One page of whole objects; `limit` 0 = all of them.

        Each has its apiVersion and kind, which servers leave out of lists.

        A user without permission to list all namespaces gets the lists of their own (`within`). `whole` raises
        Forbidden instead, for conclusions from what is absent. A list of Namespaces contains the user's own then.
        """

        def list_page(namespace: str, limit: int, token: str) -> ObjectList:
            return self._objects(
                type_,
                requests.list_objects(type_, namespace, labels=labels, fields=fields, limit=limit, continue_=token),
            )

        if whole or namespace or not (type_.namespaced or _are_namespaces(type_)):
            return list_page(namespace, limit, continue_)
        get = None if labels or fields else self._own_namespace
        return self._anywhere(type_, list_page, limit, continue_, get)

    def _objects(self, type_: ResourceType, request: ApiRequest) -> ObjectList:
        document = self._dict(request)
        metadata = document.get("metadata") or {}
        items = document.get("items") or []
        for item in items:
            item.setdefault("apiVersion", type_.api_version)
            item.setdefault("kind", type_.kind)
        return ObjectList(
            items=items,
            resource_version=str(metadata.get("resourceVersion") or ""),
            continue_=str(metadata.get("continue") or ""),
            remaining=metadata.get("remainingItemCount"),
        )

    def table(
        self,
        type_: ResourceType,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        limit: int = 0,
        continue_: str = "",
        include: str = "Metadata",
        whole: bool = False,
    ) -> Table:
        """One page as the server's own columns and cells.

        `include`: 'None', 'Metadata' or 'Object' with each row; `whole`: as in list().
        """

        def list_page(namespace: str, limit: int, token: str) -> Table:
            request = requests.list_table(
                type_, namespace, labels=labels, fields=fields, limit=limit, continue_=token, include=include
            )
            return parse_table(answers.listed(self._send(request).body, request.ref))

        def own(place: str) -> Table:
            request = requests.get_table(type_, place, include=include)
            return parse_table(answers.listed(self._send(request).body, request.ref))

        if whole or namespace or not (type_.namespaced or _are_namespaces(type_)):
            return list_page(namespace, limit, continue_)
        return self._anywhere(type_, list_page, limit, continue_, None if labels or fields else own)

    def _anywhere(
        self,
        type_: ResourceType,
        list_page: across_namespaces.ListPage[across_namespaces.Page],
        limit: int,
        token: str,
        get: Callable[[str], across_namespaces.Page] | None,
    ) -> across_namespaces.Page:
        """All namespaces, or those of this user.

        `get`: returns the Namespace of that name, where the type is Namespace.
        """
        key = (type_.group, type_.plural)
        refusal = self._refusals.get(key)
        if refusal is None and across_namespaces.is_token(token):
            refusal = Forbidden("this page was begun in single namespaces")
        if refusal is None:
            try:
                page = list_page("", limit, token)
                self._refusals.evict(key)
                return page
            except Forbidden as error:
                refusal = error
        namespaces = across_namespaces.namespaces_of(self)
        if not namespaces or (get is None and not type_.namespaced):
            raise refusal
        self._refusals.put(key, refusal)
        if type_.namespaced:
            return across_namespaces.merged_page(list_page, namespaces, refusal, limit, token)
        assert get is not None
        return across_namespaces.existing_namespaces(get, namespaces, refusal)

    def _own_namespace(self, name: str) -> ObjectList:
        type_ = self.find("", "v1", "namespaces")
        return ObjectList(items=[self.get(type_, name)], resource_version="", continue_="", remaining=None)

    def places(self, type_: ResourceType) -> tuple[str, ...] | None:
        """The user's namespaces if the list of this type over all namespaces was refused within the last seconds;
        None if it wasn't, or wasn't read.
        """
        return across_namespaces.namespaces_of(self) if self._refusals.get((type_.group, type_.plural)) else None

    def create(self, type_: ResourceType, obj: KubeObject, namespace: str = "", *, dry_run: bool = False) -> KubeObject:
        """Unknown fields are refused (fieldValidation=Strict), not dropped."""
        return self._dict(requests.create(type_, obj, namespace, dry_run=dry_run))

    def replace(
        self,
        type_: ResourceType,
        obj: KubeObject,
        namespace: str = "",
        *,
        subresource: str = "",
        dry_run: bool = False,
    ) -> KubeObject:
        """Raises Conflict when obj's resourceVersion is not the newest."""
        return self._dict(requests.replace(type_, obj, namespace, subresource=subresource, dry_run=dry_run))

    def patch(
        self,
        type_: ResourceType,
        name: str,
        patch: Any,
        namespace: str = "",
        *,
        style: PatchStyle = "merge",
        subresource: str = "",
        dry_run: bool = False,
        force: bool = False,
    ) -> KubeObject:
        return self._dict(
            requests.patch(
                type_, name, patch, namespace, style=style, subresource=subresource, dry_run=dry_run, force=force
            )
        )

    def delete(
        self,
        type_: ResourceType,
        name: str,
        namespace: str = "",
        *,
        dry_run: bool = False,
        propagation: str = "",
        uid: str = "",
        resource_version: str = "",
    ) -> KubeObject:
        """Returns the object where it still exists (finalizers, foreground), else a Status."""
        return self._dict(
            requests.delete(
                type_,
                name,
                namespace,
                dry_run=dry_run,
                propagation=propagation,
                uid=uid,
                resource_version=resource_version,
            )
        )

    # Rights, logs, anything else

    def review(
        self, verb: str, type_: ResourceType, namespace: str = "", name: str = "", subresource: str = ""
    ) -> Access:
        """What the API server says about this user's right to do that (SelfSubjectAccessReview)."""
        status = self._dict(requests.access_review(verb, type_, namespace, name, subresource)).get("status") or {}
        return Access(bool(status.get("allowed")), str(status.get("reason") or ""))

    def rules(self, namespace: str) -> tuple[tuple[dict[str, Any], ...], bool]:
        """What this user may do in the namespace (SelfSubjectRulesReview): resourceRules, those for all namespaces
        among them; and whether that is all: an authorizer that is asked elsewhere (a webhook) can't list its rules.
        """
        status = self._dict(requests.rules_review(namespace)).get("status") or {}
        return tuple(status.get("resourceRules") or ()), not status.get("incomplete")

    def whoami(self) -> dict[str, Any]:
        """As whom the API server knows the sender (SelfSubjectReview, Kubernetes 1.28 and newer): username, uid,
        groups, extra.
        """
        return dict((self._dict(requests.self_review()).get("status") or {}).get("userInfo") or {})

    def log(
        self,
        pod: str,
        namespace: str,
        *,
        container: str = "",
        tail: int = 0,
        previous: bool = False,
        timestamps: bool = False,
        since_seconds: int = 0,
        since_time: str = "",
        limit_bytes: int = limits.LOG_PAGE.value,
    ) -> str:
        """A container's log for a page; bytes that aren't UTF-8 become replacement characters, long lines are cut."""
        request = requests.pod_log(
            pod,
            namespace,
            container=container,
            tail=tail,
            previous=previous,
            timestamps=timestamps,
            since_seconds=since_seconds,
            since_time=since_time,
            limit_bytes=limit_bytes,
        )
        return channels.log_page(self._send(request).body, limit_bytes)

    def raw(
        self,
        method: str,
        path: str,
        *,
        query: Query = (),
        body: bytes | None = None,
        content_type: str = "",
        accept: str = "application/json",
    ) -> bytes:
        """Any other request: the answer's bytes."""
        # Not _send: what is asked for here may well be served nowhere.
        return self._transport.send(
            ApiRequest(
                method=method, path=path, query=query, body=body, content_type=content_type, accept=accept, ref=path
            )
        ).body

    def _dict(self, request: ApiRequest) -> dict[str, Any]:
        return answers.document(self._send(request).body, request.ref)

    def _send(self, request: ApiRequest) -> Answer:
        """Sends the request. On a 404 for the type itself, drops the cached discovery."""
        try:
            return self._transport.send(request, read_seconds=self._read_seconds)
        except NotFound as error:
            if error.unserved:
                self.forget_types()
            raise
