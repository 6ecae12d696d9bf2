"""Deployments, ReplicaSets, StatefulSets and DaemonSets."""

from __future__ import annotations

from typing import Any

from ...objects import copy, dig
from .basics import (
    Cause,
    Causes,
    Object,
    forbidden,
    invalid,
    label,
    matches,
    not_negative,
    not_supported,
    number_or_percent,
    one_of,
    percent_over,
    required,
    selector,
    to_json,
    usable,
)
from .claims import claim_spec
from .podspec import template

FIXED = "field is immutable"
_NO_MATCH = "`selector` does not match template `labels`"


def deployment(obj: Object, old: Object | None) -> Causes:
    """A Deployment."""
    spec = obj.get("spec") or {}
    yield from not_negative("spec.replicas", spec.get("replicas"))
    yield from _selector(spec, "deployment", "invalid label selector", "ReplicaSet")
    yield from _strategy("spec.strategy", spec.get("strategy") or {})
    yield from not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    yield from not_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"))
    if (deadline := spec.get("progressDeadlineSeconds")) is not None:
        yield from not_negative("spec.progressDeadlineSeconds", deadline)
        if deadline <= (spec.get("minReadySeconds") or 0):
            yield invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
    yield from _fixed_selector(obj, old)


def _fixed_selector(obj: Object, old: Object | None) -> Causes:
    if old is not None and dig(obj, "spec", "selector") != dig(old, "spec", "selector"):
        yield invalid("spec.selector", dig(obj, "spec", "selector"), FIXED)


def _selector(spec: Object, empty: str, unusable: str, kind: str) -> Causes:
    """The selector and the template that it selects. ``empty`` is the word for what must not have an empty one."""
    given = spec.get("selector")
    if given is None:
        yield required("spec.selector")
    else:
        yield from selector("spec.selector", given)
        if not any(given.get(name) for name in ("matchLabels", "matchExpressions")):
            yield invalid("spec.selector", given, f"empty selector is invalid for {empty}")
    if not usable(given):
        yield invalid("spec.selector", given, unusable)
        return
    yield from _template(spec, given, kind)


def _template(spec: Object, given: Any, kind: str) -> Causes:
    found = dig(spec, "template", "metadata", "labels") or None
    if given != {} and not matches(given, found):
        yield invalid("spec.template.metadata.labels", found, _NO_MATCH)
    yield from template("spec.template", spec.get("template"))
    yield from stays(spec, kind)


def stays(spec: Object, kind: str) -> Causes:
    """Pods that are to run for ever."""
    policy = dig(spec, "template", "spec", "restartPolicy")
    if policy != "Always" and dig(spec, "template", "spec") is not None:
        yield not_supported("spec.template.spec.restartPolicy", policy or "", ["Always"])
    if dig(spec, "template", "spec", "activeDeadlineSeconds") is not None:
        text = f"activeDeadlineSeconds in {kind} is not Supported"
        yield forbidden("spec.template.spec.activeDeadlineSeconds", text)


