"""The rights that the ServiceAccount of a ClusterExtension needs, computed from the bundle. Pure.

OLM v1 does everything with that account: it must be allowed to make each object, to read and change it later, and may
grant the operator no more than it holds itself. The rights are bound to the objects' names where those are known; names
that OLM makes up (roles, bindings) are left open, so that an upgrade goes.
https://operator-framework.github.io/operator-controller/howto/derive-service-account/
"""

from collections.abc import Iterable, Iterator
from typing import Any

from kube.objects import KubeObject, name_of
from operatorhub import direct
from operatorhub.bundle.bundles import Bundle
from operatorhub.csv import items, mapping, text
from operatorhub.extensions.facts import GROUP

#: Plurals of what bundles bring, and of what OLM makes of a CSV.
_PLURALS = {
    "CustomResourceDefinition": "customresourcedefinitions",
    "ServiceAccount": "serviceaccounts",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Deployment": "deployments",
    "Service": "services",
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "PriorityClass": "priorityclasses",
    "NetworkPolicy": "networkpolicies",
    "ServiceMonitor": "servicemonitors",
    "PrometheusRule": "prometheusrules",
    "ConsoleCLIDownload": "consoleclidownloads",
    "ConsoleLink": "consolelinks",
    "ConsoleQuickStart": "consolequickstarts",
    "ConsoleYAMLSample": "consoleyamlsamples",
    "VerticalPodAutoscaler": "verticalpodautoscalers",
}
_RBAC = "rbac.authorization.k8s.io"
_ANY, _NAMED = ["create", "list", "watch"], ["get", "update", "patch", "delete"]
Rule = dict[str, Any]


def objects(bundles: Iterable[Bundle], extension: str, namespace: str, account: str) -> tuple[KubeObject, ...]:
    """The account, its roles and their bindings.

    Of several bundles (the installed one and the next) the rights of all.
    """
    found = list(bundles)
    cluster, inside = [*_own(extension), *_merged(found, namespaced=False)], [*_merged(found, namespaced=True)]
    cluster += [rule for bundle in found for rule in _granted(bundle) if rule not in cluster]
    name = f"{extension}-installer"[:253]
    subject = [{"kind": "ServiceAccount", "name": account, "namespace": namespace}]
    meta, place = {"name": name}, {"name": name, "namespace": namespace}
    return (
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": namespace}},
        {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": meta, "rules": cluster},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": meta,
            "subjects": subject,
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
        },
        {"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": place, "rules": inside},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": place,
            "subjects": subject,
            "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": name},
        },
    )


def _own(extension: str) -> Iterator[Rule]:
    """To set owner references that block the extension's deletion."""
    yield {
        "apiGroups": [GROUP],
        "resources": ["clusterextensions/finalizers"],
        "resourceNames": [extension],
        "verbs": ["update"],
    }


def _merged(bundles: list[Bundle], *, namespaced: bool) -> Iterator[Rule]:
    """Two rules for each resource: what can't be bound to a name, and what can."""
    names: dict[tuple[str, str], list[str]] = {}
    for bundle in bundles:
        for group, kind, name in _brought(bundle):
            if direct.namespaced({"kind": kind}) == namespaced:
                known = names.setdefault((group, _PLURALS.get(kind, kind.lower() + "s")), [])
                if name and name not in known:
                    known.append(name)
    for (group, plural), known in names.items():
        if known:
            yield {"apiGroups": [group], "resources": [plural], "verbs": _ANY}
            yield {"apiGroups": [group], "resources": [plural], "resourceNames": known, "verbs": _NAMED}
        else:
            yield {"apiGroups": [group], "resources": [plural], "verbs": [*_ANY, *_NAMED]}


def _brought(bundle: Bundle) -> Iterator[tuple[str, str, str]]:
    """(group, kind, name) of everything that OLM v1 makes of a bundle; the name '' where OLM makes it up."""
    made = [item for item in direct.objects(bundle, "x") if item["kind"] != "ClusterServiceVersion"]
    roles = any(
        item["kind"] in ("Role", "ClusterRole") and direct.HASH in mapping(item["metadata"].get("labels"))
        for item in made
    )
    for obj in made:
        if direct.HASH in mapping(obj["metadata"].get("labels")):
            continue
        yield (
            text(obj.get("apiVersion")).rpartition("/")[0],
            obj["kind"],
            "" if obj["kind"].startswith("ClusterRole") else name_of(obj),
        )
    if roles:
        # Watching all namespaces, all of its rights become cluster-wide.
        yield _RBAC, "ClusterRole", ""
        yield _RBAC, "ClusterRoleBinding", ""
    for deployment in items(direct.strategy(bundle.csv).get("deployments")):
        yield "apps", "Deployment", text(deployment.get("name"))


def _granted(bundle: Bundle) -> Iterator[Rule]:
    """What the operator gets, so that the account may give it."""
    asked = direct.strategy(bundle.csv)
    for scope in ("clusterPermissions", "permissions"):
        for item in items(asked.get(scope)):
            yield from (dict(rule) for rule in items(item.get("rules")))
    if any(True for _one in items(asked.get("permissions"))):
        yield {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list", "watch"]}
    for other in bundle.others:
        if other.get("kind") in ("ClusterRole", "Role"):
            yield from (dict(rule) for rule in items(other.get("rules")))
