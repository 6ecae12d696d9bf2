"""Permissions in words, for readers who never wrote a Role; and which let an operator do more than its own work. Pure.

The rules for dangerous ones are those of https://kubernetes.io/docs/concepts/security/rbac-good-practices/ (privilege
escalation risks), with OLM's and OpenShift's own. "critical": enough to take over the cluster, or whatever the operator
watches. "high": reaches what belongs to others. Creating Pods and Deployments is not marked: it is what operators are
for. What an operator may do with its own kinds is not either.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

READ = frozenset({"get", "list", "watch"})
WRITE = frozenset({"create", "update", "patch", "delete", "deletecollection"})
CHANGE = frozenset({"create", "update", "patch"})
RBAC, ADMISSION = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """A permission on `resources` of `group` by any of `verbs` is dangerous.

    `named`: what remains of it when it is limited to objects by name.
    """

    cause: str
    level: str
    group: str
    resources: frozenset[str]
    verbs: frozenset[str]
    named: str = ""


# The first that fits counts.
DANGERS = (
    Danger(
        cause="escalate",
        level="critical",
        group=RBAC,
        resources=frozenset({"roles", "clusterroles"}),
        verbs=frozenset({"escalate"}),
        named="critical",
    ),
    Danger(
        cause="bind",
        level="critical",
        group=RBAC,
        resources=frozenset({"roles", "clusterroles"}),
        verbs=frozenset({"bind"}),
        named="high",
    ),
    Danger(
        cause="impersonate",
        level="critical",
        group="",
        resources=frozenset({"users", "groups", "serviceaccounts"}),
        verbs=frozenset({"impersonate"}),
        named="high",
    ),
    Danger(
        cause="node-proxy",
        level="critical",
        group="",
        resources=frozenset({"nodes/proxy"}),
        verbs=READ | WRITE,
        named="critical",
    ),
    Danger(
        cause="token",
        level="critical",
        group="",
        resources=frozenset({"serviceaccounts/token"}),
        verbs=frozenset({"create"}),
        named="high",
    ),
    Danger(
        cause="certificates",
        level="critical",
        group="certificates.k8s.io",
        resources=frozenset({"certificatesigningrequests/approval"}),
        verbs=CHANGE,
        named="high",
    ),
    Danger(
        cause="certificates",
        level="critical",
        group="certificates.k8s.io",
        resources=frozenset({"signers"}),
        verbs=frozenset({"approve", "sign"}),
        named="high",
    ),
    Danger(cause="secrets", level="high", group="", resources=frozenset({"secrets"}), verbs=READ | CHANGE),
    Danger(
        cause="exec",
        level="high",
        group="",
        resources=frozenset({"pods/exec", "pods/attach", "pods/ephemeralcontainers", "pods/portforward"}),
        verbs=READ | WRITE,
    ),
    Danger(
        cause="webhooks",
        level="high",
        group=ADMISSION,
        resources=frozenset({"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}),
        verbs=CHANGE,
    ),
    Danger(
        cause="policies",
        level="high",
        group=ADMISSION,
        resources=frozenset({"mutatingadmissionpolicies", "validatingadmissionpolicies"}),
        verbs=WRITE,
    ),
    Danger(cause="roles", level="high", group=RBAC, resources=frozenset({"roles", "clusterroles"}), verbs=CHANGE),
    Danger(
        cause="bindings",
        level="high",
        group=RBAC,
        resources=frozenset({"rolebindings", "clusterrolebindings"}),
        verbs=CHANGE,
    ),
    Danger(
        cause="crds",
        level="high",
        group="apiextensions.k8s.io",
        resources=frozenset({"customresourcedefinitions"}),
        verbs=WRITE,
    ),
    Danger(
        cause="apiservices",
        level="high",
        group="apiregistration.k8s.io",
        resources=frozenset({"apiservices"}),
        verbs=WRITE,
    ),
    Danger(cause="nodes", level="high", group="", resources=frozenset({"nodes", "nodes/status"}), verbs=WRITE),
    Danger(cause="volumes", level="high", group="", resources=frozenset({"persistentvolumes"}), verbs=CHANGE),
    Danger(
        cause="namespaces",
        level="high",
        group="",
        resources=frozenset({"namespaces"}),
        verbs=frozenset({"update", "patch", "delete", "deletecollection"}),
    ),
    Danger(
        cause="privileged",
        level="high",
        group="security.openshift.io",
        resources=frozenset({"securitycontextconstraints"}),
        verbs=frozenset({"use"}) | CHANGE,
        named="high",
    ),
    Danger(
        cause="privileged",
        level="high",
        group="policy",
        resources=frozenset({"podsecuritypolicies"}),
        verbs=frozenset({"use"}) | CHANGE,
        named="high",
    ),
    Danger(
        cause="operators",
        level="high",
        group="operators.coreos.com",
        resources=frozenset({"clusterserviceversions", "subscriptions", "installplans", "catalogsources"}),
        verbs=CHANGE,
    ),
)

WHY: dict[str, str | Promise] = {
    "everything": gettext_lazy("Can do everything that an administrator can."),
    "everything-watched": gettext_lazy(
        "Can do everything in the namespaces that it watches, or in the whole cluster if it's "
        "installed for all namespaces."
    ),
    "every-group": gettext_lazy("Can access all resource types of all API groups, including those of other operators."),
    "every-resource": gettext_lazy(
        "Can access all resource types of an API group that isn't its own, including types added later."
    ),
    "read-everything": gettext_lazy("Can read everything, including Secrets with passwords and tokens."),
    "escalate": gettext_lazy("Can grant itself any permission, with the verb “escalate”."),
    "bind": gettext_lazy("Can grant roles that it doesn't have, including cluster-admin, with the verb “bind”."),
    "impersonate": gettext_lazy("Can impersonate other users, including administrators."),
    "node-proxy": gettext_lazy(
        "Can bypass the API server and run commands in every Pod of a node through the kubelet, without audit logging."
    ),
    "token": gettext_lazy("Can create tokens of service accounts and use their permissions."),
    "certificates": gettext_lazy("Can obtain certificates for any user."),
    "secrets": gettext_lazy("Secrets contain the passwords, keys and tokens of the workloads in their namespaces."),
    "exec": gettext_lazy("Can run commands in other Pods, or read what they send and receive."),
    "webhooks": gettext_lazy(
        "Admission webhooks receive every object that is created or changed, including Secrets, and "
        "can change or reject it."
    ),
    "policies": gettext_lazy("Admission policies can change or reject other users' requests."),
    "roles": gettext_lazy("Can create and change roles, but only with permissions that it has itself."),
    "bindings": gettext_lazy("Can grant roles to others, but only permissions that it has itself."),
    "crds": gettext_lazy(
        "Can change or delete custom resource definitions that others use. Deleting one deletes all of its objects."
    ),
    "apiservices": gettext_lazy("Can replace a part of the Kubernetes API with its own server."),
    "nodes": gettext_lazy("Can change or remove the cluster's nodes, and so control where Pods run."),
    "volumes": gettext_lazy("A PersistentVolume can give access to any directory on a node."),
    "namespaces": gettext_lazy(
        "Can delete namespaces with their contents, or relax their Pod security level by changing labels."
    ),
    "privileged": gettext_lazy("Can run privileged Pods, which have full access to their node."),
    "operators": gettext_lazy("Can install, replace or change operators, and so get their permissions."),
    "urls": gettext_lazy("Can access all API server paths that aren't resources (nonResourceURLs)."),
}


def judge(
    scope: str, group: str, resource: str, verbs: AbstractSet[str], name: str, own: AbstractSet[str]
) -> tuple[str, str]:
    """("critical" | "high" | "", why as a key of WHY) for one resource of one group.

    `own`: API groups that the operator brings itself.
    """
    wild = "*" in verbs
    if group in own:
        return "", ""
    if group == "*" and resource == "*":
        if wild:
            return "critical", "everything" if scope == "cluster" else "everything-watched"
        return ("high", "read-everything") if verbs <= READ else ("critical", "every-group")
    found = next((danger for danger in DANGERS if _fits(danger, group, resource, verbs, wild=wild)), None)
    if found is not None:
        level = found.named if name else found.level
        return (level, found.cause) if level else ("", "")
    if resource == "*" and (wild or not verbs <= READ):
        return "high", "every-resource"
    return "", ""


def _fits(danger: Danger, group: str, resource: str, verbs: AbstractSet[str], *, wild: bool) -> bool:
    if group not in (danger.group, "*"):
        return False
    reached = (
        resource in danger.resources
        or resource == "*"
        or (resource.startswith("*/") and any(dangerous.endswith(resource[1:]) for dangerous in danger.resources))
    )
    return reached and (wild or not danger.verbs.isdisjoint(verbs))


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


def permission_words(
    verbs: Sequence[str], groups: Sequence[str], resources: Sequence[str], names: Sequence[str], urls: Sequence[str]
) -> str:
    """The same without who and where: “read and write Secrets”."""
    if urls and not resources:
        return _("%(verbs)s the API server paths %(urls)s") % {"verbs": _doing(verbs), "urls": _listed(urls)}
    values = {"verbs": _doing(verbs), "resources": _what(groups, resources), "names": _listed(names)}
    return (_("%(verbs)s %(resources)s named %(names)s") if names else _("%(verbs)s %(resources)s")) % values


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
    name, slash, part = resource.partition("/")
    kind = next((NAMES[(group, name)] for group in groups if (group, name) in NAMES), name)
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
