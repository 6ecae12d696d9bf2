"""The programs that the node adds to the real cluster's, built and kept in the same way (realcluster/build.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tools.realcluster.build import ALL, DEX, Module, Programs, build

_MODULES = Path(__file__).resolve().parent / "modules"
_CONTROL_PLANE = tuple(module for module in ALL if module.name in ("etcd", "kubernetes"))
_KUBERNETES = next(module for module in ALL if module.name == "kubernetes")

#: Of the same version as the control plane.
NODE = replace(
    _KUBERNETES,
    name="node",
    root=_MODULES,
    programs={"kubelet": "k8s.io/kubernetes/cmd/kubelet", "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy"},
)
#: Programs of images that have nothing else in them, so without a C library.
COREDNS = Module(name="coredns", programs={"coredns": "."}, without_c=True, root=_MODULES)
VOLUMES = Module(
    name="volumes",
    programs={"local-path-provisioner": "github.com/rancher/local-path-provisioner"},
    without_c=True,
    root=_MODULES,
)
PAUSE = Module(name="pause", programs={"pause": "."}, without_c=True, root=_MODULES)
REGISTRY = Module(name="registry", programs={"registry": "."}, without_c=True, root=_MODULES)
_METRICS_VERSION = "v0.9.0"
#: With the same libraries as the control plane and, like it, with C: only 23 packages are compiled for it.
METRICS = Module(
    name="metrics-server",
    programs={"metrics-server": "sigs.k8s.io/metrics-server/cmd/metrics-server"},
    symbols=f"-X k8s.io/component-base/version.gitVersion={_METRICS_VERSION}",
    files={"manifests": ("sigs.k8s.io/metrics-server", ("manifests/base/*.yaml",))},
    root=_MODULES,
)
_TRAEFIK, _CERT_MANAGER = "github.com/traefik/traefik/v3", "github.com/cert-manager/cert-manager"
_HTTP_AUTH, _LEGO, _MUX = "github.com/abbot/go-http-auth", "github.com/go-acme/lego/v5", "github.com/gorilla/mux"
#: Without the clients of AWS and of 200 DNS providers, several of which the Go module proxy doesn't have, and with two
#: modules instead of Traefik's forks of them, which it doesn't have either.
TRAEFIK = Module(
    name="traefik",
    programs={"traefik": f"{_TRAEFIK}/cmd/traefik"},
    symbols=f"-X {_TRAEFIK}/pkg/version.Version=3.7.13",
    files={"roles": (_TRAEFIK, ("docs/content/reference/dynamic-configuration/kubernetes-ingress-nginx-rbac.yml",))},
    patches={_TRAEFIK: "traefik", _LEGO: "lego", _HTTP_AUTH: "http-auth", _MUX: "mux"},
    root=_MODULES,
)
CERT_MANAGER = Module(
    name="cert-manager",
    programs={"cert-manager": "."},
    symbols=f"-X {_CERT_MANAGER}/pkg/util.AppVersion=v1.21.2",
    files={
        "definitions": (_CERT_MANAGER, ("deploy/crds/*.yaml",)),
        "roles": (_CERT_MANAGER, ("deploy/charts/cert-manager/templates/rbac.yaml",)),
    },
    root=_MODULES,
)
#: What acts on the objects of deploy/overlays/public-ingress.
_PUBLIC = (TRAEFIK, CERT_MANAGER)
_NODE = (*_CONTROL_PLANE, NODE, COREDNS, VOLUMES, PAUSE, REGISTRY, METRICS)

_OLM_SOURCE = "github.com/operator-framework/operator-lifecycle-manager"
#: What OLM's image has beside the real cluster's programs, and its manifests. cpb runs in the bundles' own containers,
#: which have no C library.
OLM_TOOLS = Module(
    name="olm-tools",
    programs={"cpb": f"{_OLM_SOURCE}/util/cpb", "copy-content": f"{_OLM_SOURCE}/cmd/copy-content"},
    files={"manifests": (_OLM_SOURCE, ("deploy/upstream/quickstart/olm.yaml",))},
    without_c=True,
    inside="olm",
)
#: The readiness probe that OLM gives a catalog's container.
PROBE = Module(
    name="health-probe",
    programs={"grpc_health_probe": "github.com/grpc-ecosystem/grpc-health-probe"},
    without_c=True,
    root=_MODULES,
)
_OLMV1_SOURCE = "github.com/operator-framework/operator-controller"
#: OLM v1's two programs, and its own manifests as folders of kustomize.
OLMV1 = Module(
    name="olmv1",
    programs={
        "operator-controller": f"{_OLMV1_SOURCE}/cmd/operator-controller",
        "catalogd": f"{_OLMV1_SOURCE}/cmd/catalogd",
    },
    flags=("-tags", "containers_image_openpgp"),
    files={"manifests": (_OLMV1_SOURCE, ("config",))},
    root=_MODULES,
)
OLM_VERSIONS = ("v0", "v1")
_OF_OLM = {
    "v0": (*(module for module in ALL if module.name == "olm"), OLM_TOOLS),
    "v1": (OLMV1,),
}
#: Of the catalog, which both versions read.
_OPM = (*(module for module in ALL if module.name == "opm"), PROBE)

_ARGOCD_OPERATOR, _ARGOCD = "github.com/argoproj-labs/argocd-operator", "github.com/argoproj/argo-cd/v3"
#: Argo CD, one program that acts by its name, and files of its image, of its operator's image and of the bundle. It is
#: linked statically, since an init container copies it into dex's container, which has no C library; and compiled with
#: C, like the operator, whose packages it shares.
ARGOCD = Module(
    name="argo-cd",
    programs={"argocd": f"{_ARGOCD}/cmd"},
    symbols=f"-X {_ARGOCD}/common.version=3.3.10 -linkmode=external -extldflags=-static",
    files={
        "scripts": (_ARGOCD, ("entrypoint.sh", "hack/gpg-wrapper.sh", "hack/git-verify-wrapper.sh")),
        "redis": (_ARGOCD_OPERATOR, ("build/redis/*.tpl",)),
        "bundle": (_ARGOCD_OPERATOR, ("bundle/manifests", "bundle/metadata")),
    },
    inside="argocd",
    root=_MODULES,
)
_OF_ARGOCD = (ARGOCD, *(module for module in (*ALL, DEX) if module.name in ("argocd", "dex")))


def build_programs(say: Callable[[str], None], *, olm: tuple[str, ...] = (), public: bool = False) -> Programs:
    """Builds what is missing; BuildFailed. ``olm``: of these versions of OLM. ``public``: of the overlays public-…."""
    modules = [
        *_NODE,
        *(_PUBLIC if public else ()),
        *(module for version in olm for module in _OF_OLM[version]),
        *(_OPM if olm else ()),
    ]
    return build(say, tuple(modules), lock="lock-node")


def build_argocd(say: Callable[[str], None]) -> Programs:
    """Argo CD, its operator and dex; BuildFailed."""
    return build(say, _OF_ARGOCD, lock="lock-argocd")
