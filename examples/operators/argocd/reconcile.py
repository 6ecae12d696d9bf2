"""Brings an ArgoCD to what its spec asks for, in one pass that can be repeated at any time.

A pass reads what is there, creates what is missing, corrects what differs, deletes what is no longer wanted, and
records the result in the status. It keeps no state, so it can be killed at any moment.
"""

from __future__ import annotations

import copy

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import PATHS, ApiError, KubeApi, contains
from examples.operators.workqueue import NotYet

from .argocd import ArgoCD, Object
from .keys import makers
from .objects import everything
from .parts import enabled
from .status import RECONCILED, RUNNING, before, status
from .workloads import MADE_FROM, made_from, workload

#: What an ArgoCD may have; the workloads last.
KINDS = ("ConfigMap", "Secret", "ServiceAccount", "Service", "Deployment", "StatefulSet")
_WORKLOADS = ("Deployment", "StatefulSet")
Key = tuple[str, str]
Present = dict[Key, Object]


async def reconcile(api: KubeApi, namespace: str, name: str, record_event: EventRecorder) -> None:
    """One pass. What is being deleted is left to the garbage collector."""
    body = await api.get("ArgoCD", namespace, name)
    if body is None or body["metadata"].get("deletionTimestamp"):
        return
    argocd = ArgoCD(body)
    present = await _present(api, argocd)
    if problem := argocd.mistake():
        # As the real operator does it: nothing is made or changed until the spec is corrected.
        await _publish(api, argocd, present, problem, record_event)
        return
    try:
        await _make(api, argocd, present, record_event)
        await _take_away(api, argocd, present, record_event)
    except (NotYet, ApiError) as trouble:
        if isinstance(trouble, NotYet) or trouble.code in (400, 403, 422):
            await _publish(api, argocd, present, str(trouble), record_event)
        raise
    await _publish(api, argocd, present, "", record_event)


async def _present(api: KubeApi, argocd: ArgoCD) -> Present:
    """Everything that there is of it."""
    return {
        (kind, item["metadata"]["name"]): {**item, "kind": kind, "apiVersion": _api_version(kind)}
        for kind in KINDS
        for item in await api.list(kind, argocd.namespace, argocd.selector)
        if argocd.owns(item)
    }


def _api_version(kind: str) -> str:
    """The API server leaves it out of the items of a list."""
    return PATHS[kind][0].partition("/")[2]


async def _make(api: KubeApi, argocd: ArgoCD, present: Present, record_event: EventRecorder) -> None:
    """Makes what is missing and corrects what differs. `present` is kept up to date."""
    # Objects that existed for this generation were deleted by a user: report that.
    last = before(argocd, RECONCILED)
    settled = (last.get("status"), last.get("observedGeneration")) == ("True", argocd.generation)
    for wanted in everything(argocd):
        await _ensure(api, argocd, present, wanted, record_event if settled else None)
    for name, make in makers(argocd).items():
        if ("Secret", name) not in present:
            for secret in make():
                await _ensure(api, argocd, present, secret, record_event if settled else None)
    for part in enabled(argocd):
        await _ensure(api, argocd, present, workload(argocd, part), record_event if settled else None)
    if not argocd.status:
        record_event(
            argocd.body, type="Normal", reason="Created", message=f"Made {len(present)} objects for {_names(argocd)}"
        )


def _names(argocd: ArgoCD) -> str:
    return ", ".join(part.suffix for part in enabled(argocd)) or "no component"


async def _ensure(
    api: KubeApi, argocd: ArgoCD, present: Present, wanted: Object, record_event: EventRecorder | None
) -> None:
    kind, name = wanted["kind"], wanted["metadata"]["name"]
    there = present.get((kind, name))
    if there is None:
        present[kind, name] = await _create(api, argocd, wanted)
        if record_event:
            record_event(
                argocd.body, type="Warning", reason="Restored", message=f"{kind} {name} was gone; made it again"
            )
        return
    if kind == "ConfigMap":  # all of it is ours: what stands in it and is not asked for goes
        surplus = dict.fromkeys((there.get("data") or {}).keys() - wanted["data"].keys())
        wanted = {**wanted, "data": {**surplus, **wanted["data"]}}
    if _is(there, wanted):
        return
    present[kind, name] = await api.patch(kind, argocd.namespace, name, wanted)
    if record_event:
        record_event(
            argocd.body, type="Warning", reason="Corrected", message=f"{kind} {name} is as the ArgoCD wants it again"
        )


