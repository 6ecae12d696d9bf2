"""OLM on the real cluster: its CRDs and objects as upstream has them, its three programs, and the catalog behind
opm.
"""

from __future__ import annotations

import base64
import os
import shutil
from pathlib import Path

import yaml

from .build import Programs
from .catalog import Catalog
from .layout import Layout
from .process import ClusterPart, listens

NAMESPACE = "olm"
_PACKAGES = "packages.operators.coreos.com"
#: Served as soon as the CRDs of the objects below are established.
TYPES = tuple(
    f"/apis/operators.coreos.com/{path}" for path in ("v1/olmconfigs", "v1/operatorgroups", "v1alpha1/catalogsources")
)


def objects() -> list[dict[str, object]]:
    """What upstream's chart creates beside the CRDs and programs."""
    group = {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup"}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "operators"}},
        {"apiVersion": "operators.coreos.com/v1", "kind": "OLMConfig", "metadata": {"name": "cluster"}},
        {**group, "metadata": {"name": "global-operators", "namespace": "operators"}},
        {
            **group,
            "metadata": {"name": "olm-operators", "namespace": NAMESPACE},
            "spec": {"targetNamespaces": [NAMESPACE]},
        },
        _role(
            "edit",
            [
                _rule("operators.coreos.com", ["subscriptions"], ["create", "update", "patch", "delete"]),
                _rule(
                    "operators.coreos.com",
                    ["clusterserviceversions", "catalogsources", "installplans", "subscriptions"],
                    ["delete"],
                ),
            ],
        ),
        _role(
            "view",
            [
                _rule(
                    "operators.coreos.com",
                    ["clusterserviceversions", "catalogsources", "installplans", "subscriptions", "operatorgroups"],
                    ["get", "list", "watch"],
                ),
                _rule(_PACKAGES, ["packagemanifests", "packagemanifests/icon"], ["get", "list", "watch"]),
            ],
        ),
    ]


def _rule(group: str, resources: list[str], verbs: list[str]) -> dict[str, list[str]]:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


def _role(name: str, rules: list[dict[str, list[str]]]) -> dict[str, object]:
    roles = ("admin", "edit", "view") if name == "view" else ("admin", "edit")
    labels = {f"rbac.authorization.k8s.io/aggregate-to-{role}": "true" for role in roles}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": f"aggregate-olm-{name}", "labels": labels},
        "rules": rules,
    }


def catalog_source(name: str, item: Catalog, port: int) -> dict[str, object]:
    """A CatalogSource with an address needs no registry Pod."""
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "sourceType": "grpc",
            "address": f"127.0.0.1:{port}",
            "displayName": item.title,
            "publisher": item.publisher,
        },
    }


def package_service(layout: Layout) -> list[dict[str, object]]:
    """How the API server finds the package server: an ExternalName that is this machine."""
    authority = base64.b64encode(layout.authority.certificate.read_bytes()).decode()
    service = {"name": "packageserver-service", "namespace": NAMESPACE}
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": service,
            "spec": {"type": "ExternalName", "externalName": "localhost"},
        },
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": f"v1.{_PACKAGES}"},
            "spec": {
                "group": _PACKAGES,
                "version": "v1",
                "groupPriorityMinimum": 2000,
                "versionPriority": 15,
                "caBundle": authority,
                "service": {**service, "port": layout.ports["package-server"]},
            },
        },
    ]


def registry(layout: Layout, programs: Programs, name: str, port: int, folder: Path) -> ClusterPart:
    # A copy, since opm locks its cache, and another cluster may serve the same catalog.
    cache_copy = layout.data / "opm" / name
    shutil.copytree(folder / "cache", cache_copy)
    command = (
        str(programs.path("opm")),
        "serve",
        str(folder / "configs"),
        f"--port={port}",
        f"--cache-dir={cache_copy}",
        "--cache-enforce-integrity=false",
        "--pprof-addr=",  # else every one of them wants the same port
        f"--termination-log={layout.data / 'logs' / name}.termination",
    )
    return ClusterPart(name=f"opm-{name}", command=command, ready=lambda: listens(port), seconds=120)


def operator(layout: Layout, programs: Programs) -> ClusterPart:
    kubeconfig = str(layout.data / "olm.kubeconfig")
    command = (str(programs.path("olm")), "--writeStatusName", "", "--writePackageServerStatusName", "")
    environment = {"OPERATOR_NAMESPACE": NAMESPACE, "OPERATOR_NAME": "olm-operator", "KUBECONFIG": kubeconfig}
    return ClusterPart(name="olm", command=command, ready=lambda: True, environment=environment)


def catalog(layout: Layout, programs: Programs) -> ClusterPart:
    kubeconfig = str(layout.data / "olm.kubeconfig")
    images = ("--configmapServerImage=none", "--opmImage=none", "--util-image=none")
    command = (
        str(programs.path("catalog")),
        f"--kubeconfig={kubeconfig}",
        f"--namespace={NAMESPACE}",
        *images,
        "--writeStatusName=",
    )
    return ClusterPart(name="catalog", command=command, ready=lambda: True, environment={"KUBECONFIG": kubeconfig})


def package_server(layout: Layout, programs: Programs) -> ClusterPart:
    """It reads part of its configuration in-cluster only: so it runs where /run holds a service account's files, for
    itself alone.
    """
    script = layout.data / "package-server.sh"
    port = layout.ports["package-server"]
    account = "/run/secrets/kubernetes.io/serviceaccount"
    script.write_text(
        "set -e\n"
        "mount -t tmpfs tmpfs /run\n"
        f"mkdir -p {account}\n"
        f"printf %s '{layout.token}' > {account}/token\n"
        f"cp '{layout.pki('ca.crt')}' {account}/ca.crt\n"
        f"printf %s {NAMESPACE} > {account}/namespace\n"
        f"exec '{programs.path('package-server')}' --secure-port={port} --global-namespace={NAMESPACE} "
        f"--kubeconfig='{layout.data / 'olm.kubeconfig'}' --tls-cert-file='{layout.pki('package-server.crt')}' "
        f"--tls-private-key-file='{layout.pki('package-server.key')}'\n"
    )
    script.chmod(0o600)
    command = ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)), "sh", str(script))
    environment = {
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(layout.ports["apiserver"]),
    }
    return ClusterPart(name="package-server", command=command, ready=lambda: listens(port), environment=environment)


def crds(programs: Programs) -> list[dict[str, object]]:
    """OLM's own types, from its module."""
    return [yaml.safe_load(path.read_text()) for path in programs.data("olm", "crds")]
