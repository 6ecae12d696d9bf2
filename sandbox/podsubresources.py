"""Eviction and binding of Pods (kubernetes/pkg/registry/core/pod/storage)."""

from __future__ import annotations

from dataclasses import replace

from .errors import BadRequest, Conflict, NotFound, Plain, TooManyRequests
from .http import Response
from .kinds.checks import matches
from .objects import Object, decode, dig
from .resources import Resource
from .store import Store
from .verbs import Call, DeleteOptions, Verbs

_BUDGETS = "poddisruptionbudgets.policy"


def evict(verbs: Verbs, resource: Resource, namespace: str, name: str, sent: Object, call: Call) -> Response:
    """Deletes the Pod unless a PodDisruptionBudget forbids it."""
    if (dig(sent, "metadata", "name") or name) != name:
        raise BadRequest("name in URL does not match name in Eviction object")
    pod = decode(verbs.entry(resource, namespace, name).data)
    options = sent.get("deleteOptions") or {}
    if options.get("dryRun") == ["All"]:
        call = replace(call, dry_run=True)
    if dig(pod, "status", "phase") not in ("Succeeded", "Failed", "Pending") and not pod["metadata"].get(
        "deletionTimestamp"
    ):
        _ask_budget(verbs, pod, call)
    preconditions = options.get("preconditions") or {}
    wanted = DeleteOptions(
        grace=options.get("gracePeriodSeconds"),
        uid=str(preconditions.get("uid") or ""),
        version=str(preconditions.get("resourceVersion") or ""),
    )
    verbs.delete(resource, namespace, name, wanted, call)
    return _success()


def _budgets(store: Store, pod: Object) -> list[Object]:
    found = (decode(entry.data) for entry in store.scan(_BUDGETS, pod["metadata"]["namespace"]))
    return [item for item in found if matches(dig(item, "spec", "selector"), pod["metadata"].get("labels"))]


def _ask_budget(verbs: Verbs, pod: Object, call: Call) -> None:
    budgets = _budgets(verbs.store, pod)
    if len(budgets) > 1:
        raise Plain("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
    for budget in budgets:
        status, metadata = budget.get("status") or {}, budget["metadata"]
        ready = any(
            condition["type"] == "Ready" and condition["status"] == "True"
            for condition in dig(pod, "status", "conditions") or []
        )
        enough = (status.get("currentHealthy") or 0) >= (status.get("desiredHealthy") or 0)
        if not ready and (dig(budget, "spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow" or enough):
            continue
        if (status.get("disruptionsAllowed") or 0) > 0:
            _use_up(verbs, budget, pod, call)
            continue
        why = (
            f"The disruption budget {metadata['name']} needs {status.get('desiredHealthy') or 0} healthy pods and has "
            f"{status.get('currentHealthy') or 0} currently"
        )
        cause = {"reason": "DisruptionBudget", "message": why}
        text = "Cannot evict pod as it would violate the pod's disruption budget."
        raise TooManyRequests(text, {"causes": [cause]})


def _use_up(verbs: Verbs, budget: Object, pod: Object, call: Call) -> None:
    """One disruption less until the controller has counted again."""
    resource = verbs.registry.by_key(_BUDGETS)
    if resource is None or call.dry_run:
        return
    metadata = budget["metadata"]

    def change(found: Object) -> Object:
        status = found.setdefault("status", {})
        status["disruptionsAllowed"] = max(0, (status.get("disruptionsAllowed") or 0) - 1)
        return found

    counted = Call(manager=call.manager, subresource="status", trusted=True)
    verbs.patch(resource, metadata["namespace"], metadata["name"], change, counted)


def bind(verbs: Verbs, resource: Resource, namespace: str, name: str, sent: Object, call: Call) -> Response:
    """Gives a Pod to a node, once."""
    target = sent.get("target") or {}
    kind, node = target.get("kind") or "", target.get("name") or ""
    if kind not in ("", "Node"):
        raise Plain(f'target.kind: Unsupported value: "{kind}": supported values: "Node", "<empty>"')
    if not node:
        raise Plain("target.name: Required value")
    entry = verbs.store.get(resource.key, namespace, name)
    if entry is None:
        raise NotFound(resource.plural, name)
    pod = decode(entry.data)
    about = f"pod {name}"
    why = ""
    if pod["metadata"].get("deletionTimestamp"):
        why = f"{about} is being deleted, cannot be assigned to a host"
    elif bound := dig(pod, "spec", "nodeName"):
        why = f'{about} is already assigned to node "{bound}"'
    elif dig(pod, "spec", "schedulingGates"):
        why = f"{about} has non-empty .spec.schedulingGates"
    if why:
        raise Conflict("pods/binding", name, "", why)

    def change(found: Object) -> Object:
        found["spec"] = {**found["spec"], "nodeName": node}
        return found

    verbs.patch(resource, namespace, name, change, replace(call, subresource="binding"))
    return _success()


def _success() -> Response:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return Response.json(status, 201)
