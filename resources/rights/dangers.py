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
    "everything": _("It may do whatever an administrator may do."),
    "everything-watched": _(
        "It may do everything in the namespaces it watches: everywhere, when it is installed for all namespaces."
    ),
    "every-group": _("It reaches every kind of every API group, also kinds that other operators bring."),
    "every-resource": _("It reaches every kind of a group that is not its own, also kinds that come later."),
    "read-everything": _("It may read everything, Secrets with passwords and tokens among it."),
    "escalate": _("With “escalate” it may give itself any right there is."),
    "bind": _("With “bind” it may hand out roles that it does not have itself, cluster-admin too."),
    "impersonate": _("It may act as somebody else, and then as an administrator."),
    "node-proxy": _(
        "It speaks to kubelets past the API server: commands in every Pod of a node, seen by no audit log."
    ),
    "token": _("It may make tokens of service accounts and act with their rights."),
    "certificates": _("It may have certificates signed that make it any user."),
    "secrets": _("Secrets hold the passwords, keys and tokens of everything that runs there."),
    "exec": _("It may run commands in Pods of others, or look into what they send and receive."),
    "webhooks": _("Admission webhooks see every object that is written, Secrets too, and may change or refuse it."),
    "policies": _("Admission policies may change or refuse what others write."),
    "roles": _("It writes roles, though only with rights that it has itself."),
    "bindings": _("It gives roles to others, though only with rights that it has itself."),
    "crds": _("It may change or delete kinds that others use; deleting a CRD deletes all its objects."),
    "apiservices": _("It may put a server of its own in the place of a part of the Kubernetes API."),
    "nodes": _("It may change or remove the machines of the cluster, and so decide what runs where."),
    "volumes": _("A PersistentVolume may point at any folder of a node."),
    "namespaces": _(
        "It may change the labels of namespaces, and so the security rules for Pods in them, or delete them with all"
        " they hold."
    ),
    "privileged": _("It may let Pods run with the rights of their node."),
    "operators": _("It may install, replace or change operators, and so get their rights."),
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
    found = next((one for one in DANGERS if _fits(one, group, resource, verbs, wild=wild)), None)
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
        or (resource.startswith("*/") and any(one.endswith(resource[1:]) for one in danger.resources))
    )
    return reached and (wild or not danger.verbs.isdisjoint(verbs))
