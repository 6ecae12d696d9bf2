"""Whether a user has a permission, and a text that asks an administrator for a missing one.

The API server decides (SelfSubjectAccessReview); the console has no RBAC of its own. Answers are cached for seconds.

A missing permission is known from a review, or from the API server's message `… is forbidden: User "x" cannot list
resource "pods" in API group "" in the namespace "shop"`
(staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go).

The API server authorizes a watch, a followed log or a terminal only when it begins: while_held() asks again while it
is open.
"""

import asyncio
import logging
import random
import re
import shlex
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import TTLCache, cached
from django.utils.translation import gettext as _

from kube.client import Access, ClusterClient
from kube.discovery import ResourceType, qualified
from kube.errors import KubeError

log = logging.getLogger("console.web")

_KEEP_SECONDS = 10.0
_LIMIT = 4096
_ACCOUNT = "system:serviceaccount:"


def can(
    client: ClusterClient, verb: str, type_: ResourceType, namespace: str = "", name: str = "", subresource: str = ""
) -> Access:
    """The API server's answer for `verb` on `type_`, at most ten seconds old.

    Only for showing or disabling actions: the API server authorizes the action itself again.
    """
    return _review(client=client, verb=verb, type_=type_, namespace=namespace, name=name, subresource=subresource)


def _review_key(
    client: ClusterClient, verb: str, type_: ResourceType, namespace: str, name: str, subresource: str
) -> tuple[str, ...]:
    return (client.host, client.who, verb, type_.group, type_.plural, namespace, name, subresource)


@cached(TTLCache(_LIMIT, _KEEP_SECONDS), key=_review_key, lock=Lock())
def _review(
    client: ClusterClient, verb: str, type_: ResourceType, namespace: str, name: str, subresource: str
) -> Access:
    return client.review(verb, type_, namespace, name, subresource)


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
    return answer.reason or denial(verb, resource, namespace)


def denial(verb: str, resource: str, namespace: str = "", *, kind: str = "", name: str = "") -> str:
    """The sentence for a missing permission, in the active language; the only place that words it.

    `verb`, `resource`: as RBAC calls them, such as `create` and `pods/exec` or `deployments.apps`. `namespace`: '' is
    the whole cluster. `kind` and `name`: of the object that the permission is needed for, if there are several objects.
    """
    if kind:
        sentence = (
            _(
                "You don't have permission to %(verb)s %(resource)s in the namespace “%(namespace)s” (for the %(kind)s"
                " “%(name)s”)."
            )
            if namespace
            else _("You don't have permission to %(verb)s %(resource)s (for the %(kind)s “%(name)s”).")
        )
    else:
        sentence = (
            _("You don't have permission to %(verb)s %(resource)s in the namespace “%(namespace)s”.")
            if namespace
            else _("You don't have permission to %(verb)s %(resource)s in the whole cluster.")
        )
    return sentence % {"verb": verb, "resource": resource, "namespace": namespace, "kind": kind, "name": name}


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


def request_text(sentence: str, user: str, missing: Iterable[str], command: str) -> str:
    """Plain text, for a message."""
    lines = [sentence, "", _("I'm signed in as: %(user)s") % {"user": user}]
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


_SENTENCE = re.compile(
    r'User "(?P<user>[^"]*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]+)" in API group "(?P<group>[^"]*)"'
    r'(?: in the namespace "(?P<namespace>[^"]*)")?'
)
# The console watches what it shows, so reading needs all three.
_READING = ("get", "list", "watch")


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPermission:
    """A permission that the API server's message says is missing. `namespace` '' is the whole cluster."""

    user: str
    verb: str
    resource: str
    group: str
    namespace: str

    @property
    def verbs(self) -> tuple[str, ...]:
        return _READING if self.verb in _READING else (self.verb,)

    @property
    def request(self) -> str:
        """A text for an administrator, with the commands that give the permission and nothing else."""
        plural, slash, part = self.resource.partition("/")
        resource = f"{qualified(plural, self.group)}{slash}{part}"
        what = {"verb": self.verb, "resource": resource, "namespace": self.namespace}
        if self.namespace:
            sentence = _("I need permission to %(verb)s %(resource)s in the namespace “%(namespace)s”.") % what
        else:
            sentence = _("I need permission to %(verb)s %(resource)s in the whole cluster.") % what
        return request_text(sentence, self.user, (), self._commands(resource))

    def _commands(self, resource: str) -> str:
        kind, scope = ("role", f" -n {self.namespace}") if self.namespace else ("clusterrole", "")
        role = shlex.quote(f"{self.verbs[0]}-{self.resource.replace('/', '-')}")
        verbs, who = ",".join(self.verbs), subject_flag(self.user)
        name = shlex.quote(binding_name(self.user, f"{self.verbs[0]}-{self.resource}"))
        return (
            f"kubectl create {kind} {role} --verb={verbs} --resource={shlex.quote(resource)}{scope}\n"
            f"kubectl create {kind}binding {name} --{kind}={role} {who}{scope}"
        )


