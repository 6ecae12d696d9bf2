"""What an applied text did or would do to each object, and how it is taken back.

The previous objects go to the page with the result, and come back from it: nothing is stored here, and undoing uses
the permissions of the user who undoes. An object that was changed since is left as it is and named. Values of Secrets
do not go to the page: a change to a Secret can't be undone.
"""

import base64
import binascii
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from kube import limits
from kube.client import ClusterClient
from kube.errors import Conflict, KubeError, NotFound
from kube.objects import KubeObject, name_of, uid_of
from resources.applying.imports import Result
from resources.place import Place
from resources.writing.diff import same
from resources.writing.draft import own
from resources.writing.review import Review, review
from untrusted import json_bounds


class UndoStep(msgspec.Struct, frozen=True):
    """One object to restore to `before`, or to delete if it had none. `after`: the object as we applied it."""

    group: str
    version: str
    plural: str
    namespace: str
    name: str
    uid: str
    after: dict[str, Any]
    before: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of one step. `words`: what was done; `problem`: why it was not."""

    step: UndoStep
    words: str = ""
    problem: str = ""
    error: KubeError | None = None


def difference(result: Result) -> Review | None:
    """What changes in an object that is there; None where it is new, the same, secret, or was refused."""
    if result.outcome != "changed" or result.made is None or result.before is None or result.is_secret:
        return None
    return review(result.before, result.document.object, result.made)


def pack(results: Iterable[Result]) -> str:
    """The steps that take it back, for a field of the page; '' where there are none or they are too large for it."""
    steps = [step for result in results if (step := _step(result)) is not None]
    if not steps:
        return ""
    packed = base64.b64encode(zlib.compress(msgspec.json.encode(steps))).decode()
    return packed if len(packed) <= limits.IMPORT_UNDO.value else ""


def unpack(text: str) -> list[UndoStep]:
    """Raises ValueError for what pack() has not made."""
    try:
        opened = zlib.decompressobj()
        plain = opened.decompress(base64.b64decode(text, validate=True), limits.IMPORT_UNDO_UNPACKED.value)
        if opened.unconsumed_tail:
            raise ValueError("too large")
        return json_bounds.load_as(plain, list[UndoStep])
    except (binascii.Error, zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error


def undo(client: ClusterClient, steps: list[UndoStep]) -> tuple[Undone, ...]:
    """Undoes the last step first. A step that fails doesn't stop the others."""
    return tuple(_undo(client, step) for step in reversed(steps))


def _undo(client: ClusterClient, step: UndoStep) -> Undone:
    try:
        type_ = client.find(step.group, step.version, step.plural)
        if step.before is None:
            client.delete(type_, step.name, step.namespace, propagation="Background", uid=step.uid)
            return Undone(step, _("deleted"))
        now = client.get(type_, step.name, step.namespace)
        if uid_of(now) != step.uid or not same(own(now), step.after):
            return Undone(step, problem=_("Another user changed the object since, so it wasn't undone."))
        version = now["metadata"].get("resourceVersion")
        metadata = {**step.before["metadata"], "resourceVersion": version, "uid": step.uid}
        client.replace(type_, {**step.before, "metadata": metadata}, step.namespace)
        return Undone(step, _("restored"))
    except NotFound:
        return Undone(step, _("already deleted"))
    except Conflict as error:
        return Undone(step, problem=_("Another user changed the object since, so it wasn't undone."), error=error)
    except KubeError as error:
        return Undone(step, problem=str(error), error=error)


def place(client: ClusterClient, step: UndoStep) -> Place | None:
    try:
        return Place(client.find(step.group, step.version, step.plural), step.namespace, step.name)
    except KubeError:
        return None


def _step(result: Result) -> UndoStep | None:
    made, type_ = result.made, result.type
    if made is None or type_ is None or result.outcome not in ("created", "changed"):
        return None
    before: KubeObject | None = None
    after: KubeObject = {}
    if result.outcome == "changed":
        if result.is_secret or result.before is None:
            return None
        before, after = own(result.before), own(made)
    return UndoStep(
        group=type_.group,
        version=type_.version,
        plural=type_.plural,
        namespace=result.namespace,
        name=name_of(made),
        uid=uid_of(made),
        after=after,
        before=before,
    )
