"""The objects among which an owner's are looked for: a namespace read kind by kind and at once, with the reader's
own rights.

Pods are the many. A workload's are asked for by its selector, which they must match; in a namespace with more Pods than
one page has, those of a custom resource are asked for by the selectors of the workloads below it. Only where there is
no workload (operators that make Pods themselves) are the Pods of the whole namespace looked through, as Tables that
carry their metadata and their state in words.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.utils.translation import gettext as _

from console.web.front import Workers
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject
from kube.table import Column, TableRow
from resources.tree.owned_kinds import FULL
from resources.types.types import is_custom

CHUNK = 500
WORKLOADS = 20
Read = tuple[list[KubeObject], str]
_workers = Workers(8, thread_name_prefix="owned")


def is_pod(type_: ResourceType) -> bool:
    return type_.kind == "Pod" and not type_.group


def read(
    client: ClusterClient, types: Iterable[ResourceType], namespace: str, labels: str = ""
) -> dict[ResourceType, Read]:
    """(objects, why there may be more) of each.

    `labels` narrow Pods and ReplicaSets. Of Pods one page only, when it is not narrowed.
    """

    def one(type_: ResourceType) -> Read:
        narrow = labels if type_.kind in ("Pod", "ReplicaSet") else ""
        return objects(client, type_, namespace, narrow, CHUNK if is_pod(type_) and not labels else None)

    asked = list(types)
    return dict(zip(asked, _workers.map(one, asked), strict=True))


def by_selectors(client: ClusterClient, pods: ResourceType, namespace: str, selectors: Iterable[str]) -> Read:
    """The Pods that any of the selectors finds, at most limits.OWNED_OBJECTS of each."""
    asked = list(dict.fromkeys(selectors))
    answers = list(_workers.map(lambda labels: objects(client, pods, namespace, labels), asked[:WORKLOADS]))
    gaps = [gap for _found, gap in answers if gap]
    if len(asked) > WORKLOADS:
        gaps.append(_("only the Pods of the first %(count)d workloads were read") % {"count": WORKLOADS})
    return [obj for found, _gap in answers for obj in found], "; ".join(dict.fromkeys(gaps))


def objects(
    client: ClusterClient, type_: ResourceType, namespace: str, labels: str = "", most: int | None = None
) -> Read:
    """Those of the namespace that `labels` select, at most `most`, else limits.OWNED_OBJECTS, and why there may be
    more.
    """
    most = limits.OWNED_OBJECTS.value if most is None else most
    full = (type_.group, type_.kind) in FULL or is_custom(type_.group)
    found: list[KubeObject] = []
    token = ""
    try:
        while True:
            if full:
                page = client.list(type_, namespace, labels=labels, limit=CHUNK, continue_=token)
                found, token = found + page.items, page.continue_
            else:
                table = client.table(type_, namespace, labels=labels, limit=CHUNK, continue_=token)
                found, token = found + [row.object for row in table.rows], table.continue_
            if not token:
                return found, ""
            if len(found) >= most:
                return found, _("only the first %(count)d objects of the namespace were checked") % {
                    "count": len(found)
                }
    except NotFound:
        return [], ""  # the kind's definition was just deleted: there are no objects of it
    except KubeError as error:
        return found, str(error)


def scan(client: ClusterClient, pods: ResourceType, namespace: str, wanted: Callable[[KubeObject], bool]) -> Read:
    """Those Pods of the whole namespace that are wanted, by their metadata; their state is what the server's own
    columns say.
    """
    found: list[KubeObject] = []
    token, seen = "", 0
    try:
        while True:
            table = client.table(pods, namespace, limit=CHUNK, continue_=token)
            found += (as_pod(table.columns, row) for row in table.rows if wanted(row.object))
            seen, token = seen + len(table.rows), table.continue_
            if not token:
                return found, ""
            if seen >= limits.SCANNED_PODS.value:
                return found, _("only the first %(count)d objects of the namespace were checked") % {"count": seen}
    except KubeError as error:
        return found, str(error)


def as_pod(columns: Iterable[Column], row: TableRow) -> KubeObject:
    """A Pod's state as far as its Table row tells: status word, ready containers, restarts."""
    cells = {column.name: value for column, value in zip(columns, row.cells, strict=False)}
    ready, _slash, all_ = str(cells.get("Ready") or "").partition("/")
    word = str(cells.get("Status") or "")
    phase = word if word in ("Pending", "Running", "Succeeded", "Failed", "Unknown") else "Running"
    phase = "Succeeded" if word == "Completed" else phase
    number, total = int(ready) if ready.isdecimal() else 0, int(all_) if all_.isdecimal() else 0
    restarts = str(cells.get("Restarts") or "0").split(" ")[0]
    containers: list[dict[str, Any]] = [{"ready": index < number} for index in range(min(total, 100))]
    if containers:
        containers[0]["restartCount"] = int(restarts) if restarts.isdecimal() else 0
        if phase != word and word != "Completed":
            containers[0]["state"] = {"waiting": {"reason": word}}
    status = {
        "phase": phase,
        "containerStatuses": containers,
        "conditions": [{"type": "Ready", "status": "True" if number == total else "False"}],
    }
    return {"metadata": row.object.get("metadata") or {}, "status": status}
