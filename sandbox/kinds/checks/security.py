"""Security contexts of Pods and containers."""

from __future__ import annotations

import re
from typing import Any

from .basics import MAX_INT32, Cause, Causes, Object, in_range, invalid, one_of, only, required, to_json

_SYSCTL = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
#: Go's own struct, as it is shown whole.
_FIELDS = (
    "capabilities",
    "privileged",
    "seLinuxOptions",
    "windowsOptions",
    "runAsUser",
    "runAsGroup",
    "runAsNonRoot",
    "readOnlyRootFilesystem",
    "allowPrivilegeEscalation",
    "procMount",
    "seccompProfile",
    "appArmorProfile",
)


def security_context(path: str, context: Any, spec: Object) -> Causes:
    """A container's."""
    if not isinstance(context, dict):
        return
    for name in ("runAsUser", "runAsGroup"):
        yield from in_range(f"{path}.{name}", context.get(name), 0, MAX_INT32)
    mount = context.get("procMount")
    yield from only(f"{path}.procMount", mount, ("Default", "Unmasked"))
    if mount == "Unmasked" and spec.get("hostUsers", True):
        yield invalid(f"{path}.procMount", mount, "`hostUsers` must be false to use `Unmasked`")
    yield from _profile(f"{path}.seccompProfile", context.get("seccompProfile"))
    if context.get("allowPrivilegeEscalation") is False:
        text = "cannot set `allowPrivilegeEscalation` to false and"
        if context.get("privileged"):
            yield _whole(path, context, f"{text} `privileged` to true")
        if "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or []):
            yield _whole(path, context, f"{text} `capabilities.Add` CAP_SYS_ADMIN")
    yield from _profile(f"{path}.appArmorProfile", context.get("appArmorProfile"))


def _whole(path: str, context: Object, text: str) -> Cause:
    shown: Object = {}
    for name in _FIELDS:
        value = context.get(name)
        if name == "capabilities" and value is not None:
            value = {"Add": value.get("add"), "Drop": value.get("drop")}
        shown["SELinuxOptions" if name == "seLinuxOptions" else name[0].upper() + name[1:]] = value
    return Cause(path, "FieldValueInvalid", f"Invalid value: {to_json(shown, in_order=True)}: {text}")


def _profile(path: str, profile: Any) -> Causes:
    if not isinstance(profile, dict):
        return
    kind, file = profile.get("type"), profile.get("localhostProfile")
    if kind == "Localhost" and not file:
        word = "seccomp" if path.endswith("seccompProfile") else "AppArmor"
        yield required(f"{path}.localhostProfile", f"must be set when {word} type is Localhost")
    elif kind != "Localhost" and file is not None:
        word = "seccomp" if path.endswith("seccompProfile") else "AppArmor"
        yield invalid(f"{path}.localhostProfile", file, f"can only be set when {word} type is Localhost")
    if not kind:
        yield required(f"{path}.type", "type is required when seccompProfile is set")
    else:
        yield from one_of(f"{path}.type", kind, _PROFILES)


def pod_security_context(path: str, context: Any) -> Causes:
    """The whole Pod's."""
    if not isinstance(context, dict):
        return
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from in_range(f"{path}.{name}", context.get(name), 0, MAX_INT32)
    for index, group in enumerate(context.get("supplementalGroups") or []):
        yield from in_range(f"{path}.supplementalGroups[{index}]", group, 0, MAX_INT32)
    for index, one in enumerate(context.get("sysctls") or []):
        name, at = one.get("name") or "", f"{path}.sysctls[{index}].name"
        if not name:
            yield required(at)
        elif len(name) > 253 or not re.fullmatch(_SYSCTL, name):
            yield invalid(at, name, f"must have at most 253 characters and match regex ^{_SYSCTL}$")
    yield from only(f"{path}.fsGroupChangePolicy", context.get("fsGroupChangePolicy"), ("Always", "OnRootMismatch"))
    yield from _profile(f"{path}.seccompProfile", context.get("seccompProfile"))
