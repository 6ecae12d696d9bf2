"""What the cluster has already, as far as an install is concerned, and which permissions the user lacks for it.

Kinds that can't be read are listed as unread, never treated as absent. Permissions are asked of the API server for each
object before the user types anything.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from console.web.access import can, denial
from kube.client import ClusterClient
from kube.discovery import known_type
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, ObjectList, name_of, namespace_of
from kube.reader import read
from kube.types.cluster import Infrastructure, Namespace
from kube.types.olm import InstallPlan, PackageManifest
from operatorhub import olm
from operatorhub.admin import catalogsources
from operatorhub.sources import packagemanifests

_INFRASTRUCTURE = ("config.openshift.io", "v1", "infrastructures")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Namespaces with their phases, and their `labels`; OperatorGroups by namespace, Subscriptions; `unread`: plurals
    that could not be listed; `kubernetes`: the server's version such as v1.36.3, '' when it is not known; `cloud`:
    OpenShift's platform such as AWS, '' elsewhere; `catalog_home`: the namespace of a catalog that only that namespace
    can use, else ''.
    """

    namespaces: Mapping[str, str]
    groups: Mapping[str, tuple[KubeObject, ...]]
    subscriptions: tuple[olm.Subscription, ...]
    unread: tuple[str, ...] = ()
    kubernetes: str = ""
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    cloud: str = ""
    catalog_home: str = ""

    def knows(self, plural: str) -> bool:
        return plural not in self.unread


def read_situation(client: ClusterClient, near: str = "", catalog_namespace: str = "") -> Situation:
    """Read the situation.

    For users who can't list all namespaces it covers their own, and `near`, the picked namespace.
    """
    home = "" if catalog_namespace in catalogsources.everywhere(client.name) else catalog_namespace
    unread: list[str] = []

    def listed(plural: str, find: Callable[[str], ObjectList], narrow: bool = True) -> list[KubeObject]:
        try:
            found = find("")
            if found.within:
                unread.append(plural)
            if not found.within or not near or near in found.within or not narrow:
                return found.items
        except KubeError:
            unread.append(plural)
        try:
            return find(near).items if near and narrow else []
        except KubeError:
            return []

    spaces = listed("namespaces", lambda _: client.list(client.find("", "v1", "namespaces")), narrow=False)
    groups: dict[str, tuple[KubeObject, ...]] = {}
    for operatorgroup in listed(
        "operatorgroups", lambda place: client.list(olm.type_of(client, "operatorgroups"), place)
    ):
        groups[namespace_of(operatorgroup)] = (*groups.get(namespace_of(operatorgroup), ()), operatorgroup)
    subscriptions = listed(olm.SUBSCRIPTIONS, lambda place: client.list(olm.type_of(client, olm.SUBSCRIPTIONS), place))
    namespaces = sorted((read(space, Namespace) for space in spaces), key=lambda namespace: namespace.metadata.name)
    phases = {namespace.metadata.name: namespace.status.phase for namespace in namespaces}
    if near and "namespaces" in unread:
        phases.setdefault(near, "")
    return Situation(
        namespaces=phases,
        groups=groups,
        subscriptions=tuple(map(olm.subscription, subscriptions)),
        unread=tuple(unread),
        kubernetes=version(client),
        labels={namespace.metadata.name: namespace.metadata.labels for namespace in namespaces},
        cloud=cloud(client),
        catalog_home=home,
    )


def cloud(client: ClusterClient) -> str:
    """OpenShift's platform. '' on other clusters, and for users who can't read it.

    https://docs.okd.io/latest/rest_api/config_apis/infrastructure-config-openshift-io-v1.html
    """
    type_ = known_type(client.types(), *_INFRASTRUCTURE)
    try:
        return read(client.get(type_, "cluster"), Infrastructure).platform if type_ else ""
    except KubeError:
        return ""


def version(client: ClusterClient) -> str:
    """The server's own word for its version, '' when it does not say."""
    try:
        return str(client.version().get("gitVersion") or "")
    except KubeError:
        return ""


def waiting_plan(client: ClusterClient, namespace: str) -> str:
    """The name of an InstallPlan that waits for approval there; all that comes after it waits too.

    '' if there is none, or if the user can't read it.
    """
    try:
        plans = client.list(olm.type_of(client, olm.PLANS), namespace).items
    except KubeError:
        return ""
    return next((name_of(plan) for plan in plans if olm.plan_waits(read(plan, InstallPlan))), "")


def visible(client: ClusterClient, catalog: tuple[str, str], package: str, namespace: str) -> bool | None:
    """Whether the package of (catalog's namespace, catalog) is available in `namespace`; None if the user can't check
    it.
    """
    if catalog[0] == namespace:
        return True
    try:
        type_ = client.find(packagemanifests.GROUP, "v1", "packagemanifests")
        found = client.list(type_, namespace, fields=f"metadata.name={package}").items
    except NotFound:
        return None
    except KubeError:
        return None
    places = (read(item, PackageManifest).status for item in found)
    return any((place.catalog_source_namespace, place.catalog_source) == catalog for place in places)


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
        return denial(self.verb, self.resource, self.namespace, kind=self.kind, name=self.name)

    @property
    def kubectl(self) -> str:
        """What an administrator runs to see the same."""
        place = f" -n {self.namespace}" if self.namespace else ""
        return f"kubectl auth can-i {self.verb} {self.resource}{place}"


def missing_rights(client: ClusterClient, objects: Iterable[KubeObject], verb: str = "create") -> tuple[Missing, ...]:
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
