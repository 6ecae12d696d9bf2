"""serviceaccounts/token: a token for a ServiceAccount, for a while, for certain readers, perhaps bound to a Pod or
Secret.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from .errors import BadRequest, Conflict, Invalid, NotFound
from .objects import Object, decode, now
from .store import Store
from .tokens import ISSUER, Tokens

#: Kind → the resource that a token may be bound to. Nodes have no namespace.
_BINDABLE = {("v1", "Pod"): "pods", ("v1", "Secret"): "secrets", ("v1", "Node"): "nodes"}
_GROUP = "authentication.k8s.io"
_HOUR, _LEAST, _MOST = 3600, 600, 2**32


def with_token(store: Store, tokens: Tokens, account: Object, sent: Object) -> Object:
    """The TokenRequest with its token. BadRequest, Invalid; NotFound and Conflict of what it is to be bound to."""
    spec = sent.get("spec") or {}
    seconds = _seconds(spec.get("expirationSeconds"))
    reference = spec.get("boundObjectRef")
    bound = _bound(store, account["metadata"]["namespace"], reference) if reference else {}
    audiences = list(spec.get("audiences") or [ISSUER])
    token = tokens.issue(account, seconds, audiences, **bound)
    expires = (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
    metadata = account["metadata"]
    return {
        "kind": "TokenRequest",
        "apiVersion": f"{_GROUP}/v1",
        "metadata": {
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            "creationTimestamp": now(),
        },
        "spec": {"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": reference},
        "status": {"token": token, "expirationTimestamp": expires},
    }


def _seconds(asked: Any) -> int:
    if asked is None:
        return _HOUR
    if not isinstance(asked, int) or isinstance(asked, bool):
        given = "string" if isinstance(asked, str) else "bool" if isinstance(asked, bool) else "number"
        raise BadRequest(
            f'TokenRequest in version "v1" cannot be handled as a TokenRequest: json: cannot unmarshal {given} into Go '
            "struct field TokenRequestSpec.spec.expirationSeconds of type int64"
        )
    why = ""
    if asked < _LEAST:
        why = "may not specify a duration less than 10 minutes"
    elif asked > _MOST:
        why = "may not specify a duration larger than 2^32 seconds"
    if why:
        cause = ("spec.expirationSeconds", "FieldValueInvalid", f"Invalid value: {asked}: {why}")
        raise Invalid("TokenRequest", "", [cause], _GROUP)
    return asked


def _bound(store: Store, namespace: str, reference: Object) -> dict[str, Object]:
    version, kind = str(reference.get("apiVersion") or ""), str(reference.get("kind") or "")
    resource = _BINDABLE.get((version, kind))
    if resource is None:
        group, _, number = version.rpartition("/")
        raise BadRequest(f"cannot bind token to object of type {group}/{number}, Kind={kind}")
    name, uid = str(reference.get("name") or ""), str(reference.get("uid") or "")
    entry = store.get(resource, "" if resource == "nodes" else namespace, name)
    if entry is None:
        raise NotFound(resource, name)
    if uid and uid != entry.uid:
        why = f"the UID in the bound object reference ({uid}) does not match the UID in record. "
        raise Conflict(kind, name, "", f"{why}The object might have been deleted and then recreated")
    bound: dict[str, Object] = {kind.lower(): {"name": name, "uid": entry.uid}}
    node = str((decode(entry.data).get("spec") or {}).get("nodeName") or "") if kind == "Pod" else ""
    if node:
        known = store.get("nodes", "", node)
        bound["node"] = {"name": node} | ({"uid": known.uid} if known else {})
    return bound
