"""One user on one cluster: the verbs, named as kubectl names them. Sync, and safe across threads.

Raises kube.errors throughout; objects are plain dicts, as the API server sent them.
"""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, Self

from kube import answers, limits, log_lines, requests, spread, table
from kube.catalog import TypeCatalog
from kube.config import ClusterConfig
from kube.discovery import ResourceType
from kube.errors import Forbidden, NotFound
from kube.objects import Access, KubeObject, ObjectList
from kube.requests import ApiRequest, PatchStyle, Query
from kube.schema import SchemaCache
from kube.table import Table
from kube.transport import READ_SECONDS, Answer, SyncTransport

__all__ = ["Access", "ClusterClient", "ObjectList", "ResourceType", "Table"]

# Servers have it at hand. Whoever asks holds up all others that do, so nobody waits long for one that does not answer.
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
        #: Whose the things are that the console keeps for people (favourites, runs, undo): what was done as another is
        #: not that one's own. No name has a single arrow of its own here, so nobody can be called what two are called
        #: together.
        self.owner = " → ".join(one.replace("→", "→→") for one in (config.by, config.user) if one)[:512]
        #: Under this, answers are kept in memory: nobody's are another's, not those of another session of a person of
        #: the same name (an impersonation has one of its own), and not those of another cluster, which may have the
        #: same address (behind another proxy) and a user of the same name.
        who = f"{config.user} {config.session}" if config.session else config.user
        self.who = f"{who}\n{config.alias}" if config.alias else who
        self._transport = SyncTransport(config)
        self._catalog = TypeCatalog(partial(self._transport.send, read_seconds=_DISCOVERY_SECONDS))
        self._schemas = SchemaCache(self._transport.send)
        self._refused = spread.Refused()
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
        return self._dict(ApiRequest("GET", "/version", ref="the API server's version"))

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

        Who may not list all namespaces gets those that are theirs (`within`), unless it has to be the `whole`: where
        something is concluded from what is not there. The namespaces themselves are then the ones of theirs.
        """

        def ask(place: str, most: int, token: str) -> ObjectList:
            return self._objects(
                type_,
                requests.list_objects(type_, place, labels=labels, fields=fields, limit=most, continue_=token),
            )

        if whole or namespace or not (type_.namespaced or _are_namespaces(type_)):
            return ask(namespace, limit, continue_)
        one = None if labels or fields else self._own_namespace
        return self._anywhere(type_, ask, limit, continue_, one)

    def _objects(self, type_: ResourceType, request: ApiRequest) -> ObjectList:
        document = self._dict(request)
        metadata = document.get("metadata") or {}
        items = document.get("items") or []
        for item in items:
            item.setdefault("apiVersion", type_.api_version)
            item.setdefault("kind", type_.kind)
        return ObjectList(
            items,
            str(metadata.get("resourceVersion") or ""),
            str(metadata.get("continue") or ""),
            metadata.get("remainingItemCount"),
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

        def ask(place: str, most: int, token: str) -> Table:
            request = requests.list_table(
                type_, place, labels=labels, fields=fields, limit=most, continue_=token, include=include
            )
            return table.parse(answers.listed(self._send(request).body, request.ref))

        def own(place: str) -> Table:
            request = requests.get_table(type_, place, include=include)
            return table.parse(answers.listed(self._send(request).body, request.ref))

        if whole or namespace or not (type_.namespaced or _are_namespaces(type_)):
            return ask(namespace, limit, continue_)
        return self._anywhere(type_, ask, limit, continue_, None if labels or fields else own)

    def _anywhere(
        self,
        type_: ResourceType,
        ask: spread.Ask[spread.Page],
        limit: int,
        token: str,
        own: Callable[[str], spread.Page] | None,
    ) -> spread.Page:
        """All namespaces, or those of this user. `own`: the one object of that name, for the namespaces themselves."""
        key = (type_.group, type_.plural)
        refused = self._refused.get(key)
        if refused is None and spread.is_token(token):
            refused = Forbidden("this page was begun in single namespaces")
        if refused is None:
            try:
                found = ask("", limit, token)
                self._refused.forget(key)
                return found
            except Forbidden as error:
                refused = error
        where = spread.places(self)
        if not where or (own is None and not type_.namespaced):
            raise refused
        self._refused.note(key, refused)
        if type_.namespaced:
            return spread.gather(ask, where, refused, limit, token)
        assert own is not None
        return spread.named(own, where, refused)

    def _own_namespace(self, name: str) -> ObjectList:
        type_ = self.find("", "v1", "namespaces")
        return ObjectList([self.get(type_, name)], "", "", None)

    def places(self, type_: ResourceType) -> tuple[str, ...] | None:
        """Where a list of this type over all namespaces has been read just now: those of this user, since the whole was
        refused; None for the whole, or where it was not asked for lately.
        """
        return spread.places(self) if self._refused.get((type_.group, type_.plural)) else None

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
        """A container's log for a page; bytes that are no UTF-8 become replacement characters, long lines are cut."""
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
        return log_lines.page(self._send(request).body, limit_bytes)

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
        """A type that turns out not to be served any more is not believed in for the rest of the seconds that it is
        kept.
        """
        try:
            return self._transport.send(request, read_seconds=self._read_seconds)
        except NotFound as error:
            if error.unserved:
                self.forget_types()
            raise
