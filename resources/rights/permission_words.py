"""Words a permission as a sentence for readers who never wrote a Role. Pure."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

_MOST = 12
# Kubernetes' own resources by the names people know; others are shown as they are written.
_KINDS = {
    "": (
        "Bindings ComponentStatuses ConfigMaps Endpoints Events LimitRanges Namespaces Nodes PersistentVolumeClaims"
        " PersistentVolumes Pods PodTemplates ReplicationControllers ResourceQuotas Secrets ServiceAccounts Services"
    ),
    "apps": "ControllerRevisions DaemonSets Deployments ReplicaSets StatefulSets",
    "batch": "CronJobs Jobs",
    "autoscaling": "HorizontalPodAutoscalers",
    "policy": "PodDisruptionBudgets PodSecurityPolicies",
    "networking.k8s.io": "Ingresses IngressClasses NetworkPolicies",
    "discovery.k8s.io": "EndpointSlices",
    "coordination.k8s.io": "Leases",
    "storage.k8s.io": "StorageClasses VolumeAttachments CSIDrivers CSINodes",
    "scheduling.k8s.io": "PriorityClasses",
    "rbac.authorization.k8s.io": "Roles RoleBindings ClusterRoles ClusterRoleBindings",
    "apiextensions.k8s.io": "CustomResourceDefinitions",
    "apiregistration.k8s.io": "APIServices",
    "admissionregistration.k8s.io": "MutatingWebhookConfigurations ValidatingWebhookConfigurations",
    "authentication.k8s.io": "TokenReviews",
    "authorization.k8s.io": "SubjectAccessReviews LocalSubjectAccessReviews SelfSubjectAccessReviews",
    "certificates.k8s.io": "CertificateSigningRequests",
    "events.k8s.io": "Events",
    "operators.coreos.com": "ClusterServiceVersions Subscriptions InstallPlans CatalogSources OperatorGroups",
    "monitoring.coreos.com": "ServiceMonitors PodMonitors PrometheusRules",
    "route.openshift.io": "Routes",
    "security.openshift.io": "SecurityContextConstraints",
}
NAMES = {(group, kind.lower()): kind for group, kinds in _KINDS.items() for kind in kinds.split()}
# Those that live in no namespace: "in every namespace" would be wrong of them.
_WITHOUT_NAMESPACE = (
    "nodes namespaces persistentvolumes clusterroles clusterrolebindings customresourcedefinitions apiservices"
    " storageclasses volumeattachments csidrivers csinodes priorityclasses mutatingwebhookconfigurations"
    " validatingwebhookconfigurations tokenreviews subjectaccessreviews selfsubjectaccessreviews"
    " certificatesigningrequests ingressclasses podsecuritypolicies securitycontextconstraints componentstatuses users"
    " groups"
)
_WHOLE = frozenset(_WITHOUT_NAMESPACE.split())


def sentence(
    scope: str,
    verbs: Sequence[str],
    groups: Sequence[str],
    resources: Sequence[str],
    names: Sequence[str],
    urls: Sequence[str],
) -> str:
    """In the reader's language, without a full stop."""
    if urls:
        return _("Can %(verbs)s the API server paths %(urls)s") % {"verbs": _doing(verbs), "urls": _listed(urls)}
    values = {"verbs": _doing(verbs), "resources": _what(groups, resources), "names": _listed(names)}
    if scope != "cluster":
        text = (
            _("Can %(verbs)s %(resources)s named %(names)s in the namespaces it watches")
            if names
            else _("Can %(verbs)s %(resources)s in the namespaces it watches")
        )
    elif all(
        (group, resource.partition("/")[0]) in NAMES and resource.partition("/")[0] not in _WHOLE
        for group in groups
        for resource in resources
    ):
        text = (
            _("Can %(verbs)s %(resources)s named %(names)s in all namespaces")
            if names
            else _("Can %(verbs)s %(resources)s in all namespaces")
        )
    else:
        text = (
            _("Can %(verbs)s %(resources)s named %(names)s in the whole cluster")
            if names
            else _("Can %(verbs)s %(resources)s in the whole cluster")
        )
    return text % values


def plain(
    verbs: Sequence[str], groups: Sequence[str], resources: Sequence[str], names: Sequence[str], urls: Sequence[str]
) -> str:
    """The same without who and where: “read and write Secrets”."""
    if urls and not resources:
        return _("%(verbs)s the API server paths %(urls)s") % {"verbs": _doing(verbs), "urls": _listed(urls)}
    values = {"verbs": _doing(verbs), "resources": _what(groups, resources), "names": _listed(names)}
    return (_("%(verbs)s %(resources)s named %(names)s") if names else "%(verbs)s %(resources)s") % values


def _doing(verbs: Sequence[str]) -> str:
    """“read and write” for the usual sets of verbs; rare verbs as they are."""
    if "*" in verbs:
        return _("perform any action on")
    every = set(verbs)
    words = []
    if every & {"get", "list", "watch"}:
        words.append(_("read"))
    if {"create", "delete"} <= every and every & {"update", "patch"}:
        words.append(_("write"))
    else:
        words += [_("create")] if "create" in every else []
        words += [_("change")] if every & {"update", "patch"} else []
        words += [_("delete")] if every & {"delete", "deletecollection"} else []
    words += sorted(every - {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"})
    return _listed(words)


def _what(groups: Sequence[str], resources: Sequence[str]) -> str:
    if "*" in resources and "*" in groups:
        return _("all resource types of all API groups")
    pairs = [(group, resource.partition("/")[0]) for group in groups for resource in resources]
    if all(pair in NAMES for pair in pairs):
        return _listed(dict.fromkeys(_named(groups, resource) for resource in resources))
    what = (
        _("all resource types") if "*" in resources else _listed([_named(groups, resource) for resource in resources])
    )
    if "*" in groups:
        return _("%(resources)s of all API groups") % {"resources": what}
    if tuple(groups) == ("",):
        return _("all resource types of the core API group") if "*" in resources else what
    return _("%(resources)s of %(groups)s") % {
        "resources": what,
        "groups": _listed([group or _("the core group") for group in groups]),
    }


def _named(groups: Sequence[str], resource: str) -> str:
    plain, slash, part = resource.partition("/")
    kind = next((NAMES[(group, plain)] for group in groups if (group, plain) in NAMES), plain)
    return f"{kind}{slash}{part}"


def _listed(words: Iterable[str]) -> str:
    """“a, b and c”; of a long list the beginning, and how many more."""
    every = list(words)
    if len(every) <= 1:
        return "".join(every)
    if len(every) > _MOST:
        first = every[: _MOST - 2]
        return _("%(first)s and %(number)d more") % {"first": ", ".join(first), "number": len(every) - len(first)}
    return _("%(first)s and %(last)s") % {"first": ", ".join(every[:-1]), "last": every[-1]}
