"""The audit's rows: made from acts and writes, with the fields that changed, and saved.

The act is done by then: a row that can't be written is logged, tried again for a while, and never stops anything.
SQLite lets one process write at a time: a request waits for a second at most, and leaves its rows to be written a
little later.

Values of Secrets, of names like `password` (kube/objects.py), and texts that look like keys, tokens or logins are
never recorded. A sensitive value within a longer text (a file in a ConfigMap) can't be recognized, so only the number
of lines is recorded of a text with several.
"""

import atexit
import logging
import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import Error, connection, transaction
from django.db.models import CharField
from django.utils import timezone

from console.audit.models import AuditEntry
from console.audit.scene import (
    Scene,
    Where,
    kind_of_write,
    target_in_text,
    target_of_write,
    uid_of_write,
)
from kube.fields import MISSING, Field, brief, dotted, named
from kube.objects import MASKED, SENSITIVE_NAMES, apply_merge, without_last_applied
from kube.recording import RequestTarget, Write

log = logging.getLogger("console.audit.entries")

#: Rows that wait for a database that is away; what is more is in the log alone.
LATE = 2000
AGAIN_SECONDS = 5.0
_WAIT_MILLISECONDS = 1000
_BATCH = 200
_METHODS = {"POST": "create", "PUT": "replace", "PATCH": "patch", "DELETE": "delete"}
_late: deque[AuditEntry] = deque(maxlen=LATE)
_lock = threading.Lock()
_timer: threading.Timer | None = None
#: Recorded fields per act, and characters per path.
FIELDS, _PATH = 40, 200
_BEGINNING = 1000
#: Stands for a value that wasn't read before the change.
UNKNOWN = "?"
_UNKNOWN: Any = object()
_METADATA = ("labels", "annotations", "finalizers", "ownerReferences")
# More than the history hides, which must restore values; the audit never does.
_MORE = re.compile(
    r"(passwords?|tokens?|credentials?|secrets?|auth|authorization|dockerconfig(json)?|dockercfg|htpasswd|kubeconfig|tls\.key|id_rsa|ssh-privatekey|cookie|bearer)$",
    re.I,
)
# Below these names stands which Secret is meant, not what is in it.
_REFERENCES = re.compile(r"(ref|refs|name|names|from|source|sources)$|^(imagePullSecrets|secrets|volumes)$", re.I)
_LOOKS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\beyJ[\w-]{5,}\.[\w-]{5,}\.|\b[Bb]earer\s+\S{8,}|://[^/\s:@]*:[^/\s@]+@"
    r"|\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\bxox[abprs]-\S{10,}|\bglpat-\S{10,}"
)
_SAYS = re.compile(
    r"(pass(word|wd|phrase)?|pwd|token|secret|(api|access|private|secret)[-_]?key)\b[\"']?\s*[=:]\s*\S+", re.I
)


def entry(
    cluster: str, user: str, verb: str, ref: str, outcome: str, where: Where, scene: Scene | None, as_user: str = ""
) -> AuditEntry:
    """The row of an act, not saved. What was sent to its object in this scene tells the rest."""
    found, rest = target_in_text(ref)
    write = scene.claim(found) if scene else None
    if found is None and write is None:
        found, rest = RequestTarget(group="", version="", plural="", name=masked_text(rest)), ""
    target = target_of_write(write) if write else found
    assert target is not None
    if write is not None and write.reason and " " in outcome:  # the page's words for the reason
        outcome = write.reason
    return _row(
        cluster=cluster,
        user=user,
        verb=verb,
        target=target,
        outcome=outcome,
        where=where,
        write=write,
        detail=rest,
        as_user=as_user,
    )


def of_write(write: Write, where: Where) -> AuditEntry:
    """The row of a write that no view recorded."""
    verb = _METHODS.get(write.method, write.method.lower())
    target = target_of_write(write)
    config = write.config
    user, as_user = (config.by, config.user) if config.by else (config.user, "")
    return _row(
        cluster=config.name,
        user=user,
        verb=verb,
        target=target,
        outcome=write.reason or "ok",
        where=where,
        write=write,
        detail="",
        as_user=as_user,
    )


