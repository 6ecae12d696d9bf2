"""Imports many objects of any kinds from one text: each is applied on its own and has its own result.

In the order of the text, except that Namespaces and CustomResourceDefinitions go first, and a kind that was just
defined is waited for. Nothing is undone when one fails: what failed can be sent again alone.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of
from resources import yamltext
from resources.writing.draft import SERVERS
from resources.yamltext import YamlProblem

_WAIT = 10.0
_CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")


@dataclass(frozen=True, slots=True)
class Document:
    """One object of the text; `number` from 1, `line` where it begins. `problem`: why it can't be applied."""

    number: int
    line: int
    object: KubeObject
    problem: str = ""

    @property
    def kind(self) -> str:
        return str(self.object.get("kind") or "")

    @property
    def api_version(self) -> str:
        return str(self.object.get("apiVersion") or "")

    @property
    def group(self) -> str:
        return self.api_version.rpartition("/")[0]

    @property
    def name(self) -> str:
        metadata = self.object.get("metadata") or {}
        return name_of(self.object) or (f"{metadata['generateName']}…" if metadata.get("generateName") else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a document.

    `outcome`: created, changed, unchanged, waits (for another document), refused, skipped; `type` and `made` where the
    object is there; `before`: what it was before it was changed; `error`: the cluster's words; `detail`: ours.
    """

    document: Document
    namespace: str = ""
    outcome: str = ""
    type: ResourceType | None = None
    made: KubeObject | None = None
    error: KubeError | None = None
    detail: str = ""
    before: KubeObject | None = None

    @property
    def good(self) -> bool:
        return self.outcome in ("created", "changed", "unchanged", "waits")

    @property
    def is_secret(self) -> bool:
        return self.document.kind == "Secret" and not self.document.group


def read(text: str) -> tuple[Document, ...]:
    """The documents of the text; a List's items are documents of their own.

    Raises YamlProblem where the text can't be taken apart.
    """
    found: list[Document] = []
    for line, value in yamltext.documents(text):
        items = value.get("items") if isinstance(value, dict) and str(value.get("kind", "")).endswith("List") else None
        for item in items if isinstance(items, list) else [value]:
            found.append(_document(len(found) + 1, line, item))
    if len(found) > limits.IMPORT_DOCUMENTS.value:
        raise YamlProblem(f"there are {len(found)} documents here; {limits.IMPORT_DOCUMENTS.value} can be sent at once")
    return tuple(_twice(found))


def _document(number: int, line: int, value: Any) -> Document:
    if not isinstance(value, dict):
        return Document(number, line, {}, "object")
    missing = next((key for key in ("apiVersion", "kind") if not isinstance(value.get(key), str) or not value[key]), "")
    if not missing and not isinstance(value.get("metadata", {}), dict):
        missing = "metadata"
    found = value.get("metadata")
    metadata = found if isinstance(found, dict) else {}
    if not missing and not (metadata.get("name") or metadata.get("generateName")):
        missing = "metadata.name"
    return Document(number, line, value if missing != "metadata" else {**value, "metadata": {}}, missing)


def _twice(documents: list[Document]) -> Iterator[Document]:
    seen: dict[tuple[str, ...], int] = {}
    for document in documents:
        key = (document.api_version, document.kind, namespace_of(document.object), name_of(document.object))
        if not document.problem and name_of(document.object) and key in seen:
            yield replace(document, problem=f"twice:{seen[key]}")
            continue
        seen.setdefault(key, document.number)
        yield document


class Import:
    """One text on its way to the cluster.

    `apply`: what is there already is changed (server-side apply) instead of refused; `force`: keys (see key())
    of objects whose fields are taken over from who manages them.
    """

    def __init__(
        self, client: ClusterClient, namespace: str, apply: bool, dry_run: bool, force: frozenset[str] = frozenset()
    ) -> None:
        self.client = client
        self.namespace = namespace
        self.apply = apply
        self.dry_run = dry_run
        self.force = force

    def run(self, documents: tuple[Document, ...], only: frozenset[int] = frozenset()) -> tuple[Result, ...]:
        """The results in the text's order; `only`: numbers of the documents to send, all when it is empty."""
        kinds = {_defined(document.object) for document in documents} - {None}
        spaces = {
            name_of(document.object) for document in documents if (document.group, document.kind) == ("", "Namespace")
        }
        results: dict[int, Result] = {}
        for document in sorted(documents, key=_rank):
            if only and document.number not in only:
                results[document.number] = Result(document=document, outcome="skipped")
            else:
                results[document.number] = self.one(document, kinds, spaces)
        return tuple(results[document.number] for document in documents)

    def one(self, document: Document, kinds: set[Any], spaces: set[str]) -> Result:
        if document.problem:
            return Result(document=document, outcome="refused", detail=document.problem)
        defined = (document.group, document.kind) in kinds
        try:
            type_ = self.find(document, defined)
        except NotFound as missing:
            if self.dry_run and defined:
                return Result(document=document, outcome="waits", detail="kind")
            return Result(document=document, outcome="refused", error=missing)
        except KubeError as error:
            return Result(document=document, outcome="refused", error=error)
        namespace = (namespace_of(document.object) or self.namespace) if type_.namespaced else ""
        result = Result(document=document, namespace=namespace, type=type_)
        if type_.namespaced and not namespace:
            return replace(result, outcome="refused", detail="namespace")
        try:
            return self.send(result, type_)
        except NotFound as missing:
            if self.dry_run and namespace in spaces:
                return replace(result, outcome="waits", detail="namespace")
            return replace(result, outcome="refused", error=missing)
        except KubeError as error:
            return replace(result, outcome="refused", error=error)

    def find(self, document: Document, defined: bool) -> ResourceType:
        """The kind's type. One that another document defines is waited for."""
        version = document.api_version.rpartition("/")[2]

        def find_kind() -> ResourceType:
            return self.client.find_kind(document.group, document.kind, version)

        return find_kind() if self.dry_run or not defined else self.soon(find_kind)

    def soon(self, find_kind: Callable[[], ResourceType]) -> ResourceType:
        until = time.monotonic() + _WAIT
        while True:
            try:
                return find_kind()
            except NotFound:
                if time.monotonic() > until:
                    raise
            time.sleep(0.1)
            self.client.forget_types()

    def send(self, result: Result, type_: ResourceType) -> Result:
        obj, namespace = _clean(result.document.object, result.namespace), result.namespace
        name = name_of(obj)
        if not self.apply or not name:
            made = self.client.create(type_, obj, namespace, dry_run=self.dry_run)
            return replace(result, outcome="created", made=made)
        before = self.there(type_, name, namespace)
        made = self.applied(type_, name, obj, namespace)
        if before is None:
            return replace(result, outcome="created", made=made)
        changed = _told(before) != _told(made)
        return replace(result, outcome="changed" if changed else "unchanged", made=made, before=before)

    def applied(self, type_: ResourceType, name: str, obj: KubeObject, namespace: str) -> KubeObject:
        """Server-side apply; what others manage is refused as a conflict."""
        force = key(obj, namespace) in self.force
        return self.client.patch(type_, name, obj, namespace, style="apply", dry_run=self.dry_run, force=force)

    def there(self, type_: ResourceType, name: str, namespace: str) -> KubeObject | None:
        try:
            return self.client.get(type_, name, namespace)
        except NotFound:
            return None


def key(obj: KubeObject, namespace: str) -> str:
    """Names an object of a text, wherever in the text it stands: group/kind/namespace/name."""
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    return f"{group}/{obj.get('kind') or ''}/{namespace}/{name_of(obj)}"


def _rank(document: Document) -> int:
    if (document.group, document.kind) == ("", "Namespace"):
        return 0
    return 1 if (document.group, document.kind) == _CRD else 2


def _defined(obj: KubeObject) -> tuple[str, str] | None:
    """Group and kind that a CustomResourceDefinition defines."""
    if obj.get("kind") != _CRD[1]:
        return None
    spec = obj.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(names, dict):
        return None
    return str(spec.get("group") or ""), str(names.get("kind") or "")


def _clean(obj: KubeObject, namespace: str) -> KubeObject:
    """Without what only a server may write, as a copy from another cluster has it."""
    metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key not in SERVERS}
    if namespace:
        metadata["namespace"] = namespace
    return {**obj, "metadata": metadata}


def _told(obj: KubeObject) -> Any:
    metadata = {key: value for key, value in obj["metadata"].items() if key not in SERVERS}
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}
