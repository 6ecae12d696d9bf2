"""A bundle as the objects that OLM's InstallPlan would make of it: for running a bundle without a catalog, for plans
and for exports.

Pure. Names, labels and digests are OLM's own, so that olm-operator finds in a CSV that was created directly what it
expects of one that came through a Subscription, and cleans up after it in the same way. What OLM itself adds afterwards
(annotations about the OperatorGroup, Deployments, ClusterRoles for operators of all namespaces) is not here.

Source: operator-lifecycle-manager, pkg/controller/registry/resolver/{steps,rbac}.go and
pkg/controller/operators/catalog/step_ensurer.go.
"""

import hashlib
import json
import string
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kube.objects import KubeObject, mapping
from kube.reader import read
from kube.types.cluster import PolicyRule
from kube.types.extensions import CustomResourceDefinitionSpec
from kube.types.meta import Object
from kube.types.olm import ClusterServiceVersion
from operatorhub.bundle.bundles import Bundle

RBAC = "rbac.authorization.k8s.io"
CSV_API = "operators.coreos.com/v1alpha1"
PROPERTIES = "operatorframework.io/properties"
HASH = "olm.permissions.hash"
_DIGITS = string.digits + string.ascii_lowercase + string.ascii_uppercase
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_LONGEST = 63
#: Kinds in bundles that belong to no namespace; OLM puts all others into the operator's.
#: https://olm.operatorframework.io/docs/tasks/creating-operator-manifests/#packaging-additional-objects-alongside-an-operator
_CLUSTER_WIDE = frozenset(
    [
        "ClusterRole",
        "ClusterRoleBinding",
        "PriorityClass",
        "ConsoleCLIDownload",
        "ConsoleLink",
        "ConsoleQuickStart",
        "ConsoleYAMLSample",
        "CustomResourceDefinition",
        "Namespace",
    ]
)
_RANK = {
    "CustomResourceDefinition": 0,
    "ServiceAccount": 1,
    "Role": 2,
    "ClusterRole": 2,
    "RoleBinding": 3,
    "ClusterRoleBinding": 3,
    "ClusterServiceVersion": 9,
}


def objects(bundle: Bundle, namespace: str, *, replaces: str = "") -> tuple[KubeObject, ...]:
    """CRDs, ServiceAccounts, roles, bindings, other manifests, the CSV: each can be created when those before it are
    there.

    `replaces`: the CSV that this one takes the place of; the author's own `replaces` holds for a catalog's graph and is
    left out, as by OLM.
    """
    if not bundle.csv:
        return ()
    head = csv(bundle, namespace, replaces)
    found = [*bundle.crds, *(_placed(item, namespace) for item in bundle.others), *granted(head), head]
    return tuple(sorted((_copy(item) for item in found), key=lambda item: _RANK.get(str(item.get("kind")), 5)))


def csv(bundle: Bundle, namespace: str, replaces: str = "") -> KubeObject:
    """The CSV as an InstallPlan creates it: in its namespace, with the bundle's properties, without status."""
    meta = mapping(bundle.csv.get("metadata"))
    annotations = {**mapping(meta.get("annotations")), PROPERTIES: properties(bundle)}
    labels = {"labels": meta["labels"]} if meta.get("labels") else {}
    spec = {key: value for key, value in mapping(bundle.csv.get("spec")).items() if key != "replaces"}
    if "version" in spec:
        spec["version"] = str(spec["version"])
    return {
        "apiVersion": CSV_API,
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": read(bundle.csv, Object).metadata.name or bundle.name,
            "namespace": namespace,
            **labels,
            "annotations": annotations,
        },
        "spec": {**spec, "replaces": replaces} if replaces else spec,
    }


def properties(bundle: Bundle) -> str:
    """The annotation by which the resolver knows of which package an installed CSV is, and what it provides."""
    found = [
        dict(prop) for prop in bundle.properties if prop.get("type") not in ("olm.bundle.object", "olm.csv.metadata")
    ]
    if not any(item.get("type") == "olm.package" for item in found):
        found.insert(0, {"type": "olm.package", "value": {"packageName": bundle.package, "version": bundle.version}})
    if not any(item.get("type") == "olm.gvk" for item in found):
        found += [{"type": "olm.gvk", "value": value} for value in _provided(bundle)]
    return go_json({"properties": found})


def _provided(bundle: Bundle) -> Iterator[Mapping[str, str]]:
    for crd in bundle.crds:
        spec = read(crd.get("spec"), CustomResourceDefinitionSpec)
        for version in spec.versions:
            yield {"group": spec.group, "kind": spec.names.kind, "version": version.name}