def _row(
    cluster: str,
    user: str,
    verb: str,
    target: RequestTarget,
    outcome: str,
    where: Where,
    write: Write | None,
    detail: str,
    as_user: str,
) -> AuditEntry:
    diff, number = diff_of(write) if write else ([], 0)
    row = AuditEntry(
        at=timezone.now(),
        cluster=cluster,
        user=user,
        as_user=as_user,
        groups=groups(write) or list(where.groups),
        verb=verb,
        group=target.group,
        version=target.version,
        resource=target.plural,
        kind=kind_of_write(write) if write else "",
        namespace=target.namespace,
        name=target.name,
        subresource=target.subresource,
        uid=uid_of_write(write) if write else "",
        detail=masked_text(detail),
        outcome=outcome,
        source=where.source,
        address=where.address,
        request_id=where.request_id,
        changed=number,
        diff=diff,
    )
    for field in AuditEntry._meta.fields:
        if isinstance(field, CharField) and field.max_length:
            setattr(row, field.name, plain(getattr(row, field.name), field.max_length))
    paths = " ".join(path for path, _before, _after in diff)
    searched = (
        row.user,
        row.as_user,
        row.verb,
        row.qualified,
        row.kind,
        row.namespace,
        row.name,
        row.subresource,
        row.detail,
    )
    row.words = " ".join((*searched, row.outcome, row.source, row.address, row.request_id, paths)).lower()[:4000]
    return row


def groups(write: Write | None) -> list[str]:
    """The impersonated groups in the request's headers. Without impersonation only the API server knows the groups."""
    headers = write.config.headers if write else ()
    return [value[:253] for name, value in headers if name.lower() == "impersonate-group"][:50]


def diff_of(write: Write) -> tuple[list[list[str]], int]:
    """[path, before, after] of the first fields, and the number of all. For a refused write: what it requested."""
    if write.method == "DELETE":
        return [], 0
    try:
        before, body, answer = (_object(text) for text in (write.before, write.body, write.answer))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [], 0
    if write.target.subresource not in ("", "scale", "status"):
        return [], 0
    secret = write.target.plural == "secrets" and not write.target.group
    status = write.target.subresource == "status"
    whole = bool(before) and before.get("kind") == answer.get("kind")
    if isinstance(body, list) and not whole:
        return _recorded(_operation(item, secret) for item in body if isinstance(item, dict))
    if write.method != "POST" and not before:
        return _recorded(_patched(_own(body, secret, status)))
    old, new = _sides(write, before, body, answer, whole)
    return _recorded(named(_own(old, secret, status), _own(new, secret, status), deep=True))


def _object(text: bytes) -> Any:
    return msgspec.json.decode(text) if text else {}


def _sides(write: Write, before: Any, body: Any, answer: Any, whole: bool) -> tuple[Any, Any]:
    """The object before and after."""
    if write.method == "POST":
        return {}, body
    if whole:
        return before, answer
    if write.method == "PUT":
        return before, body
    return _overlap(before, body), apply_merge(_overlap(before, body), body)


def _patched(patch: Any) -> Iterator[Field]:
    """What was sent for an object that was not read: what each field was is not known."""
    for path, _nothing, value in named({}, patch, deep=True):
        yield path, _UNKNOWN, MISSING if value is None else value


def _overlap(before: Any, body: Any) -> Any:
    """Of the object only what the patch speaks of."""
    if not isinstance(before, dict) or not isinstance(body, dict):
        return before
    return {key: _overlap(before[key], body[key]) for key in body if key in before}


def _own(obj: Any, secret: bool, status: bool) -> Any:
    """The parts that users write. Of a Secret only which keys exist and which values differ."""
    if not isinstance(obj, dict):
        return {}
    found = obj.get("metadata")
    metadata: dict[str, Any] = found if isinstance(found, dict) else {}
    selected = {key: metadata[key] for key in _METADATA if metadata.get(key)}
    if isinstance(notes := selected.get("annotations"), dict):
        selected["annotations"] = without_last_applied(notes)
    left_out = {"metadata", "apiVersion", "kind"} | (set() if status else {"status"})
    made = {"metadata": selected} if selected else {}
    made |= {key: value for key, value in obj.items() if key not in left_out}
    for key in ("data", "stringData") if secret else ():
        if key in made:
            made[key] = _hide_all(made[key])
    return _hidden(made)


@dataclass(frozen=True, slots=True)
class _Hidden:
    """A value that is compared and never said."""

    value: Any


def _hidden(value: Any, secretive: bool = False) -> Any:
    """`secretive`: it stands under a name like `credentials`; then all below is hidden but what names things."""
    if isinstance(value, Mapping):
        named_so = isinstance(value.get("name"), str) and _secretive(value["name"])
        return {key: _below(str(key), part, secretive, named_so) for key, part in value.items()}
    if isinstance(value, list):
        return [_hidden(part, secretive) for part in value]
    return _hide_all(value) if secretive else value


