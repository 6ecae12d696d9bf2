"""An InstallPlan as it is made from a resolution. Pure functions."""

from __future__ import annotations

from typing import Any

from .names import GROUP
from .resolution import SelectedBundle

Object = dict[str, Any]


def new_plan(
    namespace: str,
    subscriptions: list[Object],
    choices: list[SelectedBundle],
    plan_steps: list[Object],
    generation: int,
    *,
    manual: bool,
) -> tuple[Object, Object]:
    """(object to create, its status). One manual Subscription makes the whole plan wait for approval, as in OLM."""
    body = {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {
            "generateName": "install-",
            "namespace": namespace,
            "ownerReferences": [_owner(subscription) for subscription in subscriptions],
        },
        "spec": {
            "approval": "Manual" if manual else "Automatic",
            "approved": not manual,
            "clusterServiceVersionNames": [choice.bundle.name for choice in choices],
            "generation": generation,
        },
    }
    status = {
        "catalogSources": sorted({choice.bundle.catalog for choice in choices}),
        "phase": "RequiresApproval" if manual else "Installing",
        "plan": plan_steps,
    }
    return body, status


def _owner(subscription: Object) -> Object:
    return {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "Subscription",
        "name": subscription["metadata"]["name"],
        "uid": subscription["metadata"]["uid"],
        "controller": False,
        "blockOwnerDeletion": False,
    }
