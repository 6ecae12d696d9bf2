"""What an embedded cluster is given so that it looks like others: OpenShift, k3s, very many kinds or namespaces, parts
that don't answer.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from kube.client import ClusterClient
from tests.eventually import until

TYPES, NAMESPACES = 300, 5_000
_DEFINITIONS = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")


def many_types(client: ClusterClient) -> None:
    """300 definitions in 30 groups, and an object of each tenth."""
    made = [_definition(f"group{number % 30:02}.example.com", f"Thing{number:03}") for number in range(TYPES)]
    _create(client, _DEFINITIONS, made)
    for definition in made[::10]:
        _create_when_served(client, definition, {"metadata": {"name": "one"}, "spec": {"size": 1}}, "default")


def many_namespaces(client: ClusterClient) -> None:
    """5,000 namespaces of teams, beside those of the system."""
    names = [{"metadata": {"name": f"team-{number:04}"}} for number in range(NAMESPACES)]
    _create(client, ("", "v1", "namespaces"), names)


def openshift(client: ClusterClient) -> None:
    """OpenShift's own kinds and namespaces, operators of the cluster in trouble, a Route, a Project, a constraint.

    As OpenShift 4.17 has them: https://github.com/openshift/api
    """
    spaces = [{"metadata": {"name": f"openshift-{name}"}} for name in ("apiserver", "dns", "ingress", "marketplace")]
    _create(client, ("", "v1", "namespaces"), [*spaces, {"metadata": {"name": "shop"}}])
    config, plain = "config.openshift.io", partial(_definition, namespaced=False)
    version = {
        "history": [{"state": "Completed", "version": "4.17.9"}],
        "conditions": [_condition("Available", "True")],
    }
    degraded = [
        _condition("Available", "False", "OAuthDown", "the route isn't admitted"),
        _condition("Degraded", "True"),
    ]
    route = {"host": "shop.apps.example.com", "to": {"kind": "Service", "name": "shop"}}
    made: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        (plain(config, "ClusterVersion"), {"metadata": {"name": "version"}, "status": version}, ""),
        (plain(config, "ClusterOperator"), {"metadata": {"name": "dns"}, "status": {"conditions": degraded}}, ""),
        (plain(config, "Infrastructure"), {"metadata": {"name": "cluster"}, "status": {"platform": "AWS"}}, ""),
        (plain("project.openshift.io", "Project"), {"metadata": {"name": "shop"}, "status": {"phase": "Active"}}, ""),
        (
            plain("security.openshift.io", "SecurityContextConstraints", plural="securitycontextconstraints"),
            {"metadata": {"name": "restricted-v2"}, "allowPrivilegedContainer": False, "users": None, "volumes": ["*"]},
            "",
        ),
        (
            _definition("route.openshift.io", "Route"),
            {"metadata": {"name": "shop"}, "spec": route, "status": {"ingress": None}},
            "shop",
        ),
    ]
    _create(client, _DEFINITIONS, [definition for definition, _obj, _namespace in made])
    for definition, obj, namespace in made:
        _create_when_served(client, definition, obj, namespace)


def k3s(client: ClusterClient) -> None:
    """k3s' kinds and what it deploys: charts, add-ons, Traefik's routes; a node that is server and agent at once."""
    made: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (
            _definition("helm.cattle.io", "HelmChart"),
            {
                "metadata": {"name": "traefik", "finalizers": ["wrangler.cattle.io/on-helm-chart-remove"]},
                "spec": {"chart": "https://%{KUBERNETES_API}%/static/charts/traefik.tgz", "set": None},
                "status": {"jobName": "helm-install-traefik"},
            },
        ),
        (
            _definition("k3s.cattle.io", "Addon"),
            {"metadata": {"name": "coredns"}, "spec": {"source": "/var/lib/rancher", "checksum": "1"}, "status": {}},
        ),
        (
            _definition("traefik.io", "IngressRoute"),
            {"metadata": {"name": "dashboard"}, "spec": {"routes": [{"match": "PathPrefix(`/dashboard`)"}]}},
        ),
    ]
    _create(client, _DEFINITIONS, [definition for definition, _obj in made])
    for definition, obj in made:
        _create_when_served(client, definition, obj, "kube-system")
    roles = {f"node-role.kubernetes.io/{role}": "true" for role in ("control-plane", "etcd", "master")}
    _create(client, ("", "v1", "nodes"), [{"metadata": {"name": "k3s-server-0", "labels": roles}}])


def broken(client: ClusterClient) -> None:
    """Parts that don't answer: the server of a group, the converter of a kind, the webhook for every ConfigMap; and a
    definition whose names another one has.
    """
    service = {"namespace": "default", "name": "nothing"}
    group = {"group": "custom.metrics.k8s.io", "version": "v1beta1", "service": service, "insecureSkipTLSVerify": True}
    api_service = {
        "metadata": {"name": "v1beta1.custom.metrics.k8s.io"},
        "spec": group | {"groupPriorityMinimum": 100, "versionPriority": 100},
    }
    _create(client, ("apiregistration.k8s.io", "v1", "apiservices"), [api_service])

    converted = _definition("broken.example.com", "Converted")
    _create(client, _DEFINITIONS, [converted, _definition("broken.example.com", "Taken")])
    _create_when_served(client, converted, {"metadata": {"name": "one"}, "spec": {"size": 1}}, "default")
    definitions = client.find(*_DEFINITIONS)
    found = client.get(definitions, converted["metadata"]["name"])
    (stored,) = found["spec"]["versions"]
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service | {"path": "/convert"}}}
    changed = {
        "versions": [stored, {**stored, "name": "v1beta1", "storage": False}],
        "conversion": {"strategy": "Webhook", "webhook": webhook},
    }
    client.replace(definitions, {**found, "spec": found["spec"] | changed})
    _create(client, _DEFINITIONS, [_definition("broken.example.com", "Taken", plural="takens2")])

    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    hook = {
        "name": "down.example.com",
        "rules": [rule],
        "clientConfig": {"service": service},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
    }
    hooks = ("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations")
    _create(client, hooks, [{"metadata": {"name": "down"}, "webhooks": [hook]}])


SHAPES: Mapping[str, Callable[[ClusterClient], None]] = {
    "many kinds": many_types,
    "many namespaces": many_namespaces,
    "OpenShift": openshift,
    "k3s": k3s,
    "broken": broken,
}


def _definition(group: str, kind: str, *, namespaced: bool = True, plural: str = "") -> dict[str, Any]:
    """Of any fields, as most kinds of the shapes have more than a test needs."""
    plural = plural or f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced" if namespaced else "Cluster",
            "versions": [version],
        },
    }


def _condition(type_: str, status: str, reason: str = "AsExpected", message: str = "") -> dict[str, str]:
    since = "2026-01-02T03:04:05Z"
    return {"type": type_, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}


def _create(client: ClusterClient, kind: tuple[str, str, str], objects: Iterable[dict[str, Any]]) -> None:
    type_ = client.find(*kind)
    with ThreadPoolExecutor(8) as workers:
        list(workers.map(lambda obj: client.create(type_, obj), objects))


def _create_when_served(client: ClusterClient, definition: dict[str, Any], obj: dict[str, Any], namespace: str) -> None:
    spec = definition["spec"]

    def served() -> bool:
        client.forget_types()
        found = (spec["group"], spec["names"]["plural"])
        return any((type_.group, type_.plural) == found for type_ in client.types())

    until(served)
    type_ = client.find(spec["group"], "v1", spec["names"]["plural"])
    client.create(type_, {"apiVersion": f"{spec['group']}/v1", "kind": spec["names"]["kind"], **obj}, namespace)