def _below(key: str, part: Any, secretive: bool, named_so: bool) -> Any:
    if _REFERENCES.search(key):
        return _hidden(part)
    return _hidden(part, secretive or _secretive(key) or (named_so and key == "value"))


def _hide_all(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _hide_all(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_hide_all(part) for part in value]
    return value if value is None or isinstance(value, bool | _Hidden) or value in ("", MISSING) else _Hidden(value)


def _secretive(name: str) -> bool:
    return bool(SENSITIVE_NAMES.search(name) or _MORE.search(name)) and not _REFERENCES.search(name)


def _operation(item: Mapping[str, Any], secret: bool) -> Field:
    """One operation of a JSON patch (RFC 6902), where the object is not known.

    What a `value` alone is, its neighbour would say: it is hidden.
    """
    path = tuple(part.replace("~1", "/").replace("~0", "~") for part in str(item.get("path") or "").split("/")[1:])
    value = item.get("value", MISSING)
    named_so = next((part for part in reversed(path) if not part.isdigit() and part != "-"), "")
    hide = secret and path[:1] in (("data",), ("stringData",))
    if value is not MISSING:
        value = _hide_all(value) if hide or named_so == "value" else _hidden(value, _secretive(named_so))
    return path, _UNKNOWN, value


def _recorded(fields: Iterable[Field]) -> tuple[list[list[str]], int]:
    """As diff_of() returns them."""
    entries: list[list[str]] = []
    number = 0
    for path, before, after in fields:
        number += 1
        if number <= FIELDS:
            entries.append([plain(dotted(path), _PATH), audit_value(before), audit_value(after)])
    return entries, number


def audit_value(value: Any) -> str:
    """A value in the audit's format, masked if it is sensitive."""
    if value is _UNKNOWN:
        return UNKNOWN
    if isinstance(value, _Hidden) or (isinstance(value, list) and any(isinstance(part, _Hidden) for part in value)):
        return MASKED
    if isinstance(value, str) and "\n" in value.strip():
        return f"({value.strip().count(chr(10)) + 1} lines, {len(value)} characters)"
    if isinstance(value, list):
        value = [_item(part, before) for part, before in zip(value, (None, *value), strict=False)]
    return plain(brief(masked_text(value) if isinstance(value, str) else value))


def _item(part: Any, before: Any) -> Any:
    """Of a command's arguments: what follows --password is one."""
    if not isinstance(part, str):
        return part
    return MASKED if isinstance(before, str) and before.startswith("-") and _secretive(before) else masked_text(part)


def plain(text: str, most: int = 200) -> str:
    """As every database takes it: PostgreSQL refuses U+0000."""
    return text[:most].replace("\0", "\ufffd")


def masked_text(text: str) -> str:
    """Its beginning, which is all that is kept of it, without what looks like a credential."""
    text = text[:_BEGINNING]
    return MASKED if _LOOKS.search(text) else _SAYS.sub(lambda found: f"{found[1]}={MASKED}", text)


def save(rows: Iterable[AuditEntry]) -> None:
    """Now, or a little later. Never raises."""
    with _lock:
        all_ = [*_late, *rows]
        _late.clear()
    if not all_:
        return
    try:
        with _briefly(), transaction.atomic():
            AuditEntry.objects.bulk_create(all_, batch_size=_BATCH)
    except Error as error:
        log.warning("%d audit entries can't be written now: %s", len(all_), error)
        for row in all_:
            row.pk = None
        with _lock:
            if len(_late) + len(all_) > LATE:
                log.error("the audit's database is away for too long: the oldest entries are in the log alone")
            _late.extend(all_)
        _later()
    except Exception:
        log.exception("%d audit entries can't be written", len(all_))


@contextmanager
def _briefly() -> Iterator[None]:
    """SQLite's patience of 20 s is for work that has to be done; this is not worth it."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        was = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout={min(was, _WAIT_MILLISECONDS)}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout={int(was)}")


def _later() -> None:
    """Schedules another attempt, so that it doesn't depend on further acts."""
    global _timer
    with _lock:
        if _timer is None:
            _timer = threading.Timer(AGAIN_SECONDS, _again)
            _timer.daemon = True
            _timer.start()


def _again() -> None:
    global _timer
    with _lock:
        _timer = None
    try:
        save(())
    finally:
        connection.close()


@atexit.register
def _at_last() -> None:
    if _late:
        save(())
