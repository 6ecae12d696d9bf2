"""The page of namespaces for users who can't list them: how each was found, which are deleted, and why a named one
can't be added.
"""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.reach import discovery
from console.reach.access_check import is_name, judge
from console.reach.discovery import GONE, HERE, REFUSED, Own
from console.web.forbidden import binding
from kube.client import ClusterClient


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnNamespaces:
    """`typed`, `error`: what stood in the field, and why it was not taken.

    `ask`: the command by which an administrator would let them in there.
    """

    lost: tuple[Own, ...]
    found: dict[str, str]
    typed: str = ""
    error: str = ""
    ask: str = ""


def own_namespaces(client: ClusterClient, typed: str = "", error: str = "") -> OwnNamespaces | None:
    """The namespaces, each checked again; None if the user can list all. Raises KubeError."""
    if not discovery.limited(client):
        return None
    known, words = discovery.own(client, refresh=True), discovery.words()
    found = {own.name: words[own.how] for own in known if own.usable}
    ask = binding(client.user, typed) if error and is_name(typed) else ""
    return OwnNamespaces(
        lost=tuple(own for own in known if not own.usable), found=found, typed=typed, error=error, ask=ask
    )


def refusal(client: ClusterClient, name: str) -> str:
    """Why the namespace can't be taken, in words for the field; '' when it can."""
    if not is_name(name):
        return _(
            "Use lowercase letters, digits and hyphens, at most 63 characters. Start and end with a letter or digit."
        )
    verdict = judge(client, name, refresh=True)
    if verdict.state == HERE:
        return ""
    if verdict.state == GONE:
        return _("The namespace “%(name)s” doesn't exist.") % {"name": name}
    if verdict.state == REFUSED:
        return _(
            "You don't have permission to read anything in “%(name)s”, or the namespace doesn't exist. Ask an"
            " administrator for a RoleBinding there."
        ) % {"name": name}
    return _("Couldn't check your access to this namespace: %(words)s") % {"words": verdict.words}
