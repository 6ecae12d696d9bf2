"""A template becomes objects: rendered with the Instance's values, read as YAML, and marked as the Instance's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from examples.operators.kubeapi import PATHS, Object
from untrusted import yaml_bounds

from . import pipes, template
from .instance import EXECUTION, INSTANCE_LABEL, OPERATOR_LABEL, Instance
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


@dataclass(frozen=True, slots=True)
class Render:
    """The templates of ``version`` with the values of ``instance``; ``parameters`` are resolved ones."""

    instance: Instance
    version: OperatorVersion
    moment: Moment
    parameters: Mapping[str, Any]

    def objects(self, file: str) -> list[Object]:
        """All objects of one template, in its order; RenderError."""
        return [self.marked(document, file) for document in self.documents(file)]

    def documents(self, file: str) -> list[Any]:
        """What the YAML of one template says; RenderError."""
        try:
            text = template.render(f"templates/{file}", self.version.templates[file], self._values())
        except template.TemplateError as problem:
            raise RenderError(str(problem)) from None
        try:
            return [item for item in yaml_bounds.load_all(text) if item is not None]
        except yaml.YAMLError as problem:
            where = f"templates/{file}{_place(problem)}"
            raise RenderError(f"{where}: not YAML any more after rendering: {_said(problem)}") from None

    def marked(self, obj: Any, file: str) -> Object:
        """The object as one of the Instance, in its namespace; RenderError."""
        meta = obj.get("metadata") if isinstance(obj, dict) else None
        if not isinstance(meta, dict) or not obj.get("apiVersion") or not meta.get("name"):
            raise RenderError(f"templates/{file}: each document needs apiVersion, kind and metadata.name")
        if obj.get("kind") not in PATHS:
            known = ", ".join(sorted(PATHS))
            raise RenderError(f"templates/{file}: this engine can't apply a {obj.get('kind')}; it knows {known}")
        labels = {"heritage": "kudo", OPERATOR_LABEL: self.version.operator, INSTANCE_LABEL: self.instance.name}
        annotations = {
            "kudo.dev/plan": self.moment.plan,
            "kudo.dev/phase": self.moment.phase,
            "kudo.dev/step": self.moment.step,
            EXECUTION: self.moment.uid,
            "kudo.dev/operator-version": self.version.version,
        }
        own = {
            "namespace": self.instance.namespace,
            "labels": {**(meta.get("labels") or {}), **labels},
            "annotations": {**(meta.get("annotations") or {}), **annotations},
            "ownerReferences": [self.instance.owner()],
        }
        return {**obj, "metadata": {**meta, **own}}

    def _values(self) -> dict[str, Any]:
        return {
            "Name": self.instance.name,
            "Namespace": self.instance.namespace,
            "OperatorName": self.version.operator,
            "OperatorVersion": self.version.version,
            "AppVersion": self.version.app_version,
            "PlanName": self.moment.plan,
            "PlanUID": self.moment.uid,
            "PhaseName": self.moment.phase,
            "StepName": self.moment.step,
            "Params": self.parameters,
            "Pipes": pipes.names(self.version, self.instance.name, self.moment.plan),
        }


def _place(problem: yaml.YAMLError) -> str:
    mark = getattr(problem, "problem_mark", None)
    return f", line {mark.line + 1} of what was rendered" if mark else ""


def _said(problem: yaml.YAMLError) -> str:
    return str(getattr(problem, "problem", "") or problem)
