"""Which rights the user lacks for an install: asked of the API server for each object before anything is typed."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A right that is needed and not there: `verb` on `resource` (plural.group), `namespace` '' for the whole
    cluster. `reason`: the server's words.
    """

    verb: str
    resource: str
    namespace: str
    kind: str
    name: str
    reason: str = ""

    @property
    def words(self) -> str:
        template = (
            _(
                "You don't have permission to %(verb)s %(resource)s in the namespace “%(namespace)s” (for the %(kind)s"
                " “%(name)s”)."
            )
            if self.namespace
            else _("You don't have permission to %(verb)s %(resource)s (for the %(kind)s “%(name)s”).")
        )
        return template % {
            "verb": self.verb,
            "resource": self.resource,
            "namespace": self.namespace,
            "kind": self.kind,
            "name": self.name,
        }

    @property
    def kubectl(self) -> str:
        """What an administrator runs to see the same."""
        place = f" -n {self.namespace}" if self.namespace else ""
        return f"kubectl auth can-i {self.verb} {self.resource}{place}"


def missing(client: ClusterClient, objects: Iterable[KubeObject], verb: str = "create") -> tuple[Missing, ...]:
    """One for each object that this user can't create. If the access review fails, the API server decides."""
    found: dict[tuple[str, str], Missing] = {}
    for obj in objects:
        try:
            type_ = client.type_of(obj)
            answer = can(client, verb, type_, namespace_of(obj))
        except KubeError:
            continue
        if not answer.allowed:
            permission = Missing(
                verb=verb,
                resource=type_.qualified,
                namespace=namespace_of(obj),
                kind=type_.kind,
                name=name_of(obj),
                reason=answer.reason,
            )
            found.setdefault((permission.resource, permission.namespace), permission)
    return tuple(found.values())
