"""Whether a user has a permission (SelfSubjectAccessReviews, cached for seconds); if not, what a page says, and a text
that asks an administrator for it.

The API server decides; the console has no RBAC of its own.
"""

import shlex
import time
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from django.utils.translation import gettext as _

from kube.client import Access, ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError

_KEEP_SECONDS = 10.0
_LIMIT = 4096
_ACCOUNT = "system:serviceaccount:"
_answers: dict[tuple[str, ...], tuple[float, Access]] = {}
_lock = Lock()


def can(
    client: ClusterClient, verb: str, type_: ResourceType, namespace: str = "", name: str = "", subresource: str = ""
) -> Access:
    """The API server's answer for `verb` on `type_`, at most ten seconds old.

    Only for showing or disabling actions: the API server authorizes the action itself again.
    """
    key = (client.host, client.who, verb, type_.group, type_.plural, namespace, name, subresource)
    now = time.monotonic()
    with _lock:
        cached = _answers.get(key)
        if cached and cached[0] > now:
            return cached[1]
    answer = client.review(verb, type_, namespace, name, subresource)
    with _lock:
        if len(_answers) >= _LIMIT:
            _answers.clear()
        _answers[key] = (now + _KEEP_SECONDS, answer)
    return answer


def refusal(
    client: ClusterClient, verb: str, type_: ResourceType, namespace: str = "", name: str = "", subresource: str = ""
) -> str:
    """Why this user can't do it, for a disabled action; '' if they can.

    '' too when the API server doesn't answer the review: then the action itself shows what is wrong.
    """
    try:
        answer = can(client=client, verb=verb, type_=type_, namespace=namespace, name=name, subresource=subresource)
    except KubeError:
        return ""
    if answer.allowed:
        return ""
    resource = f"{type_.qualified}/{subresource}" if subresource else type_.qualified
    words = (
        _("You don't have permission to %(verb)s %(resource)s in the namespace “%(namespace)s”.")
        if namespace
        else _("You don't have permission to %(verb)s %(resource)s in the whole cluster.")
    )
    return answer.reason or words % {"verb": verb, "resource": resource, "namespace": namespace}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRequest:
    """A text for an administrator: who needs access, where and what for, with the command that grants it.

    `role`: a ClusterRole that would be enough in the namespace. `missing`: what can't be done, each a few words.
    """

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
