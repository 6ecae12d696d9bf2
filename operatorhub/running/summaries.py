"""What a ClusterServiceVersion says of itself, short: name, provider, version, kinds.

Kept as long as it does not change.

A CSV has 20 to 1,000 KB, most of it description, icon and examples, and a cluster has hundreds. A list asks the API
server for names and generations only (a Table), and reads whole objects that it has not seen yet.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from console.web.front import Workers
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from operatorhub import csv, olm
from operatorhub.csv import Api

KEPT = 4000
# More unknown ones than this are read by pages of the list; fewer one by one.
_SINGLY = 12
_PAGE = 100
_workers = Workers(6, thread_name_prefix="csvs")
_kept: "OrderedDict[tuple[str, str, str], Summary]" = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Summary:
    """Of one generation of one CSV. `apis`: without those that its author marks as internal."""

    title: str
    version: str
    provider: str
    apis: tuple[Api, ...]


def summary(obj: KubeObject) -> Summary:
    """Of a whole object."""
    spec, notes = csv.mapping(obj.get("spec")), csv.mapping(csv.mapping(obj.get("metadata")).get("annotations"))
    return Summary(
        csv.text(spec.get("displayName")) or name_of(obj),
        csv.text(spec.get("version")),
        csv.text(csv.mapping(spec.get("provider")).get("name")),
        csv.provided(spec, notes),
    )


def summaries(client: ClusterClient, heads: Iterable[KubeObject], namespace: str) -> Mapping[str, Summary]:
    """By uid, of objects whose metadata is known.

    One that is deleted meanwhile, or that the user can't read, is described by its name.
    """
    found: dict[str, Summary] = {}
    missing: list[KubeObject] = []
    with _lock:
        for head in heads:
            if cached := _kept.get(_key(client, head)):
                found[uid_of(head)] = cached
            else:
                missing.append(head)
    read = _singly if len(missing) <= _SINGLY else _by_pages
    for obj in read(client, missing, namespace):
        found[uid_of(obj)] = _keep(client, obj)
    for head in missing:
        found.setdefault(uid_of(head), Summary(name_of(head), "", "", ()))
    return found


def _key(client: ClusterClient, head: KubeObject) -> tuple[str, str, str]:
    return client.host, uid_of(head), csv.text(csv.mapping(head.get("metadata")).get("generation"))


def _keep(client: ClusterClient, obj: KubeObject) -> Summary:
    made = summary(obj)
    with _lock:
        _kept[_key(client, obj)] = made
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return made


def _singly(client: ClusterClient, heads: list[KubeObject], namespace: str) -> Iterable[KubeObject]:
    type_ = olm.type_of(client, olm.CSVS)

    def get(head: KubeObject) -> KubeObject | None:
        try:
            return client.get(type_, name_of(head), namespace_of(head))
        except KubeError:
            return None

    return [item for item in _workers.map(get, heads) if item]


def _by_pages(client: ClusterClient, heads: list[KubeObject], namespace: str) -> Iterable[KubeObject]:
    type_ = olm.type_of(client, olm.CSVS)
    token = ""
    while True:
        page = client.list(type_, namespace, labels=olm.ORIGINALS, limit=_PAGE, continue_=token)
        yield from page.items
        token = page.continue_
        if not token:
            return
