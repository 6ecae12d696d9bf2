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


def topics(client: ClusterClient, group: str, version: str, plural: str, namespace: str = "") -> str:
    """Separated by blanks, as in data-live; '' if the user can't watch any.

    A type that is not served (yet) has its topic all the same.
    """
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


def topics_of(client: ClusterClient, type_: ResourceType, namespace: str = "") -> str:
    return topics(client, type_.group_or_core, type_.version, type_.plural, namespace if type_.namespaced else "")


def _may(client: ClusterClient, type_: ResourceType, namespace: str) -> bool:
    return all(can(client, verb, type_, namespace).allowed for verb in ("list", "watch"))
