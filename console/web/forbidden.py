"""Parses the missing permission from the API server's "forbidden" message, as a request with the commands to grant it.

`… is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "shop"`:
staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
"""

import re
import shlex
from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.access import binding_name, request_text, subject_flag

_SENTENCE = re.compile(
    r'User "(?P<user>[^"]*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]+)" in API group "(?P<group>[^"]*)"'
    r'(?: in the namespace "(?P<namespace>[^"]*)")?'
)
# The console watches what it shows, so reading needs all three.
_READING = ("get", "list", "watch")


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPermission:
    """`namespace` '' is the whole cluster."""

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
        resource = f"{plural}.{self.group}{slash}{part}" if self.group else self.resource
        what = {"verb": self.verb, "resource": resource, "namespace": self.namespace}
        if self.namespace:
            wish = _("I need permission to %(verb)s %(resource)s in the namespace “%(namespace)s”.") % what
        else:
            wish = _("I need permission to %(verb)s %(resource)s in the whole cluster.") % what
        return request_text(wish, self.user, (), self._commands(resource))

    def _commands(self, resource: str) -> str:
        kind, scope = ("role", f" -n {self.namespace}") if self.namespace else ("clusterrole", "")
        role = shlex.quote(f"{self.verbs[0]}-{self.resource.replace('/', '-')}")
        verbs, who = ",".join(self.verbs), subject_flag(self.user)
        name = shlex.quote(binding_name(self.user, f"{self.verbs[0]}-{self.resource}"))
        return (
            f"kubectl create {kind} {role} --verb={verbs} --resource={shlex.quote(resource)}{scope}\n"
            f"kubectl create {kind}binding {name} --{kind}={role} {who}{scope}"
        )


def right_of(text: str) -> MissingPermission | None:
    """None for any other text."""
    found = _SENTENCE.search(text)
    return MissingPermission(**{name: value or "" for name, value in found.groupdict().items()}) if found else None


def binding(user: str, namespace: str) -> str:
    """The command that lets a user read in a namespace."""
    name, who = shlex.quote(binding_name(user, "view")), subject_flag(user)
    return f"kubectl create rolebinding {name} --clusterrole=view {who} -n {namespace}"
