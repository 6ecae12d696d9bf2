"""The context of acts: one request or one worker task, with its writes to the cluster and the recorded acts.

Acts are saved together at its end. A write that no view recorded becomes an act as well, so that none is missing
because a view forgot it. Acts and writes are matched by their object: of an act it is in the log's text, of a write in
the request to the cluster or the answer.
"""

import re
from dataclasses import dataclass, field, replace

import msgspec

from console.audit.models import AuditEntry
from kube.objects import KubeObject, name_of, uid_of
from kube.recording import Recording, RequestTarget, Write

# group/version/plural namespace/name, as resources/place.py and operatorhub/olm.py write it; more may follow.
_REF = re.compile(
    r"(?P<group>[^/\s]+)/(?P<version>[^/\s]+)/(?P<plural>[^/\s]+)"
    r" (?:(?P<namespace>[^/\s]*)/)?(?P<name>[^/\s]*)(?:\s+(?P<rest>.+))?"
)


@dataclass(frozen=True, slots=True)
class Where:
    """Where acts come from. `source`: page, api or worker.

    `address`: of the client, as the server in front says it. `groups`: of who asks, as far as they are known.
    """

    source: str = ""
    address: str = ""
    request_id: str = ""
    groups: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Scene:
    """One request or task. `claimed`: indices of recorded writes in `sent.writes`. `entries` wait to be saved."""

    where: Where
    sent: Recording
    claimed: set[int] = field(default_factory=set)
    seen: int = 0
    by_target: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)
    entries: list[AuditEntry] = field(default_factory=list)

    def claim(self, found: RequestTarget | None) -> Write | None:
        """The newest unclaimed write to the object; all older ones to it belong to the same act.

        `found` None: the first unclaimed write to any object.
        """
        self._look()
        if found is None:
            free = (number for number in range(self.seen) if number not in self.claimed)
            if (first := next(free, None)) is None:
                return None
            found = target_of_write(self.sent.writes[first])
        numbers = self.by_target.get(_key(found), [])
        mine = [number for number in numbers if number not in self.claimed]
        self.claimed.update(mine)
        return self.sent.writes[mine[-1]] if mine else None

    def unclaimed(self) -> list[Write]:
        self._look()
        return [self.sent.writes[number] for number in range(self.seen) if number not in self.claimed]

    def _look(self) -> None:
        for number in range(self.seen, len(self.sent.writes)):
            self.by_target.setdefault(_key(target_of_write(self.sent.writes[number])), []).append(number)
        self.seen = len(self.sent.writes)


def _key(found: RequestTarget) -> tuple[str, str, str]:
    return (f"{found.plural}.{found.group}", found.namespace, found.name)


def target_in_text(ref: str) -> tuple[RequestTarget | None, str]:
    """The object and the rest of the text; None where it names no object of the cluster."""
    found = _REF.fullmatch(ref)
    if found is None:
        return None, ref
    group = "" if found["group"] == "core" else found["group"]
    return (
        RequestTarget(
            group=group,
            version=found["version"],
            plural=found["plural"],
            namespace=found["namespace"] or "",
            name=found["name"],
        ),
        found["rest"] or "",
    )


def target_of_write(write: Write) -> RequestTarget:
    """The object of a write. The name of a created one is in the answer (`generateName`) or in the body."""
    if write.target.name:
        return write.target
    return replace(write.target, name=name_of(_answer(write)) or name_of(_body(write)))


def uid_of_write(write: Write) -> str:
    """The object's UID; for a deletion from the details of the Status."""
    answer = _answer(write)
    details = answer.get("details")
    found = uid_of(answer) or (str(details.get("uid") or "") if isinstance(details, dict) else "")
    return (found or uid_of(_decoded(write.before)))[:64]


def kind_of_write(write: Write) -> str:
    """The object's kind, not that of a subresource's body."""
    texts = (write.before,) if write.target.subresource else (write.answer, write.body, write.before)
    found = (str(_decoded(text).get("kind") or "") for text in texts)
    return next((name for name in found if name and name not in ("Status", "DeleteOptions", "Scale")), "")


def _answer(write: Write) -> KubeObject:
    return _decoded(write.answer)


def _body(write: Write) -> KubeObject:
    return _decoded(write.body)


class _Metadata(msgspec.Struct):
    name: str = ""
    uid: str = ""


class _Head(msgspec.Struct):
    """The fields that are decoded of an object."""

    kind: str = ""
    metadata: _Metadata | None = None
    details: dict[str, object] | None = None


_decode = msgspec.json.Decoder(_Head).decode


def _decoded(text: bytes) -> KubeObject:
    try:
        head = _decode(text) if text else _Head()
    except (msgspec.MsgspecError, UnicodeDecodeError):  # of other types than an object has, or no JSON
        return {}
    found: KubeObject = {"kind": head.kind, "details": head.details}
    if head.metadata:
        found["metadata"] = {"name": head.metadata.name, "uid": head.metadata.uid}
    return found
