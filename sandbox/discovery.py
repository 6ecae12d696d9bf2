"""/api and /apis: which groups, versions and resources there are, in the old form and in the aggregated one."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import msgspec

from .builtins import GROUP_ORDER
from .context import Context
from .crds import version_rank
from .errors import NotFound
from .http import Request, Response
from .resources import Registry, Resource

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#: Where etcd has another version than the one that is served.
_STORED_AS = {"customresourcedefinitions.apiextensions.k8s.io": "v1beta1"}
_STATUS_VERBS = ["get", "patch", "update"]
#: The order in which CRD handlers list them.
_CUSTOM_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_SCALE_KIND = "autoscaling/v1/Scale"


class Discovery:
    """Documents made once for each state of the registry."""

    def __init__(self, registry: Registry, context: Context):
        self._registry = registry
        self._context = context
        self._made: dict[str, tuple[bytes, str]] = {}
        self._for: tuple[int, int, frozenset[tuple[str, str]]] = (-1, -1, frozenset())

    def respond(self, request: Request, parts: list[str]) -> Response:
        """``parts``: the path's segments, beginning with api or apis. NotFound for what is not served."""
        accept = request.headers.get("accept", "")
        aggregated = "as=APIGroupDiscoveryList" in accept.replace(" ", "") and len(parts) == 1
        key = ("aggregated:" if aggregated else "") + "/".join(parts)
        state = (self._registry.generation, len(self._context.aggregated), frozenset(self._context.unavailable))
        if state != self._for:
            self._made.clear()
            self._for = state
        if key not in self._made:
            document = self._aggregated(parts[0]) if aggregated else self._document(parts)
            if parts == ["api"] and not aggregated:
                address = {"clientCIDR": "0.0.0.0/0", "serverAddress": request.headers.get("host", "")}
                document["serverAddressByClientCIDRs"] = [address]
            body = msgspec.json.encode(document)
            self._made[key] = (body, hashlib.sha512(body).hexdigest().upper())
        body, tag = self._made[key]
        content_type = AGGREGATED if aggregated else "application/json"
        headers = {"vary": "Accept", "cache-control": "public"} if aggregated else {}
        if aggregated:
            headers["etag"] = f'"{tag}"'
            if request.headers.get("if-none-match", "").strip('"') == tag:
                return Response(b"", 304, content_type, headers)
        return Response(body, 200, content_type, headers)

    # What there is

    def _versions(self) -> dict[str, list[str]]:
        """Versions of each group, preferred first; groups in the API server's order."""
        found: dict[str, set[str]] = {}
        for resource in self._registry.all():
            found.setdefault(resource.group, set()).add(resource.version)
        for group, version in (*self._context.aggregated, *self._context.unavailable):
            found.setdefault(group, set()).add(version)
        order = {group: index for index, group in enumerate(GROUP_ORDER)}
        groups = sorted(found, key=lambda group: (order.get(group, 1000), group))
        return {group: sorted(found[group], key=version_rank) for group in groups}

    def _resources(self, group: str, version: str) -> list[Resource]:
        served = [r for r in self._registry.all() if r.group == group and r.version == version]
        return sorted(served, key=lambda r: r.plural) if group else served

    def _document(self, parts: list[str]) -> dict[str, Any]:
        versions = self._versions()
        if parts == ["api"]:
            return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
        if parts == ["apis"]:
            groups = [self._group(group, versions[group]) for group in versions if group]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        if parts[0] == "apis" and len(parts) == 2 and parts[1] in versions:
            return {"kind": "APIGroup", "apiVersion": "v1", **self._group(parts[1], versions[parts[1]])}
        group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[-1])
        if len(parts) > 3 or version not in versions.get(group, []) or (parts[0] == "apis" and len(parts) != 3):
            raise NotFound
        return self._list(group, version)

    @staticmethod
    def _group(group: str, versions: list[str]) -> dict[str, Any]:
        listed = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
        return {"name": group, "versions": listed, "preferredVersion": listed[0]}

    # One group version

    def _list(self, group: str, version: str) -> dict[str, Any]:
        listed: list[dict[str, Any]] = []
        for resource in self._resources(group, version):
            listed.append(_api_resource(resource))
            listed.extend(_api_subresources(resource))
        listed.extend(self._context.aggregated.get((group, version), []))
        group_version = f"{group}/{version}" if group else version
        head = {"kind": "APIResourceList"} if not group else {"kind": "APIResourceList", "apiVersion": "v1"}
        return {**head, "groupVersion": group_version, "resources": listed}

    # Aggregated

    def _aggregated(self, root: str) -> dict[str, Any]:
        items = []
        for group, versions in self._versions().items():
            if (root == "api") != (group == ""):
                continue
            metadata = {"name": group} if group else {}
            items.append({"metadata": metadata, "versions": [self._aggregated_version(group, v) for v in versions]})
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": "apidiscovery.k8s.io/v2",
            "metadata": {},
            "items": items,
        }

    def _aggregated_version(self, group: str, version: str) -> dict[str, Any]:
        if (group, version) in self._context.unavailable:
            return {"version": version, "freshness": "Stale"}
        listed = [_discovered(resource) for resource in self._resources(group, version)]
        extras = self._context.aggregated.get((group, version), [])
        listed.extend(_discovered_extra(group, version, extra) for extra in extras)
        return {"version": version, "resources": listed, "freshness": "Current"}


