"""Which rights let an operator do more than its own work, and why. Pure.

The rules are those of https://kubernetes.io/docs/concepts/security/rbac-good-practices/ (privilege escalation risks),
with OLM's and OpenShift's own. "critical": enough to take over the cluster, or whatever the operator watches. "high":
reaches what belongs to others. Creating Pods and Deployments is not marked: it is what operators are for. What an
operator may do with its own kinds is not either.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

READ = frozenset({"get", "list", "watch"})
WRITE = frozenset({"create", "update", "patch", "delete", "deletecollection"})
CHANGE = frozenset({"create", "update", "patch"})
RBAC, ADMISSION = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """A right on `resources` of `group` by any of `verbs` is dangerous.

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
    "everything": _("Can do everything that an administrator can."),
    "everything-watched": _(
        "Can do everything in the namespaces that it watches, or in the whole cluster if it's "
        "installed for all namespaces."
    ),
    "every-group": _("Can access all resource types of all API groups, including those of other operators."),
    "every-resource": _(
        "Can access all resource types of an API group that isn't its own, including types added later."
    ),
    "read-everything": _("Can read everything, including Secrets with passwords and tokens."),
    "escalate": _("Can grant itself any permission, with the verb “escalate”."),
    "bind": _("Can grant roles that it doesn't have, including cluster-admin, with the verb “bind”."),
    "impersonate": _("Can impersonate other users, including administrators."),
    "node-proxy": _(
        "Can bypass the API server and run commands in every Pod of a node through the kubelet, without audit logging."
    ),
    "token": _("Can create tokens of service accounts and use their permissions."),
    "certificates": _("Can obtain certificates for any user."),
    "secrets": _("Secrets contain the passwords, keys and tokens of the workloads in their namespaces."),
    "exec": _("Can run commands in other Pods, or read what they send and receive."),
    "webhooks": _(
        "Admission webhooks receive every object that is created or changed, including Secrets, and "
        "can change or reject it."
    ),
    "policies": _("Admission policies can change or reject other users' requests."),
    "roles": _("Can create and change roles, but only with permissions that it has itself."),
    "bindings": _("Can grant roles to others, but only permissions that it has itself."),
    "crds": _(
        "Can change or delete custom resource definitions that others use. Deleting one deletes all of its objects."
    ),
    "apiservices": _("Can replace a part of the Kubernetes API with its own server."),
    "nodes": _("Can change or remove the cluster's nodes, and so control where Pods run."),
    "volumes": _("A PersistentVolume can give access to any directory on a node."),
    "namespaces": _("Can delete namespaces with their contents, or relax their Pod security level by changing labels."),
    "privileged": _("Can run privileged Pods, which have full access to their node."),
    "operators": _("Can install, replace or change operators, and so get their permissions."),
    "urls": _("Can access all API server paths that aren't resources (nonResourceURLs)."),
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
