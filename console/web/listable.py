"""Which resource types a user can list, so that the navigation offers nothing that only refuses; and the cache of what
the navigation shows.

The cache is for each user on each cluster, in this process; its TTL is in seconds (CACHES in the settings).

SelfSubjectRulesReview:
https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-rules-review-v1/
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.cache import caches

from console.reach import discovery
from kube.client import ClusterClient
from kube.errors import KubeError

#: For users who can't list namespaces: the number of their namespaces that are checked.
MAX_NAMESPACES = 5


@dataclass(frozen=True, slots=True)
class Listable:
    """`pairs` of API group and plural, '*' for any of either. `everything`: the API server can't tell, or did not.

    `can_create`: workloads.
    """

    pairs: frozenset[tuple[str, str]] = frozenset()
    everything: bool = False
    can_create: bool = True

    def __contains__(self, pair: tuple[str, str]) -> bool:
        group, plural = pair
        either = {(group, plural), (group, "*"), ("*", plural), ("*", "*")}
        return self.everything or not self.pairs.isdisjoint(either)


def listable(client: ClusterClient, namespace: str) -> Listable:
    """In the namespace; for '' in any that can be asked about. At most a minute old. Never raises KubeError."""
    try:
        names = (namespace,) if namespace else _namespaces(client)
        found = [_in_namespace(client, name) for name in names]
    except KubeError:
        return Listable(everything=True)
    return Listable(
        frozenset().union(*(each.pairs for each in found)),
        everything=any(each.everything for each in found),
        can_create=any(each.can_create for each in found),
    )


def navigation_key(subject: str, client: ClusterClient, part: str) -> str:
    """A cache key. A digest: names of users have letters that no cache takes."""
    words = "\0".join((subject, client.host, client.who, part))
    return hashlib.sha256(words.encode()).hexdigest()


def cached_navigation(key: str) -> object:
    """None for what was never cached, or is too old."""
    return caches["navigation"].get(key)


def cache_navigation(key: str, value: object) -> None:
    caches["navigation"].set(key, value)


def forget_navigation() -> None:
    """The next page asks the cluster."""
    caches["navigation"].clear()


def _namespaces(client: ClusterClient) -> tuple[str, ...]:
    """Cluster-wide rules hold in each namespace, so one is enough for users who see all of them."""
    if not discovery.limited(client):
        return ("default",)
    return tuple(own.name for own in discovery.own(client) if own.usable)[:MAX_NAMESPACES] or ("default",)


def _in_namespace(client: ClusterClient, namespace: str) -> Listable:
    key = navigation_key("listable", client, namespace)
    known = cached_navigation(key)
    if isinstance(known, Listable):
        return known
    rules, complete = client.rules(namespace)
    created = Listable(_pairs(rules, "create"))
    can_create = not complete or ("apps", "deployments") in created or ("", "pods") in created
    found = Listable(_pairs(rules, "list"), everything=not complete, can_create=can_create)
    cache_navigation(key, found)
    return found


def _pairs(rules: Iterable[Mapping[str, Any]], verb: str) -> frozenset[tuple[str, str]]:
    return frozenset(
        (str(group), str(plural))
        for rule in rules
        if {verb, "*"} & set(rule.get("verbs") or ()) and not rule.get("resourceNames")
        for group in rule.get("apiGroups") or ()
        for plural in rule.get("resources") or ()
    )