def missing_permission(text: str) -> MissingPermission | None:
    """The permission that a "forbidden" message names; None for any other text."""
    found = _SENTENCE.search(text)
    return MissingPermission(**{name: value or "" for name, value in found.groupdict().items()}) if found else None


def view_binding_command(user: str, namespace: str) -> str:
    """The command that lets a user read in a namespace."""
    name, who = shlex.quote(binding_name(user, "view")), subject_flag(user)
    return f"kubectl create rolebinding {name} --clusterrole=view {who} -n {namespace}"


#: A permission is asked about again after so many seconds at most; can() keeps an answer for ten more.
RECHECK_SECONDS = 20.0
# Threads of its own, so that a silent API server delays nothing else.
_pool = ThreadPoolExecutor(4, thread_name_prefix="access")


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A permission that something open needs.

    `verbs`: any of them is enough. `name`: '' for all objects of the namespace; a permission for all is one for each.
    """

    client: ClusterClient
    verbs: tuple[str, ...]
    plural: str
    namespace: str
    group: str = ""
    version: str = "v1"
    name: str = ""
    subresource: str = ""

    def is_held(self) -> bool:
        """Asks the API server with the person's own credentials. A server that does not answer takes nothing away."""
        try:
            type_ = self.client.find(self.group, self.version, self.plural)
            return any(
                can(
                    client=self.client,
                    verb=verb,
                    type_=type_,
                    namespace=self.namespace,
                    name=name,
                    subresource=self.subresource,
                ).allowed
                for name in dict.fromkeys(("", self.name))
                for verb in self.verbs
            )
        except KubeError as error:
            log.info(
                "can't check the permission for %s in namespace %s: %s", self.resource, self.namespace or "-", error
            )
            return True

    @property
    def resource(self) -> str:
        """As RBAC calls it: `pods/log`, `deployments.apps`."""
        name = qualified(self.plural, self.group)
        return f"{name}/{self.subresource}" if self.subresource else name

    @property
    def loss(self) -> str:
        """What the user reads when the permission was withdrawn."""
        return denial(self.verbs[0], self.resource, self.namespace)


def pod_permission(client: ClusterClient, subresource: str, namespace: str, pod: str) -> Permission:
    """The permission for a Pod's subresource: log is read; exec and portforward are created, or read where a WebSocket
    asks (Kubernetes before 1.35).
    """
    verbs = ("get",) if subresource == "log" else ("create", "get")
    return Permission(client=client, verbs=verbs, plural="pods", namespace=namespace, name=pod, subresource=subresource)


async def until_lost(permission: Permission) -> None:
    """Returns when the API server takes it away; never before it is asked a second time."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(RECHECK_SECONDS * random.uniform(0.7, 1.0))  # noqa: S311  spreads work
        if not await loop.run_in_executor(_pool, permission.is_held):
            log.info(
                "%s lost the permission for %s in namespace %s",
                permission.client.who,
                permission.resource,
                permission.namespace or "-",
            )
            return


async def while_held(permission: Permission, work: Coroutine[Any, Any, None]) -> bool:
    """Runs `work` to its end, or until the permission is lost. True when it came to its end; raises what it raises."""
    job, watch = asyncio.ensure_future(work), asyncio.ensure_future(until_lost(permission))
    try:
        await asyncio.wait((job, watch), return_when=asyncio.FIRST_COMPLETED)
        if job.done():
            job.result()
            return True
        return False
    finally:
        for task in (job, watch):
            task.cancel()
        await asyncio.gather(job, watch, return_exceptions=True)
