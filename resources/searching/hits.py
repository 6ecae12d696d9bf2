"""Objects by a part of their name while the user types: the names of frequently opened kinds, cached for seconds.

Of each kind one page is read, with the user's own permissions; what can't be read is left out. The search page
(resources/searching/lookup.py) reads all kinds.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from console.web.front import Workers
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import name_of, namespace_of
from resources.place import Place
from resources.types.types import is_custom, kinds

_USUAL = (
    "pods",
    "deployments",
    "statefulsets",
    "daemonsets",
    "cronjobs",
    "jobs",
    "services",
    "configmaps",
    "secrets",
    "persistentvolumeclaims",
)
#: Custom kinds, and objects of each kind; of Pods, which are the many.
_CUSTOM, _PAGE, _PODS = 30, 500, 2500
_KEEP_SECONDS = 5.0
_KEPT = 32
_NOT = ("operators.coreos.com", "packages.operators.coreos.com", "metrics.k8s.io")
_workers = Workers(6, thread_name_prefix="hits")
_kept: "dict[tuple[str, str, str], tuple[float, tuple[Name, ...]]]" = {}
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Name:
    type: ResourceType
    namespace: str
    name: str

    @property
    def place(self) -> Place:
        return Place(self.type, self.namespace, self.name)


def find(client: ClusterClient, namespace: str, words: Iterable[str], most: int) -> list[Name]:
    """Those in whose name, or kind and name, all words are; the whole name first, then its beginning, short ones
    before long ones.
    """
    wanted = [word.lower() for word in words]
    if not wanted:
        return []
    ranked = []
    for hit in _names(client, namespace):
        name, kind = hit.name.lower(), hit.type.kind.lower()
        inside = [word for word in wanted if word in name]
        # One word may say the kind: "pod web".
        others = [word for word in wanted if word not in name]
        if not inside or not all(word in (kind, hit.type.plural, *hit.type.short_names) for word in others):
            continue
        rank = 0 if name in inside else 1 if any(name.startswith(word) for word in inside) else 2
        ranked.append((rank, len(name), name, kind, hit))
    return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:4])[:most]]


def _names(client: ClusterClient, namespace: str) -> tuple[Name, ...]:
    key = (client.host, client.who, namespace)
    now = time.monotonic()
    with _lock:
        cached = _kept.get(key)
        if cached and cached[0] > now:
            return cached[1]
    types = _types(client)
    found = tuple(name for part in _workers.map(lambda type_: _read(client, type_, namespace), types) for name in part)
    with _lock:
        if len(_kept) >= _KEPT:
            _kept.clear()
        _kept[key] = (time.monotonic() + _KEEP_SECONDS, found)
    return found


def _types(client: ClusterClient) -> list[ResourceType]:
    served = [kind.type for kind in kinds(client.types())]
    usual = [type_ for type_ in served if type_.plural in _USUAL and not is_custom(type_.group)]
    custom = [type_ for type_ in served if is_custom(type_.group) and type_.group not in _NOT]
    return custom[:_CUSTOM] + usual


def _read(client: ClusterClient, type_: ResourceType, namespace: str) -> list[Name]:
    try:
        most = _PODS if type_.plural == "pods" else _PAGE
        table = client.table(type_, namespace if type_.namespaced else "", limit=most)
    except KubeError:
        return []
    return [Name(type_, namespace_of(row.object), name_of(row.object)) for row in table.rows]
