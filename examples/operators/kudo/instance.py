"""An Instance as the rest of the engine reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from examples.operators.body import Body
from examples.operators.kubeapi import Object

from .version import API_VERSION

#: What the last plan that was started was given: the operator version's name and the parameters.
SNAPSHOT = "kudo.dev/last-applied-instance-state"
#: On each object: the execution of a plan that has applied it last.
EXECUTION = "kudo.dev/last-plan-execution-uid"
FINALIZER = "kudo.dev.instance.cleanup"
OPERATOR_LABEL, INSTANCE_LABEL = "kudo.dev/operator", "kudo.dev/instance"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a plan works with, from its start to its end, whatever is changed meanwhile.

    ``deployed``: deploy was carried out before.
    """

    operator_version: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    deployed: bool = field(default=False, compare=False)

    def text(self) -> str:
        found = {"operatorVersion": self.operator_version, "parameters": dict(self.parameters)}
        return json.dumps({**found, **({"deployed": True} if self.deployed else {})}, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Instance(Body):
    """One Instance."""

    @property
    def is_being_deleted(self) -> bool:
        return bool(self.body["metadata"].get("deletionTimestamp"))

    @property
    def finalizers(self) -> list[str]:
        return list(self.body["metadata"].get("finalizers") or [])

    @property
    def wanted(self) -> Snapshot:
        """What the spec asks for now."""
        parameters = {str(key): str(parameter) for key, parameter in (self.spec.get("parameters") or {}).items()}
        return Snapshot(str((self.spec.get("operatorVersion") or {}).get("name") or ""), parameters)

    @property
    def snapshot(self) -> Snapshot:
        """What was asked for when the last plan began; empty before the first."""
        try:
            found = json.loads((self.body["metadata"].get("annotations") or {}).get(SNAPSHOT) or "{}")
            parameters, deployed = dict(found.get("parameters") or {}), bool(found.get("deployed"))
            return Snapshot(str(found.get("operatorVersion") or ""), parameters, deployed)
        except (ValueError, AttributeError, TypeError):
            return Snapshot()

    @property
    def execution(self) -> Object:
        """The plan that is being executed or asked for: planName, uid, status."""
        return dict(self.spec.get("planExecution") or {})

    @property
    def plan_status(self) -> dict[str, Object]:
        return dict(self.status.get("planStatus") or {})

    def owner(self) -> Object:
        """What makes an object go when the Instance goes."""
        return {
            "apiVersion": API_VERSION,
            "kind": "Instance",
            "name": self.name,
            "uid": self.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
