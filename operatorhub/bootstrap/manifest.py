"""A release manifest of OLM: one or more texts of many objects, in the order in which they can be applied, with what
is dangerous in them.

The texts come from addresses of the web, one in each line, or from uploaded files. The default is upstream's release,
as its install.sh takes it:
https://github.com/operator-framework/operator-lifecycle-manager/releases
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from kube import limits, reader
from kube.objects import KubeObject, name_of, namespace_of
from kube.types.cluster import RoleBinding
from kube.types.meta import Object
from operatorhub.bundle import permissions
from operatorhub.bundle.permissions import Right
from operatorhub.sources import web
from operatorhub.sources.drafts import SourceError
from resources import yamltext

RELEASE = "v0.46.0"
_BASE = "https://github.com/operator-framework/operator-lifecycle-manager/releases/download"
URLS = (f"{_BASE}/{RELEASE}/crds.yaml", f"{_BASE}/{RELEASE}/olm.yaml")
CRD = "CustomResourceDefinition"
FETCH_SECONDS = 60.0
_MAX_ADDRESSES = 8


class ManifestProblem(Exception):
    """The texts aren't a valid manifest; the message is for users."""


class ManifestForm(forms.Form):
    """Addresses, one in each line. With uploaded files none of them is read, since the view checks permission only
    without files.
    """

    urls = forms.CharField(required=False, initial="\n".join(URLS))

    def clean_urls(self) -> list[str]:
        if self.files:
            return []
        addresses = [line.strip() for line in self.cleaned_data["urls"].split("\n") if line.strip()]
        if not addresses:
            raise ValidationError(_("Enter an address, or select a file."))
        if len(addresses) > _MAX_ADDRESSES:
            words = _("You entered %(count)d addresses; at most %(most)d can be read at a time.")
            raise ValidationError(words, params={"count": len(addresses), "most": _MAX_ADDRESSES})
        return addresses


@dataclass(frozen=True, slots=True)
class KindGroup:
    """Objects of one kind, as the preview lists them."""

    kind: str
    objects: tuple[tuple[str, str], ...]  # namespace, name


def read(texts: Iterable[tuple[str, str]]) -> tuple[KubeObject, ...]:
    """`texts`: (name of the file or address, text). In the order of applying. Raises ManifestProblem."""
    found: list[KubeObject] = []
    size = 0
    for name, content in texts:
        size += len(content)
        if size > limits.OLM_MANIFEST.value:
            raise ManifestProblem(
                _("The files have more than 16 MB in total; a release manifest of OLM has about 1.2 MB.")
            )
        try:
            documents = yamltext.documents(content)
        except yamltext.YamlProblem as problem:
            where = _("%(file)s, line %(line)d") % {"file": name, "line": problem.line} if problem.line else name
            raise ManifestProblem(f"{where}: {problem.message}") from problem
        for line, value in documents:
            found += _objects(name, line, value)
    if not found:
        raise ManifestProblem(_("The manifest contains no objects."))
    most = limits.OLM_MANIFEST_OBJECTS.value
    if len(found) > most:
        raise ManifestProblem(
            _("The manifest contains %(count)d objects; at most %(limit)d can be applied at a time.")
            % {"count": len(found), "limit": most}
        )
    return ordered(_once(found))


def _objects(name: str, line: int, value: Any) -> list[KubeObject]:
    if isinstance(value, dict) and str(value.get("kind")).endswith("List") and isinstance(value.get("items"), list):
        return [obj for item in value["items"] for obj in _objects(name, line, item)]
    good = isinstance(value, dict) and isinstance(value.get("apiVersion"), str) and isinstance(value.get("kind"), str)
    if not good or not reader.read(value, Object).metadata.name:
        raise ManifestProblem(
            _("%(name)s, line %(line)d: not a Kubernetes object with apiVersion, kind and metadata.name.")
            % {"name": name, "line": line}
        )
    return [value]


def _once(objects: list[KubeObject]) -> list[KubeObject]:
    """The same object in two files counts once, as it stands last."""
    return list(
        {
            (item["apiVersion"].partition("/")[0], item["kind"], namespace_of(item), name_of(item)): item
            for item in objects
        }.values()
    )


