"""Imports many objects of any kinds from one text, and undoes it. Each object is applied on its own and has its own
result.

Applied in the order of the text, except that Namespaces and CustomResourceDefinitions go first, and a kind that was
just defined is waited for. A failure undoes nothing: what failed can be sent again alone.

For the undo, the previous objects go to the page with the result, and come back from it: nothing is stored here, and
undoing uses the permissions of the user who undoes. An object that was changed since is left as it is and named. Values
of Secrets do not go to the page: a change to a Secret can't be undone.
"""

import base64
import binascii
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Conflict, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from resources import yamltext
from resources.place import Place
from resources.writing.diff import same
from resources.writing.draft import SERVERS, own
from resources.writing.review import Review, review
from resources.yamltext import YamlProblem
from untrusted import json_bounds

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
        changed = own(before) != own(made)
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


class UndoStep(msgspec.Struct, frozen=True):
    """One object to restore to `before`, or to delete if it had none. `after`: the object as we applied it."""

    group: str
    version: str
    plural: str
    namespace: str
    name: str
    uid: str
    after: dict[str, Any]
    before: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of one step. `words`: what was done; `problem`: why it was not."""

    step: UndoStep
    words: str = ""
    problem: str = ""
    error: KubeError | None = None


def difference(result: Result) -> Review | None:
    """What changes in an object that is there; None where it is new, the same, secret, or was refused."""
    if result.outcome != "changed" or result.made is None or result.before is None or result.is_secret:
        return None
    return review(result.before, result.document.object, result.made)


def pack_undo(results: Iterable[Result]) -> str:
    """The steps that take it back, for a field of the page; '' where there are none or they are too large for it."""
    steps = [step for result in results if (step := _undo_step(result)) is not None]
    if not steps:
        return ""
    packed = base64.b64encode(zlib.compress(msgspec.json.encode(steps))).decode()
    return packed if len(packed) <= limits.IMPORT_UNDO.value else ""


def unpack_undo(text: str) -> list[UndoStep]:
    """Raises ValueError for what pack_undo() has not made."""
    try:
        opened = zlib.decompressobj()
        plain = opened.decompress(base64.b64decode(text, validate=True), limits.IMPORT_UNDO_UNPACKED.value)
        if opened.unconsumed_tail:
            raise ValueError("too large")
        return json_bounds.load_as(plain, list[UndoStep])
    except (binascii.Error, zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error


def undo(client: ClusterClient, steps: list[UndoStep]) -> tuple[Undone, ...]:
    """Undoes the last step first. A step that fails doesn't stop the others."""
    return tuple(_undo_object(client, step) for step in reversed(steps))


def _undo_object(client: ClusterClient, step: UndoStep) -> Undone:
    try:
        type_ = client.find(step.group, step.version, step.plural)
        if step.before is None:
            client.delete(type_, step.name, step.namespace, propagation="Background", uid=step.uid)
            return Undone(step, _("deleted"))
        now = client.get(type_, step.name, step.namespace)
        if uid_of(now) != step.uid or not same(own(now), step.after):
            return Undone(step, problem=_("Another user changed the object since, so it wasn't undone."))
        version = now["metadata"].get("resourceVersion")
        metadata = {**step.before["metadata"], "resourceVersion": version, "uid": step.uid}
        client.replace(type_, {**step.before, "metadata": metadata}, step.namespace)
        return Undone(step, _("restored"))
    except NotFound:
        return Undone(step, _("already deleted"))
    except Conflict as error:
        return Undone(step, problem=_("Another user changed the object since, so it wasn't undone."), error=error)
    except KubeError as error:
        return Undone(step, problem=str(error), error=error)


def undo_place(client: ClusterClient, step: UndoStep) -> Place | None:
    try:
        return Place(client.find(step.group, step.version, step.plural), step.namespace, step.name)
    except KubeError:
        return None


def _undo_step(result: Result) -> UndoStep | None:
    made, type_ = result.made, result.type
    if made is None or type_ is None or result.outcome not in ("created", "changed"):
        return None
    before: KubeObject | None = None
    after: KubeObject = {}
    if result.outcome == "changed":
        if result.is_secret or result.before is None:
            return None
        before, after = own(result.before), own(made)
    return UndoStep(
        group=type_.group,
        version=type_.version,
        plural=type_.plural,
        namespace=result.namespace,
        name=name_of(made),
        uid=uid_of(made),
        after=after,
        before=before,
    )
