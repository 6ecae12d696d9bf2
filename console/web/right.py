"""The right that a refusal names, as the rule that an administrator has to give: read from the API server's own sentence.

`… is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "shop"`: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
"""

import re
from dataclasses import dataclass

_SENTENCE = re.compile(
    r'User "(?P<user>[^"]*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]+)" in API group "(?P<group>[^"]*)"'
    r'(?: in the namespace "(?P<namespace>[^"]*)")?'
)
# Who may see something wants to see it change, too.
_READING = ("get", "list", "watch")
_SERVICE_ACCOUNT = "system:serviceaccount:"


@dataclass(frozen=True, slots=True)
class Right:
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
    def rule(self) -> str:
        """One of `rules:` of a Role, or of a ClusterRole without a namespace."""
        verbs = ", ".join(self.verbs)
        return f'- apiGroups: ["{self.group}"]\n  resources: ["{self.resource}"]\n  verbs: [{verbs}]'


def right_of(text: str) -> Right | None:
    """None for what is no such sentence."""
    found = _SENTENCE.search(text)
    return Right(**{name: value or "" for name, value in found.groupdict().items()}) if found else None


def binding(user: str, namespace: str) -> str:
    """The command by which an administrator lets somebody read in a namespace."""
    who = f"--user={user}"
    if user.startswith(_SERVICE_ACCOUNT):
        who = f"--serviceaccount={user.removeprefix(_SERVICE_ACCOUNT)}"
    return f"kubectl create rolebinding console-view --clusterrole=view {who} -n {namespace}"