def granted(csv: KubeObject) -> Iterator[KubeObject]:
    """The accounts that the CSV's permissions name (not `default`, which is there), with their roles and bindings."""
    found = read(csv, ClusterServiceVersion)
    name, namespace, strategy = found.metadata.name, found.metadata.namespace, found.spec.install.spec
    for account in strategy.service_accounts:
        if account != "default":
            yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": namespace}}
    for scope, permissions in (("", strategy.permissions), ("Cluster", strategy.cluster_permissions)):
        for permission in permissions:
            account = permission.service_account_name
            rules = [rule(given) for given in permission.rules]
            place = {"namespace": namespace} if scope else {}
            content = {"name": name, **place, "permission": {"serviceAccountName": account, "rules": rules}}
            yield from _pair(
                scope=scope,
                name=digest_name(name if scope else f"{name}-{account}", content),
                csv_name=name,
                namespace=namespace,
                account=account,
                rules=rules,
            )


def _pair(
    scope: str, name: str, csv_name: str, namespace: str, account: str, rules: list[dict[str, Any]]
) -> Iterator[KubeObject]:
    place = {} if scope else {"namespace": namespace}
    owner = {
        "olm.owner": csv_name,
        "olm.owner.namespace": namespace,
        "olm.owner.kind": "ClusterServiceVersion",
    }
    subject = {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    reference = {"apiGroup": RBAC, "kind": f"{scope}Role", "name": name}
    api = f"{RBAC}/v1"
    labels = {**owner, HASH: digest(rules)}
    yield {
        "apiVersion": api,
        "kind": f"{scope}Role",
        "metadata": {"name": name, **place, "labels": labels},
        "rules": rules,
    }
    labels = {**owner, HASH: digest({"RoleRef": reference, "Subjects": [subject]})}
    yield {
        "apiVersion": api,
        "kind": f"{scope}RoleBinding",
        "metadata": {"name": name, **place, "labels": labels},
        "roleRef": reference,
        "subjects": [subject],
    }


def group(namespace: str, targets: Iterable[str], name: str = "") -> KubeObject:
    """The OperatorGroup that a namespace needs; no targets: all namespaces."""
    wanted = [target for target in targets if target]
    spec: dict[str, Any] = {"targetNamespaces": wanted} if wanted else {}
    meta = {"name": name or namespace, "namespace": namespace}
    return {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": meta, "spec": spec}


def mode(namespace: str, targets: Iterable[str]) -> str:
    """The install mode that these targets ask of an operator."""
    wanted = tuple(target for target in targets if target)
    if not wanted:
        return "AllNamespaces"
    if len(wanted) > 1:
        return "MultiNamespace"
    return "OwnNamespace" if wanted == (namespace,) else "SingleNamespace"


def namespaced(obj: Mapping[str, Any]) -> bool:
    """Whether OLM puts an object of this kind into the operator's namespace."""
    return str(obj.get("kind")) not in _CLUSTER_WIDE


def _placed(obj: Mapping[str, Any], namespace: str) -> KubeObject:
    """A bundle's own manifest; whatever namespace its author wrote, OLM takes the operator's."""
    meta = {key: value for key, value in mapping(obj.get("metadata")).items() if key != "namespace"}
    return {**obj, "metadata": {**meta, "namespace": namespace} if namespaced(obj) else meta}


def _copy(obj: Mapping[str, Any]) -> KubeObject:
    """Without what only a server may write."""
    meta = {key: value for key, value in mapping(obj.get("metadata")).items() if key != "creationTimestamp"}
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": meta}


def rule(given: PolicyRule) -> dict[str, Any]:
    """A PolicyRule with its fields in Go's order, empty ones left out: the digest is of this."""
    lists = {
        "apiGroups": given.api_groups,
        "resources": given.resources,
        "resourceNames": given.resource_names,
        "nonResourceURLs": given.non_resource_urls,
    }
    return {"verbs": list(given.verbs), **{key: list(values) for key, values in lists.items() if values}}


def digest_name(base: str, content: Any) -> str:
    """`base` and the digest of the content; the base is cut where both are too long together."""
    found = digest(content, "\n")
    if len(base) + len(found) > _LONGEST:
        base = base[: _LONGEST - len(found) - 1]
    return f"{base}-{found}"


def digest(value: Any, end: str = "") -> str:
    """SHA-224 of the JSON as Go writes it, in base 62. `end`: an encoder of Go closes with a newline."""
    number, found = int.from_bytes(hashlib.sha224((go_json(value) + end).encode()).digest(), "big"), ""
    while number:
        number, rest = divmod(number, 62)
        found = _DIGITS[rest] + found
    return found or "0"


def go_json(value: Any) -> str:
    """JSON without blanks, its angle brackets and ampersands escaped, keys in their order."""
    written = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "".join(_ESCAPED.get(character, character) for character in written)
