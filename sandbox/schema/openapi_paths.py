"""The ``paths`` of an OpenAPI v3 document, as kube-apiserver writes them for each resource.

kubectl looks here for the parameters of PATCH (fieldValidation, dryRun) and for ``x-kubernetes-group-version-kind``;
generators of clients read the rest. Left out: the deprecated /watch/ paths and binary media types, which say nothing
new.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..resources import Resource
from .builtin import content, name_of

Json = dict[str, Any]
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_MEDIA = ("application/json", "application/yaml")
_PATCHES = ("application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json")
_STRATEGIC = "application/strategic-merge-patch+json"
_NAMESPACE = "object name and auth scope, such as for teams and projects"


class Act(NamedTuple):
    """How a verb of discovery is called over HTTP, in x-kubernetes-action, and in an operation's name and
    description.
    """

    method: str
    action: str
    word: str
    text: str


ACTS = {
    "list": Act("get", "list", "list", "list objects of kind"),
    "create": Act("post", "post", "create", "create"),
    "deletecollection": Act("delete", "deletecollection", "delete", "delete collection of"),
    "get": Act("get", "get", "read", "read the specified"),
    "update": Act("put", "put", "replace", "replace the specified"),
    "delete": Act("delete", "delete", "delete", "delete"),
    "patch": Act("patch", "patch", "patch", "partially update the specified"),
}
_ITEM = ("get", "update", "delete", "patch")
_STATUS = ("get", "update", "patch")
_CODES = {"post": ("200", "201", "202"), "put": ("200", "201"), "delete": ("200", "202")}
_CODE_TEXTS = {"200": "OK", "201": "Created", "202": "Accepted"}


def model_name(group: str, version: str, kind: str) -> str:
    """The schema's name: the real one of built-in kinds, the reversed domain for custom ones."""
    return name_of(group, version, kind) or f"{'.'.join(reversed(group.split('.')))}.{version}.{kind}"


def paths(resources: Iterable[Resource]) -> Json:
    """All paths of one group version. Encode with msgspec: parameters are raw."""
    found: Json = {}
    for resource in resources:
        found |= _Paths(resource).all()
    return dict(sorted(found.items()))


def camel(text: str) -> str:
    """``samples.operator-console`` → ``SamplesOperatorConsole``: what may stand in an operation's name."""
    words = "".join(letter if letter.isalnum() else " " for letter in text).split()
    return "".join(word[:1].upper() + word[1:] for word in words)


def _body(name: str, media: Iterable[str]) -> Json:
    return {kind: {"schema": {"$ref": f"#/components/schemas/{name}"}} for kind in media}


def _in_path(name: str, description: str) -> Json:
    schema = {"type": "string", "uniqueItems": True}
    return {"name": name, "in": "path", "description": description, "required": True, "schema": schema}


def _article(kind: str) -> str:
    if kind.endswith("s") and not kind.endswith("ss"):
        return kind
    return f"an {kind}" if kind[:1] in "AEIOU" else f"a {kind}"


