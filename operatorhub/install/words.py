"""The sentences of an install: modes, conflicts, why approval is manual."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

NO_VERSION = gettext_lazy("The channel %(channel)s has no version %(version)s. Choose a version from the list.")
NO_MODE = gettext_lazy(
    "This version supports no install mode at all, so OLM can't install it. Choose another channel, or ask its"
    " maintainers."
)
WRONG_MODE = gettext_lazy("This install mode isn't supported. The operator supports: %(modes)s.")
OLD_KUBERNETES = gettext_lazy(
    "This version requires Kubernetes %(least)s, but this cluster has %(has)s, so OLM would "
    "wait indefinitely. Choose an older version, or upgrade the cluster."
)
BAD_NAMESPACE = gettext_lazy(
    "Use lowercase letters, digits and hyphens, at most 63 characters. Start and end with a letter or digit."
)
TERMINATING = gettext_lazy(
    "The namespace “%(name)s” is being deleted. Select another namespace, or wait until it is deleted."
)
SUBSCRIBED = gettext_lazy(
    "This operator is already installed in “%(namespace)s”, by the Subscription “%(name)s”. Choose another namespace,"
    " or uninstall it there first."
)
NAME_TAKEN = gettext_lazy(
    "“%(namespace)s” has a Subscription “%(name)s” for another package, “%(package)s”. Choose another namespace."
)
MANY_GROUPS = gettext_lazy(
    "“%(namespace)s” has more than one OperatorGroup (%(names)s); OLM installs nothing there until only one is left."
    " Choose another namespace, or delete all but one."
)
GROUP_UNSUPPORTED = gettext_lazy(
    "The OperatorGroup “%(group)s” in “%(namespace)s” uses the install mode %(present)s. This "
    "operator doesn't support it (supported: %(modes)s). Choose another namespace."
)
GROUP_DIFFERS = gettext_lazy(
    "The OperatorGroup “%(group)s” in “%(namespace)s” uses the install mode %(present)s. Choose "
    "that mode, or another namespace."
)
OVERLAP = gettext_lazy(
    "This operator is already installed in “%(namespace)s”, and both installations would watch "
    "the same namespaces. Uninstall the existing one first, or let each installation watch only "
    "its own namespace."
)
SHARED = gettext_lazy(
    "This operator is installed in another namespace too; both share their CustomResourceDefinitions."
)
NEIGHBOURS = gettext_lazy(
    "This namespace has other operators (%(names)s). OLM plans them together: with manual "
    "approval here, their updates wait for approval too."
)
UNREAD = gettext_lazy(
    "You don't have permission to list all %(kinds)s in the cluster, so conflicts with other "
    "namespaces aren't shown. The API server or OLM can still refuse the install."
)
_FORCED = {
    "older": gettext_lazy(
        "Manual, because you chose an older version: with automatic approval OLM would upgrade it to the newest"
        " immediately."
    ),
    "neighbour": gettext_lazy(
        "Manual, because another operator in this namespace requires it: OLM plans all operators of "
        "a namespace together."
    ),
    "token": gettext_lazy(
        "Manual, because the operator uses a cloud identity: a new version may need more cloud "
        "permissions, which you must grant before you approve it."
    ),
}


def forced(why: str) -> str:
    """Of choices.forced; '' for ''."""
    return str(_FORCED.get(why, ""))


def mode(name: str) -> str:
    """An install mode for people; OLM's own word stands behind it."""
    return {
        "AllNamespaces": _("all namespaces (AllNamespaces)"),
        "OwnNamespace": _("its own namespace (OwnNamespace)"),
        "SingleNamespace": _("one other namespace (SingleNamespace)"),
        "MultiNamespace": _("several namespaces (MultiNamespace)"),
    }.get(name, name)
