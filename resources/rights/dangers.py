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


@dataclass(frozen=True, slots=True)
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
    Danger("secrets", "high", "", frozenset({"secrets"}), READ | CHANGE),
    Danger(
        "exec",
        "high",
        "",
        frozenset({"pods/exec", "pods/attach", "pods/ephemeralcontainers", "pods/portforward"}),
        READ | WRITE,
    ),
    Danger(
        "webhooks",
        "high",
        ADMISSION,
        frozenset({"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}),
        CHANGE,
    ),
    Danger(
        "policies", "high", ADMISSION, frozenset({"mutatingadmissionpolicies", "validatingadmissionpolicies"}), WRITE
    ),
    Danger("roles", "high", RBAC, frozenset({"roles", "clusterroles"}), CHANGE),
    Danger("bindings", "high", RBAC, frozenset({"rolebindings", "clusterrolebindings"}), CHANGE),
    Danger("crds", "high", "apiextensions.k8s.io", frozenset({"customresourcedefinitions"}), WRITE),
    Danger("apiservices", "high", "apiregistration.k8s.io", frozenset({"apiservices"}), WRITE),
    Danger("nodes", "high", "", frozenset({"nodes", "nodes/status"}), WRITE),
    Danger("volumes", "high", "", frozenset({"persistentvolumes"}), CHANGE),
    Danger(
        "namespaces",
        "high",
        "",
        frozenset({"namespaces"}),
        frozenset({"update", "patch", "delete", "deletecollection"}),
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
        "operators",
        "high",
        "operators.coreos.com",
        frozenset({"clusterserviceversions", "subscriptions", "installplans", "catalogsources"}),
        CHANGE,
    ),
)

WHY: dict[str, str | Promise] = {
    "everything": _("Can do everything that an administrator can."),
    "everything-watched": _(
        "Can do everything in the namespaces that it watches: in the whole cluster if it is installed for all"
        " namespaces."
    ),
    "every-group": _("It reaches every kind of every API group, also kinds that other operators bring."),
    "every-resource": _("It reaches every kind of a group that is not its own, also kinds that come later."),
    "read-everything": _("Can read everything, including Secrets with passwords and tokens."),
    "escalate": _("Can grant itself any permission by “escalate”."),
    "bind": _("Can grant roles that it doesn't have itself by “bind”, including cluster-admin."),
    "impersonate": _("Can impersonate other users, including administrators."),
    "node-proxy": _(
        "It speaks to kubelets past the API server: commands in every Pod of a node, seen by no audit log."
    ),
    "token": _("Can create tokens of service accounts and use their permissions."),
    "certificates": _("Can obtain certificates for any user."),
    "secrets": _("Secrets hold the passwords, keys and tokens of everything that runs there."),
    "exec": _("Can run commands in other Pods, or read what they send and receive."),
    "webhooks": _(
        "Admission webhooks see every object that is written, including Secrets, and can change or reject it."
    ),
    "policies": _("Admission policies can change or reject what others write."),
    "roles": _("It writes roles, though only with rights that it has itself."),
    "bindings": _("It gives roles to others, though only with rights that it has itself."),
    "crds": _(
        "Can change or delete custom resource definitions that others use. Deleting one deletes all of its objects."
    ),
    "apiservices": _("Can replace a part of the Kubernetes API with its own server."),
    "nodes": _("Can change or remove the cluster's nodes, and so decide what runs where."),
    "volumes": _("A PersistentVolume can give access to any folder on a node."),
    "namespaces": _(
        "Can change the labels of namespaces, and so the Pod security rules in them, or delete them with their"
        " contents."
    ),
    "privileged": _("Can let Pods run with their node's permissions."),
    "operators": _("Can install, replace or change operators, and so get their permissions."),
    "urls": _("It reaches every address of the API server that belongs to no object."),
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