def _strategy(path: str, strategy: Object) -> Causes:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            yield forbidden(f"{path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
    elif kind != "RollingUpdate":
        supported = ", ".join(f'"{one}"' for one in ("Recreate", "RollingUpdate"))
        yield Cause(
            path, "FieldValueNotSupported", f"Unsupported value: {_shown(strategy)}: supported values: {supported}"
        )
    else:
        rolling = rolling or {}
        surge, unavailable = rolling.get("maxSurge"), rolling.get("maxUnavailable")
        yield from number_or_percent(f"{path}.rollingUpdate.maxUnavailable", unavailable)
        yield from number_or_percent(f"{path}.rollingUpdate.maxSurge", surge)
        if not _amount(surge) and not _amount(unavailable):
            yield invalid(f"{path}.rollingUpdate.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0")
        yield from percent_over(f"{path}.rollingUpdate.maxUnavailable", unavailable)


def _shown(strategy: Object) -> str:
    """A strategy as Go's struct."""
    return to_json({"Type": strategy.get("type") or "", "RollingUpdate": strategy.get("rollingUpdate")}, in_order=True)


def _amount(value: Any) -> int:
    """The number, or that before the percent sign; zero for what is neither."""
    if isinstance(value, str):
        return int(value[:-1]) if value.endswith("%") and value[:-1].isdigit() else 0
    return int(value or 0)


def replica_set(obj: Object, old: Object | None) -> Causes:
    """A ReplicaSet."""
    spec = obj.get("spec") or {}
    yield from not_negative("spec.replicas", spec.get("replicas"))
    yield from not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    yield from _selector(spec, "deployment", "invalid label selector", "ReplicaSet")
    yield from _fixed_selector(obj, old)


def daemon_set(obj: Object, old: Object | None) -> Causes:
    """A DaemonSet."""
    spec = obj.get("spec") or {}
    given = spec.get("selector")
    yield from selector("spec.selector", given)
    found = dig(spec, "template", "metadata", "labels") or None
    if usable(given) and given != {} and not matches(given, found):
        yield invalid("spec.template.metadata.labels", found, _NO_MATCH)
    if given is not None and not any(given.get(name) for name in ("matchLabels", "matchExpressions")):
        yield invalid("spec.selector", given, "empty selector is invalid for daemonset")
    yield from template("spec.template", spec.get("template"))
    yield from stays(spec, "DaemonSet")
    yield from not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    yield from _daemon_strategy("spec.updateStrategy", spec.get("updateStrategy") or {})
    yield from not_negative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"))
    yield from _fixed_selector(obj, old)


def _daemon_strategy(path: str, strategy: Object) -> Causes:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate") or {}
    if kind == "OnDelete":
        return
    if kind != "RollingUpdate":
        text = f'Unsupported value: {_shown(strategy)}: supported values: "RollingUpdate", "OnDelete"'
        yield Cause(path, "FieldValueNotSupported", text)
        return
    at, surge, unavailable = f"{path}.rollingUpdate", rolling.get("maxSurge"), rolling.get("maxUnavailable")
    yield from number_or_percent(f"{at}.maxUnavailable", unavailable)
    yield from number_or_percent(f"{at}.maxSurge", surge)
    yield from percent_over(f"{at}.maxUnavailable", unavailable)
    yield from percent_over(f"{at}.maxSurge", surge)
    if _amount(unavailable) and _amount(surge):
        yield invalid(f"{at}.maxSurge", surge, "may not be set when maxUnavailable is non-zero")
    elif not _amount(unavailable) and not _amount(surge):
        yield required(f"{at}.maxUnavailable", "cannot be 0 when maxSurge is 0")


#: What may change in a StatefulSet's spec.
_STATEFUL = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)


def stateful_set(obj: Object, old: Object | None) -> Causes:
    """A StatefulSet."""
    spec = obj.get("spec") or {}
    policy = spec.get("podManagementPolicy")
    if policy not in ("OrderedReady", "Parallel"):
        yield invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
    yield from _stateful_strategy("spec.updateStrategy", spec.get("updateStrategy") or {})
    for name, value in (spec.get("persistentVolumeClaimRetentionPolicy") or {}).items():
        yield from one_of(f"spec.persistentVolumeClaimRetentionPolicy.{name}", value, ("Retain", "Delete"))
    if old is None:
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or []):
            yield from claim_spec(f"spec.volumeClaimTemplates[{index}].spec", claim.get("spec") or {})
    yield from not_negative("spec.replicas", spec.get("replicas"))
    yield from not_negative("spec.minReadySeconds", spec.get("minReadySeconds"))
    yield from not_negative("spec.ordinals.start", dig(spec, "ordinals", "start"))
    if spec.get("serviceName"):
        yield from label("spec.serviceName", spec["serviceName"])
    yield from _selector(_with_claims(spec), "statefulset", "", "StatefulSet")
    if old is not None:
        yield from _stateful_update(spec, old.get("spec") or {})


def _with_claims(spec: Object) -> Object:
    """The spec with the volumes that the controller adds."""
    names = [dig(claim, "metadata", "name") for claim in spec.get("volumeClaimTemplates") or []]
    pods = dig(spec, "template", "spec")
    if not names or not isinstance(pods, dict):
        return spec
    whole: Object = copy(spec)
    added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    own = [one for one in pods.get("volumes") or [] if one.get("name") not in names]
    whole["template"]["spec"]["volumes"] = added + own
    return whole


def _stateful_strategy(path: str, strategy: Object) -> Causes:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "OnDelete":
        if rolling is not None:
            shown = {"Partition": rolling.get("partition") or 0, "MaxUnavailable": rolling.get("maxUnavailable")}
            text = f"Invalid value: {to_json(shown, in_order=True)}: only allowed for updateStrategy 'RollingUpdate'"
            yield Cause(f"{path}.rollingUpdate", "FieldValueInvalid", text)
    elif kind != "RollingUpdate":
        text = f"Invalid value: {_shown(strategy)}: must be 'RollingUpdate' or 'OnDelete'"
        yield Cause(path, "FieldValueInvalid", text)
    elif rolling is not None:
        yield from not_negative(f"{path}.rollingUpdate.partition", rolling.get("partition"))


def _stateful_update(spec: Object, old: Object) -> Causes:
    changed = {key for key in {*spec, *old} - {*_STATEFUL} if spec.get(key) != old.get(key)}
    if changed:
        names = [f"'{name}'" for name in _STATEFUL]
        text = (
            f"updates to statefulset spec for fields other than {', '.join(names[:-1])} and {names[-1]} are forbidden"
        )
        yield forbidden("spec", text)