def _subresources(resource: Resource) -> list[tuple[str, str, list[str]]]:
    """(name, group/version/kind, verbs)."""
    own = f"{resource.api_version}/{resource.kind}"
    found = [(name, kind, list(verbs)) for name, kind, verbs in resource.subresources]
    if resource.status:
        found.append(("status", own, _STATUS_VERBS))
    if resource.scale:
        found.append(("scale", _SCALE_KIND, _STATUS_VERBS))
    return found if resource.custom else sorted(found)


def _custom_verbs(resource: Resource) -> list[str]:
    """A CRD that is being deleted announces fewer verbs than it still serves."""
    if "create" in resource.verbs:
        return list(_CUSTOM_VERBS)
    return [verb for verb in _CUSTOM_VERBS if verb not in ("create", "patch", "update")]


def _storage_hash(resource: Resource) -> str:
    """A hash by which clients see whether the stored form changed
    (apiserver/pkg/endpoints/discovery/storageversionhash.go).
    """
    group, version = resource.group, _STORED_AS.get(resource.key, resource.storage_version or resource.version)
    if resource.shares:
        group = ""
    digest = hashlib.sha256(f"{group}/{version}/{resource.kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()


def _api_resource(resource: Resource) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": _custom_verbs(resource) if resource.custom else sorted(resource.verbs),
    }
    if "get" in resource.verbs:
        found["storageVersionHash"] = _storage_hash(resource)
    if resource.short_names:
        found["shortNames"] = list(resource.short_names)
    if resource.categories:
        found["categories"] = list(resource.categories)
    return found


def _api_subresources(resource: Resource) -> list[dict[str, Any]]:
    listed = []
    for name, kind, verbs in _subresources(resource):
        group_version, _, short = kind.rpartition("/")
        entry: dict[str, Any] = {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": short,
            "verbs": verbs,
        }
        if group_version != resource.api_version:
            group, _, version = group_version.rpartition("/")
            entry |= {"group": group, "version": version} if group else {"version": version}
        listed.append(entry)
    return listed


def _kind(group: str, version: str, kind: str) -> dict[str, str]:
    return {"group": group, "version": version, "kind": kind}


def _answered(resource: Resource, group: str, version: str, kind: str) -> dict[str, str]:
    """Built-in groups do not repeat themselves."""
    own = not resource.custom and (group, version) == (resource.group, resource.version)
    return _kind("", "", kind) if own else _kind(group, version, kind)


def _discovered(resource: Resource) -> dict[str, Any]:
    found: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": _answered(resource, resource.group, resource.version, resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": _custom_verbs(resource) if resource.custom else sorted(resource.verbs),
    }
    if resource.short_names:
        found["shortNames"] = list(resource.short_names)
    if resource.categories:
        found["categories"] = list(resource.categories)
    subresources = []
    for name, kind, verbs in _subresources(resource):
        group_version, _, short = kind.rpartition("/")
        group, _, version = group_version.rpartition("/")
        subresources.append(
            {"subresource": name, "responseKind": _answered(resource, group, version, short), "verbs": verbs}
        )
    if subresources:
        found["subresources"] = subresources
    return found


def _discovered_extra(group: str, version: str, extra: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "resource": extra["name"],
        "responseKind": _kind(group, version, extra["kind"]),
        "scope": "Namespaced" if extra.get("namespaced") else "Cluster",
        "singularResource": extra.get("singularName", ""),
        "verbs": extra.get("verbs", []),
    }
    for name in ("shortNames", "categories"):
        if extra.get(name):
            found[name] = extra[name]
    return found
