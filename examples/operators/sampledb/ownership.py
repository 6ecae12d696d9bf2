"""Creates objects without taking over those of other owners: a name that is taken is reported."""

from __future__ import annotations

from examples.operators.kubeapi import KubeApi, contains

from .database import Database, Object


class TakenError(Exception):
    """An object of this name is there and belongs to something else; the message is for people."""


async def find(api: KubeApi, db: Database, kind: str, name: str) -> Object | None:
    """The database's own object of this name, or None; TakenError if it has another owner."""
    present = await api.get(kind, db.namespace, name)
    if present is not None and not db.owns(present):
        raise TakenError(
            f"a {kind} named {name} exists already and does not belong to this database; "
            "delete it, or give the database another name"
        )
    return present


async def ensure(api: KubeApi, db: Database, wanted: Object) -> Object:
    """Creates the object, or patches it where it differs from ``wanted``; TakenError when it is not the database's
    own.
    """
    kind, name = wanted["kind"], wanted["metadata"]["name"]
    present = await find(api, db, kind, name)
    if present is None:
        return await api.create(wanted)
    if contains(present, wanted):
        return present
    return await api.patch(kind, db.namespace, name, wanted)
