"""The topics that a page follows: that of a list, or one for each namespace of a user who can't watch all namespaces
(kube/across_namespaces.py). Topics the user can't watch are omitted.
"""

from console.web.access import can
from kube import across_namespaces
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
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
            where = namespace if type_.namespaced else ""
            found.append(_topics(client, type_.group_or_core, type_.version, type_.plural, where))
        else:
            found.append(_topics(client, *type_, namespace))
    return " ".join(dict.fromkeys(topic for topic in found if topic))


def _topics(client: ClusterClient, group: str, version: str, plural: str, namespace: str) -> str:
    whole = Topic(cluster=client.name, group=group or "core", version=version, plural=plural, namespace=namespace)
    if namespace:
        return str(whole)
    try:
        type_ = client.find(group, version, plural)
        if client.places(type_) is None and _may(client, type_, ""):
            return str(whole)
        where = across_namespaces.namespaces_of(client) if type_.namespaced else ()
        own = [place for place in where if _may(client, type_, place)][:MOST]
    except (NotFound, KubeError):
        # The stream checks the permission too.
        return str(whole)
    return " ".join(
        str(Topic(cluster=client.name, group=group or "core", version=version, plural=plural, namespace=place))
        for place in own
    )


def _may(client: ClusterClient, type_: ResourceType, namespace: str) -> bool:
    return all(can(client, verb, type_, namespace).allowed for verb in ("list", "watch"))
