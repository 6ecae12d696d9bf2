"""A text that asks an administrator for access: who, where, what for, and the command that gives it. Pure."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

_ACCOUNT = "system:serviceaccount:"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRequest:
    """`role`: a ClusterRole that would be enough in the namespace. `missing`: what can't be done, each a few words."""

    user: str
    cluster: str
    namespace: str
    role: str
    missing: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        name = shlex.quote(binding_name(self.user, self.role))
        role = shlex.quote(f"--clusterrole={self.role}")
        return f"kubectl create rolebinding {name} {role} {subject_flag(self.user)} -n {self.namespace}"

    @property
    def text(self) -> str:
        words = {"namespace": self.namespace, "cluster": self.cluster, "role": self.role}
        first = _("I need the role “%(role)s” in the namespace “%(namespace)s” of the cluster “%(cluster)s”.")
        return request_text(first % words, self.user, self.missing, self.command)


def request_text(wish: str, user: str, missing: Iterable[str], command: str) -> str:
    """Plain text, for a message."""
    lines = [wish, "", _("I'm signed in as: %(user)s") % {"user": user}]
    if needs := list(missing):
        lines += [_("I can't currently do the following:"), *(f"- {need}" for need in needs)]
    return "\n".join([*lines, "", _("This command grants the access:"), command, ""])


def binding_name(who: str, role: str) -> str:
    """RBAC takes any name of an object that can stand in an address."""
    short = who.removeprefix(_ACCOUNT).replace(":", "-") if who.startswith(_ACCOUNT) else who
    return f"{short}-{role}".replace("/", "-").replace("%", "-")


def subject_flag(user: str) -> str:
    """How kubectl names the user of a binding, quoted."""
    if user.startswith(_ACCOUNT):
        return shlex.quote(f"--serviceaccount={user.removeprefix(_ACCOUNT)}")
    return shlex.quote(f"--user={user}")