def rank(obj: KubeObject) -> int:
    """Namespaces, kinds, accounts and rights, everything else, and last the objects of OLM's own kinds."""
    if obj["apiVersion"].startswith("operators.coreos.com/"):
        return 5
    return {
        "Namespace": 0,
        CRD: 1,
        "ServiceAccount": 2,
        "ClusterRole": 3,
        "Role": 3,
        "ClusterRoleBinding": 3,
        "RoleBinding": 3,
    }.get(obj["kind"], 4)


def ordered(objects: Iterable[KubeObject]) -> tuple[KubeObject, ...]:
    """Each rank in the texts' own order."""
    return tuple(sorted(objects, key=rank))


def groups(objects: Iterable[KubeObject]) -> tuple[KindGroup, ...]:
    """By kind, in the order of applying."""
    found: dict[str, list[tuple[str, str]]] = {}
    for item in objects:
        found.setdefault(item["kind"], []).append((namespace_of(item), name_of(item)))
    return tuple(KindGroup(kind, tuple(names)) for kind, names in found.items())


def digest(objects: Iterable[KubeObject]) -> str:
    """The same objects have the same one."""
    return hashlib.sha256(json.dumps(list(objects), sort_keys=True).encode()).hexdigest()[:32]


def rights(objects: Iterable[KubeObject]) -> tuple[Right, ...]:
    """What its service accounts may, the dangerous ones first: (cluster) roles of the manifest that its bindings
    give to them.
    """
    every = list(objects)
    roles = {
        (item["kind"], namespace_of(item), name_of(item)): item.get("rules")
        for item in every
        if item["kind"] in ("ClusterRole", "Role")
    }
    given: dict[str, list[Mapping[str, Any]]] = {"clusterPermissions": [], "permissions": []}
    for obj in every:
        if obj["kind"] not in ("ClusterRoleBinding", "RoleBinding"):
            continue
        binding = reader.read(obj, RoleBinding)
        role = binding.role_ref
        place = binding.metadata.namespace if role.kind == "Role" else ""
        rules = roles.get((role.kind, place, role.name))
        if rules is None and role.name == "cluster-admin":
            rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
        for subject in binding.subjects:
            entry = {"serviceAccountName": subject.name, "rules": rules or []}
            given["clusterPermissions" if obj["kind"] == "ClusterRoleBinding" else "permissions"].append(entry)
    return permissions.asked({"spec": {"install": {"spec": given}}})


def read_texts(form: ManifestForm) -> list[tuple[str, str]]:
    """(name, text) of each. Raises ManifestProblem."""
    uploaded = [
        (str(file.name), _decoded_text(str(file.name), file.read(limits.OLM_MANIFEST.value + 1)))
        for file in form.files.getlist("files")
    ]
    return uploaded or [(web.shown(address), _fetched_text(address)) for address in form.cleaned_data["urls"]]


def _fetched_text(address: str) -> str:
    try:
        answer = web.get(address, most=limits.OLM_MANIFEST.value, seconds=FETCH_SECONDS)
    except SourceError as error:
        raise ManifestProblem(str(error)) from error
    if answer.status != 200:
        raise ManifestProblem(web.explain(answer))
    return _decoded_text(web.shown(address), answer.body)


def _decoded_text(name: str, data: bytes) -> str:
    if len(data) > limits.OLM_MANIFEST.value:
        raise ManifestProblem(
            _("%(name)s is larger than 16 MB; a release manifest of OLM has about 1.2 MB.") % {"name": name}
        )
    try:
        found = data.decode()
    except UnicodeDecodeError as error:
        raise ManifestProblem(_("%(name)s isn't a text file. A manifest is YAML in UTF-8.") % {"name": name}) from error
    if found.lstrip()[:9].lower() in ("<!doctype", "<html>"):
        raise ManifestProblem(_("%(name)s is a web page. Use the address of the file itself (“raw”).") % {"name": name})
    return found