def _is(there: Object, wanted: Object) -> bool:
    """Whether an object is as it is wanted."""
    if wanted["kind"] in _WORKLOADS and there["metadata"].get("annotations", {}).get(MADE_FROM) == made_from(wanted):
        # The API server writes 2 where the spec says 2000m: what it made of the resources can not be compared.
        wanted = copy.deepcopy(wanted)
        for container in wanted["spec"]["template"]["spec"]["containers"]:
            container.pop("resources", None)
    return contains({"data": {}, **there}, wanted)


async def _create(api: KubeApi, argocd: ArgoCD, wanted: Object) -> Object:
    if "data" in wanted:
        wanted = {**wanted, "data": {key: value for key, value in wanted["data"].items() if value is not None}}
    try:
        return await api.create(wanted)
    except ApiError as error:
        if error.code != 409 or error.reason != "AlreadyExists":
            raise
    kind, name = wanted["kind"], wanted["metadata"]["name"]
    raise NotYet(await _taken(api, argocd, kind, name))


async def _taken(api: KubeApi, argocd: ArgoCD, kind: str, name: str) -> str:
    """Why a name can not be had, and what to do."""
    there = await api.get(kind, argocd.namespace, name) or {"metadata": {}}
    owner: Object = next(iter(there["metadata"].get("ownerReferences") or []), {})
    if owner.get("kind") == "ArgoCD" and owner["name"] != argocd.name:
        return (
            f"a namespace can hold one ArgoCD, and {kind} {name} of this one belongs to {owner['name']}; delete one of"
            " the two, or use another namespace"
        )
    if argocd.owns(there):
        return f"{kind} {name} lost its labels"
    return (
        f"a {kind} named {name} exists already and belongs to something else; delete it, or give this ArgoCD another"
        " name"
    )


async def _take_away(api: KubeApi, argocd: ArgoCD, present: Present, record_event: EventRecorder) -> None:
    """Deletes what a component that was switched off has left."""
    wanted = {(item["kind"], item["metadata"]["name"]) for item in everything(argocd)}
    wanted |= {("Secret", name) for name in makers(argocd)}
    wanted |= {(part.kind, part.workload(argocd)) for part in enabled(argocd)}
    for kind, name in sorted(present.keys() - wanted):
        await api.delete(kind, argocd.namespace, name)
        del present[kind, name]
        if kind in _WORKLOADS:
            message = f"{kind} {name} is not asked for any more"
            record_event(argocd.body, type="Normal", reason="Removed", message=message)


async def _publish(api: KubeApi, argocd: ArgoCD, present: Present, problem: str, record_event: EventRecorder) -> None:
    """Writes the status where it differs, and tells people about a change of a condition."""
    workloads = {name: item for (kind, name), item in present.items() if kind in _WORKLOADS}
    wanted = status(argocd, workloads, [], problem)
    if any(wanted[part.field] != RUNNING for part in enabled(argocd)):
        wanted = status(argocd, workloads, await api.list("Pod", argocd.namespace, argocd.selector), problem)
    if all(argocd.status.get(key) == value for key, value in wanted.items()):
        return
    await api.patch("ArgoCD", argocd.namespace, argocd.name, {"status": wanted}, "status")
    for new in wanted["conditions"]:
        old = before(argocd, new["type"])
        words = ("status", "reason", "message") if new["type"] == RECONCILED else ("status", "reason")
        if [new[word] for word in words] == [old.get(word) for word in words] or new["reason"] == "Success":
            continue
        bad = new["reason"] in ("ErrorOccurred", "ComponentFailed")
        record_event(argocd.body, type="Warning" if bad else "Normal", reason=new["reason"], message=new["message"])


def paths() -> list[tuple[str, str, str]]:
    """(API group, version, plural) of each kind whose changes matter, and of the Pods."""
    found = []
    for kind in (*KINDS, "Pod"):
        prefix, plural = PATHS[kind]
        *group, version = prefix.split("/")[1:]
        found.append(("".join(group), version, plural))
    return found
