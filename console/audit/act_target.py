"""The object of an act: parsed from the log's text, or from the request to the cluster."""

import re
from dataclasses import replace

import msgspec

from kube.objects import KubeObject, name_of, uid_of
from kube.recording import RequestTarget, Write

# group/version/plural namespace/name, as resources/place.py and operatorhub/olm.py write it; more may follow.
_REF = re.compile(
    r"(?P<group>[^/\s]+)/(?P<version>[^/\s]+)/(?P<plural>[^/\s]+)"
    r" (?:(?P<namespace>[^/\s]*)/)?(?P<name>[^/\s]*)(?:\s+(?P<rest>.+))?"
)


def read(ref: str) -> tuple[RequestTarget | None, str]:
    """The object and what the text says beside it; None where it names no object of the cluster."""
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


def named(write: Write) -> RequestTarget:
    """What a write is about.

    Of a creation the name is in what was sent, or in the answer, if the server made one up.
    """
    if write.target.name:
        return write.target
    return replace(write.target, name=name_of(_answer(write)) or name_of(_body(write)))


def uid(write: Write) -> str:
    """The object's UID; for a deletion from the details of the Status."""
    answer = _answer(write)
    details = answer.get("details")
    found = uid_of(answer) or (str(details.get("uid") or "") if isinstance(details, dict) else "")
    return (found or uid_of(_decoded(write.before)))[:64]


def kind(write: Write) -> str:
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
    """Only this much is read: the rest of an object is passed over."""

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
