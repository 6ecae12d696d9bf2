"""A template becomes objects: rendered with the Instance's values, read as YAML, and marked as the Instance's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from operators.kubeapi import PATHS, Object

from . import template
from .instance import INSTANCE_LABEL, OPERATOR_LABEL, Instance
from .version import OperatorVersion


class RenderError(Exception):
    """``str()`` names file and line."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Where in which plan we are: it stands in the objects' annotations."""

    plan: str
    uid: str
    phase: str
    step: str


def objects(
    instance: Instance, version: OperatorVersion, moment: Moment, file: str, parameters: dict[str, Any]
) -> list[Object]:
    """All objects of one template, in its order; RenderError."""
    values = {
        "Name": instance.name,
        "Namespace": instance.namespace,
        "OperatorName": version.operator,
        "OperatorVersion": version.version,
        "AppVersion": version.app_version,
        "PlanName": moment.plan,
        "PlanUID": moment.uid,
        "PhaseName": moment.phase,
        "StepName": moment.step,
        "Params": parameters,
        "Pipes": {},
    }
    try:
        text = template.render(f"templates/{file}", version.templates[file], values)
    except template.TemplateError as problem:
        raise RenderError(str(problem)) from None
    try:
        found = [one for one in yaml.safe_load_all(text) if one is not None]
    except yaml.YAMLError as problem:
        raise RenderError(
            f"templates/{file}{_place(problem)}: not YAML any more after rendering: {_said(problem)}"
        ) from None
    return [_marked(instance, version, moment, file, one) for one in found]


def _place(problem: yaml.YAMLError) -> str:
    mark = getattr(problem, "problem_mark", None)
    return f", line {mark.line + 1} of what was rendered" if mark else ""


def _said(problem: yaml.YAMLError) -> str:
    return str(getattr(problem, "problem", "") or problem)


def _marked(instance: Instance, version: OperatorVersion, moment: Moment, file: str, obj: Any) -> Object:
    meta = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(meta, dict) or not obj.get("apiVersion") or not meta.get("name"):
        raise RenderError(f"templates/{file}: each document needs apiVersion, kind and metadata.name")
    if obj.get("kind") not in PATHS:
        raise RenderError(
            f"templates/{file}: this engine can't apply a {obj.get('kind')}; it knows {', '.join(sorted(PATHS))}"
        )
    labels = {"heritage": "kudo", OPERATOR_LABEL: version.operator, INSTANCE_LABEL: instance.name}
    meta["namespace"] = instance.namespace
    meta["labels"] = {**(meta.get("labels") or {}), **labels}
    meta["annotations"] = {
        **(meta.get("annotations") or {}),
        "kudo.dev/plan": moment.plan,
        "kudo.dev/phase": moment.phase,
        "kudo.dev/step": moment.step,
        "kudo.dev/last-plan-execution-uid": moment.uid,
        "kudo.dev/operator-version": version.version,
    }
    meta["ownerReferences"] = [instance.owner()]
    return dict(obj)