@dataclass(frozen=True, slots=True)
class _Paths:
    resource: Resource

    def all(self) -> Json:
        """Every path of the resource."""
        resource = self.resource
        root = f"/apis/{resource.api_version}" if resource.group else f"/api/{resource.version}"
        everywhere = f"{root}/{resource.plural}"
        place = f"{root}/namespaces/{{namespace}}/{resource.plural}" if resource.namespaced else everywhere
        item = f"{place}/{{name}}"
        collection_verbs = [verb for verb in ("list", "create", "deletecollection") if verb in resource.verbs]
        found = {
            place: {**self._operations(collection_verbs, ""), "parameters": self._parameters(named=False)},
            item: self._item([verb for verb in _ITEM if verb in resource.verbs], ""),
        }
        if resource.namespaced and "list" in resource.verbs:
            list_all = self._operation("list", "", everywhere=True)
            found[everywhere] = {"get": list_all, "parameters": content().parameters["always"]}
        if resource.status:
            found[f"{item}/status"] = self._item(_STATUS, "status")
        if resource.scale:
            found[f"{item}/scale"] = self._item(_STATUS, "scale", "autoscaling/v1/Scale")
        for name, kind, verbs in resource.subresources:
            streams = name == "log" or kind.endswith("Options")
            found[f"{item}/{name}"] = self._streams(name, verbs, kind) if streams else self._item(verbs, name, kind)
        return {path: operations for path, operations in found.items() if len(operations) > 1}

    def _item(self, verbs: Iterable[str], subresource: str, kind: str = "") -> Json:
        return {**self._operations(verbs, subresource, kind), "parameters": self._parameters(named=True)}

    def _parameters(self, named: bool) -> list[Any]:
        found: list[Any] = [_in_path("name", f"name of the {self.resource.kind}")] if named else []
        if self.resource.namespaced:
            found.append(_in_path("namespace", _NAMESPACE))
        return [*found, *content().parameters["always"]]

    def _operations(self, verbs: Iterable[str], subresource: str, kind: str = "") -> Json:
        return {ACTS[verb].method: self._operation(verb, subresource, kind) for verb in verbs}

    def _operation(self, verb: str, subresource: str, kind: str = "", everywhere: bool = False) -> Json:
        act, model = ACTS[verb], self._model(verb, kind)
        made: Json = {
            "tags": [f"{self._group_name()[:1].lower()}{self._group_name()[1:]}_{self.resource.version}"],
            "description": self._description(verb, subresource),
            "operationId": self._operation_id(verb, subresource, everywhere),
            "parameters": content().parameters[act.action],
        }
        if verb == "patch":
            media = _PATCHES if self.resource.custom else (*_PATCHES, _STRATEGIC)
            made["requestBody"] = {"content": _body(f"{META}Patch", media), "required": True}
        elif verb in ("create", "update"):
            made["requestBody"] = {"content": _body(model, _MEDIA), "required": True}
        elif verb in ("delete", "deletecollection"):
            made["requestBody"] = {"content": _body(f"{META}DeleteOptions", _MEDIA)}
        codes = _CODES.get(act.action, ("200",))
        responses: Json = {code: {"description": _CODE_TEXTS[code], "content": _body(model, _MEDIA)} for code in codes}
        made["responses"] = {**responses, "401": {"description": "Unauthorized"}}
        made["x-kubernetes-action"] = act.action
        made["x-kubernetes-group-version-kind"] = self._kind("" if self.resource.custom else kind)
        return made

    def _model(self, verb: str, kind: str) -> str:
        if verb in ("delete", "deletecollection"):
            return f"{META}Status"
        found = self._kind(kind)
        name = self.resource.collection_kind if verb == "list" else found["kind"]
        return model_name(found["group"], found["version"], name)

    def _kind(self, kind: str) -> dict[str, str]:
        """``kind``: "autoscaling/v1/Scale", or empty for the resource's own."""
        if not kind:
            return {"group": self.resource.group, "version": self.resource.version, "kind": self.resource.kind}
        group_version, _, short = kind.rpartition("/")
        group, _, version = group_version.rpartition("/")
        return {"group": group, "version": version, "kind": short}

    def _description(self, verb: str, subresource: str) -> str:
        words = ACTS[verb].text
        if verb == "list" and not self.resource.custom:
            words = "list or watch objects of kind"
        if subresource:
            word = words.removesuffix(" the specified")
            words = f"{word} {subresource} of{words[len(word) :]}"
        kind = self.resource.kind
        return f"{words} {_article(kind) if verb in ('create', 'delete') else kind}"

    def _group_name(self) -> str:
        return camel(self.resource.group.removesuffix(".k8s.io") or "core")

    def _operation_id(self, verb: str, subresource: str, everywhere: bool) -> str:
        place = "Namespaced" if self.resource.namespaced and not everywhere else ""
        if verb == "deletecollection":
            place = f"Collection{place}"
        end = "ForAllNamespaces" if everywhere else ""
        name = f"{ACTS[verb].word}{self._group_name()}{camel(self.resource.version)}{place}{self.resource.kind}"
        return name + camel(subresource) + end

    def _streams(self, subresource: str, verbs: Iterable[str], kind: str) -> Json:
        """Logs, and what is connected through to a Pod, a Service or a Node: answers aren't objects."""
        found: Json = {}
        for verb in verbs:
            act, log = ACTS[verb], subresource == "log"
            method = act.method.upper()
            text = f"connect {method} requests to {subresource} of {self.resource.kind}"
            word = f"connect{self._group_name()}{camel(self.resource.version)}{method.capitalize()}"
            place = "Namespaced" if self.resource.namespaced else ""
            answer = {"description": "OK", "content": {"text/plain" if log else "*/*": {"schema": {"type": "string"}}}}
            found[act.method] = {
                "tags": [f"{self._group_name()[:1].lower()}{self._group_name()[1:]}_{self.resource.version}"],
                "description": self._description("get", "log") if log else text,
                "operationId": self._operation_id("get", "log", False)
                if log
                else f"{word}{place}{self.resource.kind}{camel(subresource)}",
                "responses": {"200": answer, "401": {"description": "Unauthorized"}},
                "x-kubernetes-action": "get" if log else "connect",
                "x-kubernetes-group-version-kind": self._kind(kind),
            }
        return {**found, "parameters": self._parameters(named=True)}
