"""What may still change in a Pod that exists."""

from __future__ import annotations

import json
from difflib import unified_diff
from typing import Any

from ...objects import copy, dig
from .basics import MAX_INT32, Causes, Object, forbidden, in_range, invalid

_LISTS = ("containers", "initContainers")
_CHANGEABLE = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)"
)
_FREE = ("activeDeadlineSeconds", "tolerations", "schedulingGates")
#: Go's names that are not simply the JSON ones with a capital.
_ACRONYMS = {"dnsPolicy": "DNSPolicy", "dnsConfig": "DNSConfig", "os": "OS", "tty": "TTY"}


def spec_update(spec: Object, old: Object) -> Causes:
    """A Pod's spec against the stored one."""
    for kind in _LISTS:
        if len(spec.get(kind) or []) != len(old.get(kind) or []):
            yield forbidden(f"spec.{kind}", "pod updates may not add or remove containers")
            return
    deadline, before = spec.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")
    if deadline is None and before is not None:
        yield invalid("spec.activeDeadlineSeconds", None, "must not update from a positive integer to nil value")
    elif deadline is not None:
        yield from in_range("spec.activeDeadlineSeconds", deadline, 0, MAX_INT32)
        if before is not None and before < deadline:
            yield invalid("spec.activeDeadlineSeconds", deadline, "must be less than or equal to previous value")
            return
    yield from _tolerations(spec.get("tolerations") or [], old.get("tolerations") or [])
    yield from _gates(spec.get("schedulingGates") or [], old.get("schedulingGates") or [])
    kept, stored = _frozen(spec, old), _frozen(old, old)
    if kept != stored:
        text = f"pod updates may not change fields other than {_CHANGEABLE}\n{difference(stored, kept)}"
        yield forbidden("spec", text)


def _frozen(spec: Object, old: Object) -> Object:
    """All that must stay, with the images of ``old``."""
    kept: Object = copy({key: value for key, value in spec.items() if key not in _FREE})
    for kind in _LISTS:
        for container, stored in zip(kept.get(kind) or [], old.get(kind) or [], strict=False):
            container["image"] = stored.get("image")
    if kept.get("terminationGracePeriodSeconds") == 1 and (old.get("terminationGracePeriodSeconds") or 0) < 0:
        kept["terminationGracePeriodSeconds"] = old["terminationGracePeriodSeconds"]
    if old.get("schedulingGates"):  # not scheduled yet: where it may go can be narrowed
        wanted = kept.get("nodeSelector") or {}
        if wanted.items() >= (old.get("nodeSelector") or {}).items():
            kept.pop("nodeSelector", None)
            if old.get("nodeSelector"):
                kept["nodeSelector"] = old["nodeSelector"]
    return kept


def difference(before: Any, after: Any) -> str:
    """As the API server shows it: the lines that differ of both, under Go's names."""
    left, right = (json.dumps(_named(one), indent=1, ensure_ascii=False).splitlines() for one in (before, after))
    shown = list(unified_diff(left, right, lineterm="", n=3))
    return "\n".join(shown[2:]) + "\n"


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        return {_ACRONYMS.get(key, key[:1].upper() + key[1:]): _named(inner) for key, inner in value.items()}
    return [_named(item) for item in value] if isinstance(value, list) else value


def _tolerations(given: list[Object], old: list[Object]) -> Causes:
    """None may go; of those that stay only the seconds may change."""
    for one in old:
        same = {key: value for key, value in one.items() if key != "tolerationSeconds"}
        if not any({key: value for key, value in new.items() if key != "tolerationSeconds"} == same for new in given):
            text = "existing toleration can not be modified except its tolerationSeconds"
            yield forbidden("spec.tolerations", text)
            return


def _gates(given: list[Object], old: list[Object]) -> Causes:
    known = {gate.get("name") for gate in old}
    for index, gate in enumerate(given):
        if gate.get("name") not in known:
            text = f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'"
            yield forbidden(f"spec.schedulingGates[{index}].name", text)


def ephemeral_update(obj: Object, old: Object) -> Causes:
    """Ephemeral containers only come."""
    given: list[Object] = dig(obj, "spec", "ephemeralContainers") or []
    by_name = {one.get("name"): one for one in given}
    for one in dig(old, "spec", "ephemeralContainers") or []:
        name, at = one.get("name"), "spec.ephemeralContainers"
        if name not in by_name:
            yield forbidden(at, f'existing ephemeral containers "{name}" may not be removed\n')
        elif by_name[name] != one:
            text = f'existing ephemeral containers "{name}" may not be changed\n{difference(one, by_name[name])}'
            yield forbidden(at, text)
