"""An operator's objects as a kustomize folder, and a folder of manifests brought into a cluster.

Written: operator/ and instances/, each with its kustomization.yaml, resources in their order. There are two parts
because the kinds of the instances exist only after OLM has installed the operator. Objects are cleaned
(kube/objects.py) and can be moved to another namespace.

Read: the files in the order of their kustomizations, compared object by object, applied in that order. Objects whose
kinds an operator of the same folder brings wait until the cluster serves the kinds. What a kustomization does beyond
listing resources (patches, generators, names) is reported but not done; the output of `kubectl kustomize` can be given
instead.

https://kubectl.docs.kubernetes.io/references/kustomize/
"""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from django.utils.translation import gettext as _

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound
from kube.objects import KubeObject, clean, mapping, name_of, namespace_of
from operatorhub.csv import strings
from operatorhub.exports.operator_objects import Item
from operatorhub.run.bundle_input import spread
from operatorhub.sources import archive
from operatorhub.sources.drafts import SourceError
from resources import imports, yamltext
from resources.display_copy import compared
from resources.imports import Document, Result
from resources.writing.review import Review, review
from untrusted import yaml_bounds

_ORDER = (
    "Namespace",
    "CustomResourceDefinition",
    "CatalogSource",
    "OperatorGroup",
    "ServiceAccount",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "Secret",
    "ConfigMap",
    "Service",
    "Subscription",
    "ClusterServiceVersion",
)
_SORT = "sortOptions:\n  order: fifo\n"

_HEAD = """\
# Apply operator/ first and wait until it is installed: the kinds of instances/ come with it.
#   kubectl apply -k operator/
#   kubectl apply -k instances/
"""

_KUSTOMIZATION_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_UNDERSTOOD = frozenset(["apiVersion", "kind", "metadata", "resources", "sortOptions"])
_BRINGS = ("Subscription", "ClusterServiceVersion", "ClusterExtension")


@dataclass(frozen=True, slots=True)
class File:
    path: str
    text: str


def files(
    found: Iterable[tuple[Item, KubeObject]], namespace: str, *, into: str = "", pinned: str = ""
) -> tuple[File, ...]:
    """The folder's files, kustomizations first.

    `into`: another namespace; `pinned`: the version that Subscriptions begin with.
    """
    parts: dict[str, list[KubeObject]] = {"operator": [], "instances": []}
    for item, obj in found:
        made = export_object(obj, namespace, into)
        if made["kind"] == "Subscription" and pinned:
            made["spec"] = {**made["spec"], "startingCSV": pinned}
        parts[item.part].append(made)
    used = {part: sorted(objects, key=_rank) for part, objects in parts.items() if objects}
    listed = [File("kustomization.yaml", _kustomization_text([f"{part}/" for part in used], _HEAD))]
    for part, objects in used.items():
        named = _named(objects)
        listed.append(File(f"{part}/kustomization.yaml", _kustomization_text(list(named))))
        listed += [File(f"{part}/{name}", yamltext.dump(obj)) for name, obj in named.items()]
    return tuple(listed)


def zipped(name: str, listed: Iterable[File]) -> bytes:
    """The same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for file in listed:
            info = zipfile.ZipInfo(f"{name}/{file.path}", (2000, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            target.writestr(info, file.text)
    return out.getvalue()


def export_object(obj: KubeObject, old: str = "", new: str = "") -> KubeObject:
    """A copy without fields that only servers set.

    With `new`, what named the namespace `old` names that one: placement, OperatorGroups' targets, the Namespace itself.
    """
    found = clean(obj)
    return move_object(found, old, new) if new and new != old else found


def move_object(obj: KubeObject, old: str, new: str) -> KubeObject:
    """The same object in another namespace."""
    meta = dict(obj["metadata"])
    if meta.get("namespace") == old:
        meta["namespace"] = new
    if obj["kind"] == "Namespace" and meta.get("name") == old:
        meta["name"] = new
    found = {**obj, "metadata": meta}
    spec = mapping(found.get("spec"))
    if obj["kind"] == "OperatorGroup" and spec.get("targetNamespaces"):
        found["spec"] = {
            **spec,
            "targetNamespaces": [
                new if namespace == old else namespace for namespace in strings(spec["targetNamespaces"])
            ],
        }
    if obj["kind"] == "Subscription" and spec.get("sourceNamespace") == old:
        found["spec"] = {**spec, "sourceNamespace": new}
    if obj["kind"] in ("RoleBinding", "ClusterRoleBinding"):
        subjects = [
            {**subject, "namespace": new} if subject.get("namespace") == old else subject
            for subject in found.get("subjects") or []
        ]
        found["subjects"] = subjects
    return found


def _rank(obj: KubeObject) -> int:
    return _ORDER.index(obj["kind"]) if obj["kind"] in _ORDER else len(_ORDER)


def _kustomization_text(resources: list[str], head: str = "") -> str:
    lines = "".join(f"  - {resource}\n" for resource in resources)
    return f"{head}apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n{lines}{_SORT}"


def _named(objects: list[KubeObject]) -> dict[str, KubeObject]:
    """File names that sort as they are applied and say what is in them."""
    found: dict[str, KubeObject] = {}
    for number, obj in enumerate(objects):
        words = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{obj['kind'].lower()}-{name_of(obj)}")[:120].strip("-")
        found[f"{number:02d}-{words}.yaml"] = obj
    return found


@dataclass(frozen=True, slots=True)
class Brought:
    """`text`: all documents, each under a comment with its file's name; `notes`: what was left out, in words."""

    text: str
    notes: tuple[str, ...] = ()


