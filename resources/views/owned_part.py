"""The region of an object's page with whom it belongs to and what belongs to it."""

from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from resources import live_topics
from resources.page.owned_rows import Above, OwnedRow, Sum, chain, nodes, rows, summary
from resources.page.topology import Topology, topology
from resources.place import Place
from resources.tree.owners import Belongings, belongings

# Kinds whose updates refresh the part: they change while an operator works. Changes of other kinds come with theirs.
_TELLING = frozenset(
    ("deployments", "replicasets", "statefulsets", "daemonsets", "jobs", "pods", "persistentvolumeclaims", "services")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedPart:
    """`looks`: whether objects of this kind can own anything that is looked for; `more`: objects that are not shown;
    `chain`: the owners above; `names`: objects whose changes are news here, '' for all of the topics.
    """

    rows: tuple[OwnedRow, ...]
    sum: Sum
    found: Belongings
    more: int
    chain: tuple[Above, ...]
    topics: str
    names: str
    topology: Topology | None = None

    @property
    def looks(self) -> bool:
        return bool(self.found.types)


def owned_part(client: ClusterClient, place: Place, obj: KubeObject) -> OwnedPart:
    found = belongings(client, place.type, obj)
    top = nodes(found.rows)
    shown, more = rows(top)
    telling = [type_ for type_ in found.types if type_.plural in _TELLING or type_.group == place.type.group]
    above = chain(client, obj)
    topics = dict.fromkeys(_topic(client, type_, place.namespace) for type_ in (place.type, *telling))
    topics |= {_topic(client, owner.link.type, owner.link.namespace): None for owner in above if owner.link.type}
    names = "" if found.types else " ".join((place.name, *(owner.link.name for owner in above)))
    drawing = topology(top, place.type, obj)
    return OwnedPart(
        rows=shown,
        sum=summary(top),
        found=found,
        more=more,
        chain=above,
        topics=" ".join(topics),
        names=names,
        topology=drawing,
    )


def _topic(client: ClusterClient, type_: ResourceType, namespace: str) -> str:
    return live_topics.topics_of(client, type_, namespace)
