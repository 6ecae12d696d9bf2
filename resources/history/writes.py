"""Changes made through the console: which user made them, and how they are undone.

Objects are stored as the history stores them (stored_object.py), for each user's last UNDOABLE changes; Secrets are not
stored at all.

reverted() and recreated() make the object to send: the user-written parts of the stored version, laid over the object
as it is now. Never sent back: the status, owner references, finalizers, and values that were not recorded
(stored_object.py).
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.db import DatabaseError
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from kube import limits
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, is_last_applied, mapping, uid_of, without_last_applied
from kube.reader import read
from kube.types.meta import Object
from resources.history import store, stored_object
from resources.history.store import UNDOABLE
from resources.models import Write
from resources.place import Place
from resources.writing.diff import same
from resources.writing.draft import SERVERS, own

log = logging.getLogger(__name__)


def wrote(
    client: ClusterClient,
    verb: str,
    place: Place,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> str:
    """Notes a change that the API server has taken; the address where it is undone, '' where that is not possible.

    Never fails: the change is made.

    `verb` as in the audit log. `before` None: it was created; `after` None: it was deleted.
    """
    item = after or before
    if item is None:
        return ""
    secret = place.type.kind == "Secret" and not place.type.group
    row = _row(client, verb, place, uid_of(dict(item)))
    row.resource_version = store.version_of(after) if after else ""
    if not secret:
        row.before, row.after = _packed(before), _packed(after)
    try:
        row.save(force_insert=True)
        _forget(client)
    except DatabaseError as error:
        log.warning("a change of %s can't be noted: %s", place.ref, error)
        return ""
    possible = not secret and (before is None or row.before is not None) and (after is None or row.after is not None)
    return reverse("resources:undo", args=[row.key]) if possible else ""


def _row(client: ClusterClient, verb: str, place: Place, uid: str) -> Write:
    return Write(
        key=uuid4().hex,
        cluster=client.name,
        user=client.owner[:512],
        at=timezone.now(),
        verb=verb[:32],
        group=place.type.group,
        version=place.type.version,
        plural=place.type.plural,
        kind=place.type.kind,
        namespace=place.namespace,
        name=place.name,
        uid=uid,
    )


def noted(client: ClusterClient, verb: str, all_: Iterable[tuple[Place, str]]) -> None:
    """Many at once, each with its uid: who did it, and nothing to take it back by."""
    try:
        Write.objects.bulk_create((_row(client, verb, place, uid) for place, uid in all_), batch_size=500)
    except DatabaseError as error:
        log.warning("changes of many objects can't be noted: %s", error)


def changed(client: ClusterClient, verb: str, place: Place, before: Mapping[str, Any] | None) -> str:
    """As `wrote`, after something whose answer is not the object (a subresource); '' where people's part of it is as
    it was.
    """
    after = current_object(client, place)
    if before is None or after is None or uid_of(after) != uid_of(dict(before)) or same(own(after), own(dict(before))):
        return ""
    return wrote(client, verb, place, before, after)


def current_object(client: ClusterClient, place: Place) -> KubeObject | None:
    """The object before or after a change; None if it can't be read: then the change isn't stored."""
    try:
        return place.get(client)
    except KubeError:
        return None


def _packed(obj: Mapping[str, Any] | None) -> bytes | None:
    if obj is None:
        return None
    clean = stored_object.clean(obj)
    clean.pop("status", None)
    data = stored_object.packed(clean)
    return data if len(data) <= limits.UNDO_OBJECT.value else None


def _forget(client: ClusterClient) -> None:
    """Of a user's older changes only who did what stays."""
    mine = Write.objects.filter(cluster=client.name, user=client.owner)
    last = mine.order_by("-at").values_list("at", flat=True)[UNDOABLE : UNDOABLE + 1]
    if found := list(last):
        mine.filter(at__lte=found[0]).exclude(before=None, after=None).update(before=None, after=None)


def find(client: ClusterClient, key: str) -> Write | None:
    """One of this user's own."""
    return Write.objects.filter(key=key, cluster=client.name, user=client.owner).first()


