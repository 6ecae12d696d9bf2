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
        group=group,
        version=version,
        plural=plural,
        kind=kind,
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
    _make(
        group="",
        version="v1",
        plural="pods",
        kind="Pod",
        flags="sg",
        short="po",
        categories="all",
        subresources=_POD_SUBRESOURCES,
    ),
    _make(
        group="",
        version="v1",
        plural="services",
        kind="Service",
        flags="s",
        short="svc",
        categories="all",
        subresources=(("proxy", "v1/ServiceProxyOptions", _PROXY),),
    ),
    _make(
        group="",
        version="v1",
        plural="endpoints",
        kind="Endpoints",
        flags="",
        short="ep",
        deprecation="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ),
    _make(group="", version="v1", plural="configmaps", kind="ConfigMap", flags="", short="cm"),
    _make("", "v1", "secrets", "Secret"),
    _make(
        group="",
        version="v1",
        plural="serviceaccounts",
        kind="ServiceAccount",
        flags="",
        short="sa",
        subresources=(("token", "authentication.k8s.io/v1/TokenRequest", ("create",)),),
    ),
    _make(
        group="", version="v1", plural="persistentvolumeclaims", kind="PersistentVolumeClaim", flags="s", short="pvc"
    ),
    _make(group="", version="v1", plural="persistentvolumes", kind="PersistentVolume", flags="cs", short="pv"),
    _make(
        group="",
        version="v1",
        plural="namespaces",
        kind="Namespace",
        flags="cs",
        short="ns",
        verbs=tuple(verb for verb in ALL_VERBS if verb != "deletecollection"),
        subresources=(("finalize", "v1/Namespace", ("update",)),),
    ),
    _make(
        group="",
        version="v1",
        plural="nodes",
        kind="Node",
        flags="cs",
        short="no",
        subresources=(("proxy", "v1/NodeProxyOptions", _PROXY),),
    ),
    _make(group="", version="v1", plural="events", kind="Event", flags="", short="ev"),
    _make(
        group="",
        version="v1",
        plural="replicationcontrollers",
        kind="ReplicationController",
        flags="sg",
        short="rc",
        categories="all",
        scale=_SCALE,
    ),
    _make("", "v1", "podtemplates", "PodTemplate", "g"),
    _make(group="", version="v1", plural="limitranges", kind="LimitRange", flags="", short="limits"),
    _make(group="", version="v1", plural="resourcequotas", kind="ResourceQuota", flags="s", short="quota"),
    _make(
        group="apps",
        version="v1",
        plural="deployments",
        kind="Deployment",
        flags="sg",
        short="deploy",
        categories="all",
        scale=_SCALE,
    ),
    _make(
        group="apps",
        version="v1",
        plural="statefulsets",
        kind="StatefulSet",
        flags="sg",
        short="sts",
        categories="all",
        scale=_SCALE,
    ),
    _make(
        group="apps",
        version="v1",
        plural="replicasets",
        kind="ReplicaSet",
        flags="sg",
        short="rs",
        categories="all",
        scale=_SCALE,
    ),
    _make(group="apps", version="v1", plural="daemonsets", kind="DaemonSet", flags="sg", short="ds", categories="all"),
    _make("apps", "v1", "controllerrevisions", "ControllerRevision"),
    _make(group="batch", version="v1", plural="jobs", kind="Job", flags="sg", short="", categories="all"),
    _make(group="batch", version="v1", plural="cronjobs", kind="CronJob", flags="sg", short="cj", categories="all"),
    _make("rbac.authorization.k8s.io", "v1", "roles", "Role"),
    _make("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"),
    _make("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", "c"),
    _make("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", "c"),
    _make(group="storage.k8s.io", version="v1", plural="storageclasses", kind="StorageClass", flags="c", short="sc"),
    _make(
        group="apiextensions.k8s.io",
        version="v1",
        plural="customresourcedefinitions",
        kind="CustomResourceDefinition",
        flags="csg",
        short="crd crds",
        categories="api-extensions",
    ),
    _make(
        group="apiregistration.k8s.io",
        version="v1",
        plural="apiservices",
        kind="APIService",
        flags="cs",
        short="",
        categories="api-extensions",
    ),
    _make(group="events.k8s.io", version="v1", plural="events", kind="Event", flags="", short="ev", shares="events"),
    _make("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", "g"),
    _make(group="networking.k8s.io", version="v1", plural="ingresses", kind="Ingress", flags="sg", short="ing"),
    _make("networking.k8s.io", "v1", "ingressclasses", "IngressClass", "cg"),
    _make(
        group="networking.k8s.io",
        version="v1",
        plural="networkpolicies",
        kind="NetworkPolicy",
        flags="g",
        short="netpol",
    ),
    _make(
        group="policy", version="v1", plural="poddisruptionbudgets", kind="PodDisruptionBudget", flags="sg", short="pdb"
    ),
    _make(
        group="autoscaling",
        version="v2",
        plural="horizontalpodautoscalers",
        kind="HorizontalPodAutoscaler",
        flags="s",
        short="hpa",
        categories="all",
    ),
    _make("coordination.k8s.io", "v1", "leases", "Lease"),
    _make(
        group="admissionregistration.k8s.io",
        version="v1",
        plural="mutatingwebhookconfigurations",
        kind="MutatingWebhookConfiguration",
        flags="cg",
        short="",
        categories="api-extensions",
    ),
    _make(
        group="admissionregistration.k8s.io",
        version="v1",
        plural="validatingwebhookconfigurations",
        kind="ValidatingWebhookConfiguration",
        flags="cg",
        short="",
        categories="api-extensions",
    ),
    _make(
        group="scheduling.k8s.io", version="v1", plural="priorityclasses", kind="PriorityClass", flags="cg", short="pc"
    ),
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
    """All built-in resources."""
    return list(BUILTIN)
