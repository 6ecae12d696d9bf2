"""What a ClusterExtension made: the objects that carry its label, each with a word for its state."""

from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import name_of, namespace_of
from operatorhub import olm
from operatorhub.extensions.facts import OWNER
from operatorhub.running.workloads import page_of

_KINDS = (
    ("apps", "deployments"),
    ("", "services"),
    ("", "configmaps"),
    ("", "serviceaccounts"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"),
    ("rbac.authorization.k8s.io", "roles"),
    ("rbac.authorization.k8s.io", "rolebindings"),
    ("policy", "poddisruptionbudgets"),
    ("monitoring.coreos.com", "servicemonitors"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """`ready`: of a Deployment, as its table says ("1/1"); '' of others."""

    kind: str
    namespace: str
    name: str
    url: str
    ready: str = ""


def objects(client: ClusterClient, extension: str) -> tuple[Owned, ...]:
    """Of all namespaces; kinds that the user can't list are skipped."""
    found: list[Owned] = []
    for group, plural in _KINDS:
        try:
            type_ = client.find(group, "", plural)
            table = client.table(type_, labels=f"{OWNER}={extension}")
        except (NotFound, KubeError):
            continue
        ready = next((place for place, column in enumerate(table.columns) if column.name == "Ready"), None)
        for row in table.rows:
            place, name = namespace_of(row.object), name_of(row.object)
            url = page_of(plural, place, name, group, type_.version)
            found.append(
                Owned(
                    kind=type_.kind,
                    namespace=place,
                    name=name,
                    url=url,
                    ready="" if ready is None else str(row.cells[ready]),
                )
            )
    return tuple(found)


def instances(client: ClusterClient, found: tuple[Owned, ...]) -> tuple[tuple[str, int | None], ...]:
    """(kind's CRD, number of its objects in the whole cluster): they go with the extension.

    None: not to be counted here.
    """
    counted: list[tuple[str, int | None]] = []
    for owned in found:
        if owned.kind != "CustomResourceDefinition":
            continue
        plural, _dot, group = owned.name.partition(".")
        try:
            page = client.table(client.find(group, "", plural), limit=1, whole=True)
        except NotFound:
            counted.append((owned.name, 0))
        except KubeError:
            counted.append((owned.name, None))
        else:
            counted.append((owned.name, len(page.rows) + (page.remaining or 0)))
    return tuple(counted)


def topics(client: ClusterClient, namespace: str) -> tuple[str, ...]:
    """What else a page of it follows."""
    return (olm.topic(client, "deployments", namespace, "apps", "v1"),)
