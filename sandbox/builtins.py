"""The resources that the sandbox serves without any CustomResourceDefinition, as kube-apiserver 1.36 describes them."""

from __future__ import annotations

from .resources import ALL_VERBS, Resource, Scale

_SCALE = Scale()
_SELECTOR_SCALE = Scale(selector=".status.selector")
_REVIEW = ("create",)


def _make(
    group: str,
    version: str,
    plural: str,
    kind: str,
    flags: str = "",
    short: str = "",
    categories: str = "",
    scale: Scale | None = None,
    verbs: tuple[str, ...] = ALL_VERBS,
    subresources: tuple[tuple[str, str, tuple[str, ...]], ...] = (),
    shares: str = "",
    deprecation: str = "",
) -> Resource:
    """``flags``: c = cluster scope, s = status subresource, g = counts generations."""
    return Resource(
        group,
        version,
        plural,
        kind,
        namespaced="c" not in flags,
        singular=kind.lower(),
        short_names=tuple(short.split()),
        categories=tuple(categories.split()),
        verbs=verbs,
        status="s" in flags,
        scale=scale,
        generations="g" in flags,
        subresources=subresources,
        shares=shares,
        deprecation=deprecation,
    )


_STREAM = ("create", "get")
_PROXY = ("create", "delete", "get", "patch", "update")
_POD_SUBRESOURCES = (
    ("attach", "v1/PodAttachOptions", _STREAM),
    ("binding", "v1/Binding", ("create",)),
    ("ephemeralcontainers", "v1/Pod", ("get", "patch", "update")),
    ("eviction", "policy/v1/Eviction", ("create",)),
    ("exec", "v1/PodExecOptions", _STREAM),
    ("log", "v1/Pod", ("get",)),
    ("portforward", "v1/PodPortForwardOptions", _STREAM),
    ("proxy", "v1/PodProxyOptions", _PROXY),
)

BUILTIN: tuple[Resource, ...] = (
    _make("", "v1", "pods", "Pod", "sg", "po", "all", subresources=_POD_SUBRESOURCES),
    _make(
        "", "v1", "services", "Service", "s", "svc", "all", subresources=(("proxy", "v1/ServiceProxyOptions", _PROXY),)
    ),
    _make(
        "",
        "v1",
        "endpoints",
        "Endpoints",
        "",
        "ep",
        deprecation="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ),
    _make("", "v1", "configmaps", "ConfigMap", "", "cm"),
    _make("", "v1", "secrets", "Secret"),
    _make(
        "",
        "v1",
        "serviceaccounts",
        "ServiceAccount",
        "",
        "sa",
        subresources=(("token", "authentication.k8s.io/v1/TokenRequest", ("create",)),),
    ),
    _make("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", "s", "pvc"),
    _make("", "v1", "persistentvolumes", "PersistentVolume", "cs", "pv"),
    _make(
        "",
        "v1",
        "namespaces",
        "Namespace",
        "cs",
        "ns",
        verbs=tuple(verb for verb in ALL_VERBS if verb != "deletecollection"),
        subresources=(("finalize", "v1/Namespace", ("update",)),),
    ),
    _make("", "v1", "nodes", "Node", "cs", "no", subresources=(("proxy", "v1/NodeProxyOptions", _PROXY),)),
    _make("", "v1", "events", "Event", "", "ev"),
    _make("", "v1", "replicationcontrollers", "ReplicationController", "sg", "rc", "all", _SCALE),
    _make("", "v1", "podtemplates", "PodTemplate", "g"),
    _make("", "v1", "limitranges", "LimitRange", "", "limits"),
    _make("", "v1", "resourcequotas", "ResourceQuota", "s", "quota"),
    _make("apps", "v1", "deployments", "Deployment", "sg", "deploy", "all", _SCALE),
    _make("apps", "v1", "statefulsets", "StatefulSet", "sg", "sts", "all", _SCALE),
    _make("apps", "v1", "replicasets", "ReplicaSet", "sg", "rs", "all", _SCALE),
    _make("apps", "v1", "daemonsets", "DaemonSet", "sg", "ds", "all"),
    _make("apps", "v1", "controllerrevisions", "ControllerRevision"),
    _make("batch", "v1", "jobs", "Job", "sg", "", "all"),
    _make("batch", "v1", "cronjobs", "CronJob", "sg", "cj", "all"),
    _make("rbac.authorization.k8s.io", "v1", "roles", "Role"),
    _make("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"),
    _make("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", "c"),
    _make("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", "c"),
    _make("storage.k8s.io", "v1", "storageclasses", "StorageClass", "c", "sc"),
    _make(
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        "CustomResourceDefinition",
        "csg",
        "crd crds",
        "api-extensions",
    ),
    _make("apiregistration.k8s.io", "v1", "apiservices", "APIService", "cs", "", "api-extensions"),
    _make("events.k8s.io", "v1", "events", "Event", "", "ev", shares="events"),
    _make("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", "g"),
    _make("networking.k8s.io", "v1", "ingresses", "Ingress", "sg", "ing"),
    _make("networking.k8s.io", "v1", "ingressclasses", "IngressClass", "cg"),
    _make("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", "g", "netpol"),
    _make("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", "sg", "pdb"),
    _make("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", "s", "hpa", "all"),
    _make("coordination.k8s.io", "v1", "leases", "Lease"),
    _make(
        "admissionregistration.k8s.io",
        "v1",
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
        "cg",
        "",
        "api-extensions",
    ),
    _make(
        "admissionregistration.k8s.io",
        "v1",
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
        "cg",
        "",
        "api-extensions",
    ),
    _make("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", "cg", "pc"),
    _make("authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", "c", verbs=_REVIEW),
    _make("authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", "c", verbs=_REVIEW),
    _make("authorization.k8s.io", "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", "", verbs=_REVIEW),
    _make("authorization.k8s.io", "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", "c", verbs=_REVIEW),
    _make("authentication.k8s.io", "v1", "tokenreviews", "TokenReview", "c", verbs=_REVIEW),
    _make("authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", "c", verbs=_REVIEW),
)

#: The order that kube-apiserver gives its groups in discovery; CRD groups follow by name.
GROUP_ORDER = (
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
)


def builtin() -> list[Resource]:
    """All of them."""
    return list(BUILTIN)
