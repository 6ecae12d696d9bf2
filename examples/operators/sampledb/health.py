"""What keeps Pods from running, in words for the status: a Secret that is missing, a setting that is wrong, a volume
that is full.

The engine has no way to call for help but its log, so that is where a full volume is read from. It works on every
cluster.
"""

from __future__ import annotations

from examples.operators.kubeapi import KubeApi
from examples.operators.pod_problems import StatusProblem, first_trouble

from .database import Database

#: What Redis and Valkey say when writing fails, and when it works again.
_FULL = ("No space left on device", "Short write while writing to the AOF file", "Disk quota exceeded")
_WELL = ("AOF write error looks solved", "Background saving terminated with success", "DB saved on disk")


async def password_missing(api: KubeApi, db: Database) -> StatusProblem | None:
    """Whether the Secret that the person was to make is not there, or has not the key."""
    name, key = db.password_key
    if name == db.credentials:
        return None
    secret = await api.get("Secret", db.namespace, name)
    if secret is None:
        text = f"the Secret {name} of spec.passwordSecretRef is not there; create it with the key {key}"
    elif key not in (secret.get("data") or {}):
        text = f"the Secret {name} of spec.passwordSecretRef has no key {key}; add it"
    else:
        return None
    return StatusProblem("SecretMissing", text)


async def of_pods(api: KubeApi, db: Database, selector: str) -> StatusProblem | None:
    """What keeps the first of these Pods that has trouble from running."""
    return await first_trouble(api, await api.list("Pod", db.namespace, selector))


async def volume_full(api: KubeApi, db: Database) -> StatusProblem | None:
    """Whether the Pod that takes writes could not write its last change to the volume."""
    if line := full(await api.log(db.namespace, f"{db.name}-0", 40)):
        text = (
            f"the volume data-{db.name}-0 is full, so the database refuses writes; raise spec.storage, or delete keys"
        )
        return StatusProblem("VolumeFull", f"{text} ({line})")
    return None


def full(log: str) -> str:
    """The engine's line that says that a volume is full, unless a later one says that writing works again."""
    for line in reversed(log.splitlines()):
        if any(words in line for words in _WELL):
            return ""
        if any(words in line for words in _FULL):
            return line.strip()
    return ""
