"""The impersonation form's input, checked field by field by the API server before the impersonation starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from console.web.access import can
from kube import limits
from kube.client import ClusterClient
from kube.config import ClusterConfig, impersonated_config, is_header_value
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, Unauthorized

#: Resources of the verb `impersonate`. The API server doesn't serve users and groups: RBAC only checks their names.
USERS = ResourceType(group="", version="v1", plural="users", kind="User", namespaced=False)
GROUPS = ResourceType(group="", version="v1", plural="groups", kind="Group", namespaced=False)
ACCOUNTS = ResourceType(group="", version="v1", plural="serviceaccounts", kind="ServiceAccount", namespaced=True)
_ACCOUNT = "system:serviceaccount:"


@dataclass(frozen=True, slots=True)
class ImpersonationInput:
    """`user`: a name, also a ServiceAccount's (system:serviceaccount:NAMESPACE:NAME); `errors` by field: user or
    groups.
    """

    user: str = ""
    groups: tuple[str, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> str:
        return "\n".join(self.groups)

    @property
    def name(self) -> str:
        """The user name to send. With groups alone it is the first group, as in OKD: the API server requires a name,
        and this one has no permissions of its own.
        """
        return self.user or (self.groups[0] if self.groups else "")


@dataclass(frozen=True, slots=True)
class Whom:
    """As the API server calls them under impersonation."""

    name: str
    groups: tuple[str, ...]


def read(typed: Mapping[str, str]) -> ImpersonationInput:
    """`user`, or `account` as NAMESPACE/NAME; `groups`, one a line."""
    user, account = typed.get("user", "").strip(), typed.get("account", "").strip()
    namespace, slash, name = account.partition("/")
    if account and not user:
        user = f"{_ACCOUNT}{namespace}:{name}" if slash else account
    groups = tuple(dict.fromkeys(line.strip() for line in typed.get("groups", "").splitlines() if line.strip()))
    wish = ImpersonationInput(user, groups)
    return ImpersonationInput(user, groups, _wrong(wish))


def _wrong(wish: ImpersonationInput) -> dict[str, str]:
    if not wish.name:
        return {"user": _("Enter a user, a service account or groups.")}
    found = {}
    words = _("Use at most %(n)d visible ASCII characters. The console can't send other characters to the API server.")
    words %= {"n": limits.IMPERSONATED_NAME.value}
    if wish.user and (not is_header_value(wish.user) or len(wish.user) > limits.IMPERSONATED_NAME.value):
        found["user"] = words
    elif wish.user.startswith(_ACCOUNT) and _account(wish.user) is None:
        found["user"] = _("A service account has the form system:serviceaccount:NAMESPACE:NAME.")
    if any(not is_header_value(group) or len(group) > limits.IMPERSONATED_NAME.value for group in wish.groups):
        found["groups"] = words
    elif len(wish.groups) > limits.IMPERSONATED_GROUPS.value:
        found["groups"] = _("Enter at most %(n)d groups.") % {"n": limits.IMPERSONATED_GROUPS.value}
    return found


def _account(user: str) -> tuple[str, str] | None:
    """(namespace, name)"""
    namespace, _colon, name = user.removeprefix(_ACCOUNT).partition(":")
    return (namespace, name) if user.startswith(_ACCOUNT) and namespace and name and ":" not in name else None


def offered(client: ClusterClient) -> bool:
    """Whether the user can impersonate users, groups or service accounts in general.

    A permission for single names (resourceNames) is checked once the name is known.
    """
    try:
        return any(can(client, "impersonate", type_).allowed for type_ in (USERS, GROUPS, ACCOUNTS))
    except KubeError:
        return False


def judged(client: ClusterClient, wish: ImpersonationInput) -> tuple[ImpersonationInput, Whom | None]:
    """What the API server says: of each field, and then of all together, as which it is sent.

    Raises KubeError where it says nothing at all.
    """
    if wish.errors:
        return wish, None
    try:
        config = impersonated_config(client.config, wish.name, wish.groups, "asked")
    except ValueError:
        words = _(
            "The console's own identity already impersonates another user (`as` in its kubeconfig). "
            "Nested impersonation isn't possible."
        )
        return ImpersonationInput(wish.user, wish.groups, {"user": words}), None
    try:
        whom = _asked(config)
    except (Forbidden, Unauthorized) as error:
        return ImpersonationInput(wish.user, wish.groups, _refused(client, wish) or {"user": str(error)}), None
    return wish, whom


def _asked(config: ClusterConfig) -> Whom:
    user_info = ClusterClient(config).whoami()
    return Whom(
        str(user_info.get("username") or config.user), tuple(str(group) for group in user_info.get("groups") or ())
    )


def _refused(client: ClusterClient, wish: ImpersonationInput) -> dict[str, str]:
    """At which field, and why."""
    found = {}
    account = _account(wish.name)
    answer = (
        client.review("impersonate", ACCOUNTS, *account)
        if account
        else client.review("impersonate", USERS, name=wish.name)
    )
    if not answer.allowed:
        what = _("service account %(name)s") if account else _("user %(name)s")
        found["user"] = _why(what % {"name": wish.name}, answer.reason)
    for group in wish.groups:
        answer = client.review("impersonate", GROUPS, name=group)
        if not answer.allowed:
            found["groups"] = _why(_("group %(name)s") % {"name": group}, answer.reason)
            break
    return found


def _why(what: str, reason: str) -> str:
    words = _("You don't have permission to impersonate the %(what)s. It requires the verb “impersonate”.") % {
        "what": what
    }
    return f"{words} ({reason})" if reason else words