def mine(client: ClusterClient, limit: int = 20) -> list[Write]:
    """This user's last changes, newest first, without the objects."""
    rows = Write.objects.filter(cluster=client.name, user=client.owner).order_by("-at")
    return list(rows.defer("before", "after")[:limit])


def with_possible(client: ClusterClient, limit: int = 20) -> list[tuple[Write, bool]]:
    """This user's last changes, newest first, without the objects; with whether each can be taken back."""
    rows = mine(client, limit)
    keys = [row.key for row in rows]
    enough = Q(before__isnull=False) | Q(verb="create", after__isnull=False)
    possible = set(Write.objects.filter(enough, key__in=keys).values_list("key", flat=True))
    return [(row, row.key in possible) for row in rows]


def place(client: ClusterClient, row: Write) -> Place | None:
    """Where it happened; None where the kind is not served any more."""
    try:
        return Place(client.find(row.group, row.version, row.plural), row.namespace, row.name)
    except KubeError:
        return None


def undoable(row: Write) -> bool:
    """Whether enough was kept. A creation is undone by deleting what was made."""
    return row.before is not None or (row.verb == "create" and row.after is not None)


def with_undo(text: str, url: str) -> str | SafeString:
    """A message's words, with the way back where there is one."""
    return format_html('{} <a href="{}">{}</a>', text, url, _("Undo")) if url else text


def add_message(request: HttpRequest, text: str, url: str) -> None:
    """The success message of a change."""
    messages.success(request, with_undo(text, url))


def objects(row: Write) -> tuple[KubeObject | None, KubeObject | None]:
    """What was kept: before and after."""
    return (
        stored_object.unpacked(row.before) if row.before else None,
        stored_object.unpacked(row.after) if row.after else None,
    )


_REPLACED = ("labels", "annotations", "managedFields")


def reverted(version: KubeObject, live: KubeObject) -> KubeObject:
    """The live object with the spec, labels and annotations of `version`; its own metadata names it to the server."""
    now, then = read(live, Object).metadata, read(version, Object).metadata
    metadata = {key: value for key, value in mapping(live.get("metadata")).items() if key not in _REPLACED}
    if then.labels:
        metadata["labels"] = then.labels
    # The copies that programs keep (what kubectl applied last) stay: only so kopf sees that something changed.
    notes = {key: value for key, value in now.annotations.items() if is_last_applied(key)}
    notes |= without_last_applied(then.annotations)
    if notes:
        metadata["annotations"] = notes
    body = {key: value for key, value in version.items() if key not in ("status", "metadata", "apiVersion", "kind")}
    made: dict[str, Any] = {
        "apiVersion": live.get("apiVersion"),
        "kind": live.get("kind"),
        "metadata": metadata,
        **body,
    }
    found: KubeObject = stored_object.unmasked(made, live)
    return found


def recreated(version: KubeObject) -> KubeObject:
    """An object to be created again: without what only a server writes, owners (they may be gone) and finalizers (no
    controller has started work that they would guard).
    """
    metadata = {
        key: value
        for key, value in mapping(version.get("metadata")).items()
        if key not in (*SERVERS, "ownerReferences", "finalizers")
    }
    if "annotations" in metadata:
        metadata["annotations"] = without_last_applied(metadata["annotations"])
    made = {**{key: value for key, value in version.items() if key != "status"}, "metadata": metadata}
    found: KubeObject = stored_object.unmasked(made, {})
    return found


def lost_parts(kind: str, version: KubeObject) -> list[str]:
    """Codes for what creating it again does not bring back: values, owners, data, contents, instances, identity."""
    found = []
    if stored_object.any_hidden(version):
        found.append("values")
    if read(version, Object).metadata.owner_references:
        found.append("owners")
    contents = {
        "PersistentVolumeClaim": "data",
        "PersistentVolume": "data",
        "Namespace": "contents",
        "CustomResourceDefinition": "instances",
    }
    return [*found, contents.get(kind, "owned")]
