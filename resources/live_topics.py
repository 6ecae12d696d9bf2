"""The topics that a page follows: that of a list, or one for each namespace of a user who can't watch all namespaces
(kube/across_namespaces.py). Topics the user can't watch are omitted.
"""

from console.web.access import can
from kube import across_namespaces
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from resources.changes import Topic

#: A connection takes 200 topics, and a page has several lists.
MOST = 40

#: Group ('' or core), version and plural of a type.
TypeName = tuple[str, str, str]
DEPLOYMENTS: TypeName = ("apps", "v1", "deployments")
PODS: TypeName = ("", "v1", "pods")
EVENTS: TypeName = ("", "v1", "events")


def topics(client: ClusterClient, *types: ResourceType | TypeName, namespace: str = "") -> str:
    """The topics of lists of these types, separated by blanks, as in data-live; '' if the user can't watch any.

    A type that is not served (yet) has its topic all the same. `namespace` is ignored for cluster-scoped types.
    """
    found: list[str] = []
    for type_ in types:
        if isinstance(type_, ResourceType):
            name = (type_.group_or_core, type_.version, type_.plural)
            found += _topics(client, name, type_, namespace)
        else:
            found += _topics(client, type_, _served(client, type_), namespace)
    return " ".join(dict.fromkeys(found))


def _served(client: ClusterClient, name: TypeName) -> ResourceType | None:
    try:
        return client.find(*name)
    except KubeError:
        return None


def _topics(client: ClusterClient, name: TypeName, type_: ResourceType | None, namespace: str) -> list[str]:
    group, version, plural = name

    def topic(where: str) -> str:
        return str(Topic(cluster=client.name, group=group or "core", version=version, plural=plural, namespace=where))

    # Of one namespace, or of a type that isn't known: the stream checks the permission.
    if type_ is None or (namespace and type_.namespaced):
        return [topic(namespace)]
    try:
        if client.places(type_) is None and _may(client, type_, ""):
            return [topic("")]
        where = across_namespaces.namespaces_of(client) if type_.namespaced else ()
        return [topic(place) for place in [place for place in where if _may(client, type_, place)][:MOST]]
    except KubeError:
        return [topic("")]


def _may(client: ClusterClient, type_: ResourceType, namespace: str) -> bool:
    return all(can(client, verb, type_, namespace).allowed for verb in ("list", "watch"))
