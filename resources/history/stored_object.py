"""A version of an object as the history stores it, without heartbeats and passwords, and the steps back to the version
before.

Left out: managedFields and what the server counts; in the status every time, observedGeneration and resourceVersions,
so that an operator that only says "still the same, now" makes no history. Values under names like `password` are
replaced by dots and a short keyed digest: that one changed is seen, what it was is not. A Secret is not kept at all.

A step back is [path, value], or [path] for what was not there; a path is a list of keys and places in lists. Lists of
equal length are compared item by item, others are taken whole: so that what is kept is small where it matters (one
container of ten) and simple everywhere else.
"""

import hashlib
import hmac
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec
from django.conf import settings

from kube.fields import MISSING, Field, Path, brief, dotted, named, same, structured
from kube.objects import MASKED as MASKED
from kube.objects import KubeObject, mapping, moment, redacted, without_last_applied
from kube.reader import read
from kube.types.meta import Condition, ManagedFieldsEntry, ManagedMeta, Object, TypicalObject

_METADATA = ("name", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp")
_LEADER = "control-plane.alpha.kubernetes.io/leader"
_STATUS_NOISE = re.compile(r"observedGeneration|.*[rR]esourceVersion|last(Transition|Update|Heartbeat|Probe)Time")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
_SALT = b"resources.history"


Op = list[Any]


def skipped(obj: Mapping[str, Any]) -> bool:
    """Objects that have no history: Secrets, copies that OLM makes of a CSV in every namespace, locks of leader
    elections.
    """
    if obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1":
        return True
    metadata = read(obj, Object).metadata
    return "olm.copiedFrom" in metadata.labels or _LEADER in metadata.annotations


def clean(obj: Mapping[str, Any]) -> KubeObject:
    """A new object with what is kept; `obj` is not changed."""
    metadata = mapping(obj.get("metadata"))
    kept_metadata: dict[str, Any] = {key: metadata[key] for key in _METADATA if metadata.get(key)}
    if "annotations" in kept_metadata:
        kept_metadata["annotations"] = without_last_applied(kept_metadata["annotations"])
        if not kept_metadata["annotations"]:
            del kept_metadata["annotations"]
    made: dict[str, Any] = {"apiVersion": obj.get("apiVersion"), "kind": obj.get("kind"), "metadata": kept_metadata}
    for key, value in obj.items():
        if key not in made:
            made[key] = _status(value) if key == "status" else value
    hidden: KubeObject = redacted(made, _dots)
    return hidden


def _status(value: Any) -> Any:
    """Without times and what only counts."""
    if isinstance(value, Mapping):
        return {
            key: _status(part)
            for key, part in value.items()
            if not _STATUS_NOISE.fullmatch(str(key)) and not (isinstance(part, str) and _TIME.fullmatch(part))
        }
    return [_status(part) for part in value] if isinstance(value, list) else value


def _dots(value: str) -> str:
    if value.startswith(MASKED):
        return value
    key = settings.SECRET_KEY.encode() + _SALT
    return f"{MASKED} {hmac.new(key, value.encode(), hashlib.sha256).hexdigest()[:8]}"


def hidden(value: Any) -> bool:
    """Whether this stands for a value that was not kept."""
    return isinstance(value, str) and value.startswith(f"{MASKED} ")


def unmasked(value: Any, live: Any) -> Any:
    """`value` with the live object's values in the places of those that were not kept; where there is none the place
    is left out.
    """
    if isinstance(value, dict):
        other = live if isinstance(live, dict) else {}
        pairs = ((key, unmasked(part, other.get(key))) for key, part in value.items())
        return {key: part for key, part in pairs if not hidden(part)}
    if isinstance(value, list):
        others = live if isinstance(live, list) else []
        return [unmasked(part, _counterpart(part, place, others)) for place, part in enumerate(value)]
    return live if hidden(value) and isinstance(live, str) else value


def _counterpart(part: Any, place: int, others: list[Any]) -> Any:
    """The item that stands for the same thing, by its name or else its place."""
    if isinstance(part, dict) and isinstance(part.get("name"), str):
        return next((other for other in others if isinstance(other, dict) and other.get("name") == part["name"]), None)
    return others[place] if place < len(others) else None


def any_hidden(value: Any) -> bool:
    if isinstance(value, dict):
        return any(any_hidden(part) for part in value.values())
    return any(any_hidden(part) for part in value) if isinstance(value, list) else hidden(value)


def writer(
    obj: Mapping[str, Any], paths: Collection[Path], since: datetime | None = None
) -> tuple[str, datetime | None]:
    """The manager that made a change, and when, by managedFields; '' where that isn't recorded.

    `paths` were changed; `since`: time of the previous change.

    The writer of a field that exists is among its owners. A removed field has no owner: only a manager whose fields
    changed since then can have removed it.
    """
    entries = read(obj.get("metadata"), ManagedMeta).managed_fields
    newest = max((entry.time for entry in entries), default="")
    last = [entry for entry in entries if entry.time == newest]
    if not last:
        return "", None
    status = all(path and path[0] == "status" for path in paths)
    last.sort(key=lambda entry: (*_owned(entry, paths), (entry.subresource == "status") == status))
    when = moment(newest)
    present = [path for path in paths if _has(obj, path)]
    if present:
        known = _owned(last[-1], present)[0] > 0
    else:
        known = not paths or since is None or (when is not None and when > since.replace(microsecond=0))
    return (last[-1].manager[:253], when) if known else ("", None)


def _has(value: Any, path: Path) -> bool:
    for step in path:
        if isinstance(value, Mapping) and str(step) in value:
            value = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return False
    return True


def _owned(entry: ManagedFieldsEntry, paths: Collection[Path]) -> tuple[int, int]:
    """(how many of the paths are this manager's, how many steps of all paths are).

    An item of a list goes by a key: its list is looked for.
    """
    whole = steps = 0
    for path in paths:
        names = path[: next((place for place, step in enumerate(path) if isinstance(step, int)), len(path))]
        fields: Mapping[str, Any] = entry.fields_v1
        depth = 0
        for name in names:
            if f"f:{name}" not in fields:
                break
            fields, depth = mapping(fields[f"f:{name}"]), depth + 1
            if not fields:
                depth = len(names)  # an atomic value belongs to its owner with all that is in it
                break
        whole += depth == len(names)
        steps += depth
    return whole, steps


def packed(value: Any) -> bytes:
    return zlib.compress(msgspec.json.encode(value), 6)


def unpacked(data: bytes | memoryview) -> Any:
    """The object that was packed; None for b''."""
    return msgspec.json.decode(zlib.decompress(bytes(data))) if data else None


def steps_back(new: Any, old: Any) -> list[Op]:
    """What makes `old` of `new`."""
    return [[list(path)] if before is MISSING else [list(path), before] for path, before, _after in _walk(old, new, ())]


def apply_steps(obj: Any, ops: list[Op]) -> Any:
    """A new object; containers on the way are copied.

    A path that leads nowhere is passed over: then nothing can be put there.
    """
    for path, *value in ops:
        obj = _put(obj, path, value[0] if value else MISSING)
    return obj


def _put(obj: Any, path: list[str | int], value: Any) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(obj, dict):
        made = dict(obj)
        below = _put(made.get(str(step), {}), rest, value)
        if below is MISSING:
            made.pop(str(step), None)
        else:
            made[str(step)] = below
        return made
    if isinstance(obj, list) and isinstance(step, int) and 0 <= step < len(obj):
        return [_put(part, rest, value) if place == step else part for place, part in enumerate(obj)]
    return obj


def _walk(old: Any, new: Any, path: Path) -> Iterator[Field]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _walk(old.get(key, MISSING), new.get(key, MISSING), (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and old and structured(old):
        for place, (item, other) in enumerate(zip(old, new, strict=True)):
            yield from _walk(item, other, (*path, place))
    elif (old is MISSING) != (new is MISSING) or not same(old, new):
        yield path, old, new


def changed_fields(old: Any, new: Any, limit: int) -> tuple[list[list[str]], int]:
    """The first changed fields as [path, before, after], conditions before all others, and how many there are in
    all. '' stands for nothing.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        # A first status is listed field by field, as a change of one is.
        old, new = ({**obj, "status": obj.get("status", {})} for obj in (old, new))
    changes = [*_conditions(old, new), *_told(old, new)]
    return changes[:limit], len(changes)


def _conditions(old: Any, new: Any) -> Iterator[list[str]]:
    """['Ready', 'False', 'True (AllGood)']: a condition as one thing."""
    before, after = _by_type(old), _by_type(new)
    for type_ in dict.fromkeys((*before, *after)):
        item, other = before.get(type_), after.get(type_)
        if item != other:
            short = item is not None and other is not None and _condition(item, False) == _condition(other, False)
            yield [f"condition {type_}", _condition(item, short), _condition(other, short)]


def _by_type(obj: Any) -> dict[str, Mapping[str, Any]]:
    conditions = read(obj, TypicalObject).status.conditions
    entries = conditions if isinstance(conditions, list) else ()
    return {str(entry["type"]): entry for entry in entries if isinstance(entry, dict) and entry.get("type")}


def _condition(entry: Mapping[str, Any] | None, short: bool) -> str:
    """The status with its reason; where only the text changed, the text."""
    if entry is None:
        return ""
    condition = read(entry, Condition)
    words = f"{condition.status or '–'}{f' ({condition.reason})' if condition.reason else ''}"
    return brief(f"{words}: {condition.message}" if short and condition.message else words)


def _told(old: Any, new: Any) -> Iterator[list[str]]:
    known = any(_by_type(obj) for obj in (old, new))  # as conditions, by _conditions
    for path, before, after in named(old, new):
        if not (known and path[:2] == ("status", "conditions")):
            yield [dotted(path), brief(before), brief(after)]