def read_uploads(uploads: Iterable[tuple[str, bytes]]) -> Brought:
    """Of an archive, or of single files. Raises SourceError."""
    with spread(
        uploads, archive.Budget(limits.RESTORE_BYTES.value, limits.RESTORE_FILES.value, limits.RESTORE_BYTES.value * 4)
    ) as root:
        notes: list[str] = []
        parts = [_file_text(path, root) for path in _ordered(_top_folder(root), root.resolve(), notes, set())]
    if not parts:
        raise SourceError(_("No manifests found: there are no YAML or JSON files, or the kustomization lists none."))
    return Brought("\n".join(parts), tuple(dict.fromkeys(notes)))


def _top_folder(root: Path) -> Path:
    while not _kustomization_file(root) and len(inside := [*root.iterdir()]) == 1 and inside[0].is_dir():
        root = inside[0]
    return root


def _kustomization_file(folder: Path) -> Path | None:
    return next((folder / name for name in _KUSTOMIZATION_NAMES if (folder / name).is_file()), None)


def _ordered(folder: Path, root: Path, notes: list[str], seen: set[Path]) -> Iterator[Path]:
    """The files as the kustomizations list them; of a folder without one all of them, by path."""
    place = _kustomization_file(folder)
    if folder in seen:
        return
    seen.add(folder)
    if place is None:
        yield from (
            path
            for path in sorted(folder.rglob("*"))
            if path.suffix in (".yaml", ".yml", ".json") and path.name not in _KUSTOMIZATION_NAMES
        )
        return
    try:
        kustomization = mapping(yaml_bounds.load(place.read_text()))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SourceError(f"{place.relative_to(root)}: {error}") from error
    if more := sorted(set(map(str, kustomization)) - _UNDERSTOOD):
        words = _(
            "%(file)s also has %(what)s, which isn't supported here. Use the output of “kubectl kustomize” instead."
        )
        notes.append(words % {"file": place.relative_to(root), "what": ", ".join(more)})
    for resource in strings(kustomization.get("resources")):
        path = (folder / resource).resolve()
        if not path.is_relative_to(root) or not path.exists():
            notes.append(
                _("%(file)s lists %(what)s, which it doesn't contain.")
                % {"file": place.relative_to(root), "what": resource}
            )
        elif path.is_dir():
            yield from _ordered(path, root, notes, seen)
        else:
            yield path


def _file_text(path: Path, root: Path) -> str:
    try:
        return f"---\n# {path.relative_to(root.resolve())}\n{path.read_text().removeprefix('---').strip()}\n"
    except UnicodeDecodeError as error:
        raise SourceError(f"{path.name}: {error}") from error


def move_documents(documents: tuple[Document, ...], namespace: str) -> tuple[Document, ...]:
    """The same for another namespace: that of the text's only Namespace, or of its Subscription, becomes this one."""
    old = next((name_of(document.object) for document in documents if document.kind == "Namespace"), "")
    old = old or next((namespace_of(document.object) for document in documents if document.kind == "Subscription"), "")
    if not old or not namespace or old == namespace:
        return documents
    return tuple(
        document if document.problem else replace(document, object=move_object(document.object, old, namespace))
        for document in documents
    )


class Bringing(imports.Import):
    """Server-side apply of each; objects whose kinds an operator of the same text brings wait for them."""

    def __init__(self, client: ClusterClient, namespace: str, dry_run: bool) -> None:
        super().__init__(client, namespace, True, dry_run)
        self.before: dict[tuple[str, str, str], KubeObject | None] = {}
        self.brings = False

    def run(self, documents: tuple[Document, ...], only: frozenset[int] = frozenset()) -> tuple[Result, ...]:
        self.brings = any(document.kind in _BRINGS for document in documents)
        return super().run(documents, only)

    def one(self, document: Document, kinds: set[Any], spaces: set[str]) -> Result:
        result = super().one(document, kinds, spaces)
        if result.type is None and isinstance(result.error, NotFound) and self.brings:
            return Result(document=document, outcome="waits", detail="operator")
        return result

    def there(self, type_: ResourceType, name: str, namespace: str) -> KubeObject | None:
        found = super().there(type_, name, namespace)
        self.before[type_.topic_part, namespace, name] = found
        return found

    def difference(self, result: Result) -> Review | None:
        """The changes to an existing object according to the dry run; None if it is new, unchanged or refused."""
        if result.outcome != "changed" or result.type is None or result.made is None:
            return None
        live = self.before.get((result.type.topic_part, result.namespace, name_of(result.document.object)))
        if live is None:
            return None
        sent, made = {**result.document.object}, result.made
        if result.is_secret:
            live, sent, made = compared(live, sent, made)
        return review(live, sent, made)


def waiting(results: tuple[Result, ...]) -> tuple[Result, ...]:
    """Results whose kinds don't exist yet."""
    return tuple(result for result in results if result.outcome == "waits" and result.detail == "operator")


def kinds_served(client: ClusterClient, kinds: Iterable[str]) -> bool:
    """Whether all of them ("group/Kind") are there now."""
    client.forget_types()
    known = {f"{type_.group}/{type_.kind}" for type_ in client.types()}
    return all(kind in known for kind in kinds)


def read_documents(text: str) -> tuple[Document, ...]:
    """Raises YamlProblem."""
    return imports.read(text)
