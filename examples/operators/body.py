"""What every custom resource has, for the operators here: a class of their own adds what its spec says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Body:
    """``body`` is the object as the API server has it."""

    body: Object

    @property
    def name(self) -> str:
        return str(self.body["metadata"]["name"])

    @property
    def namespace(self) -> str:
        return str(self.body["metadata"]["namespace"])

    @property
    def uid(self) -> str:
        return str(self.body["metadata"]["uid"])

    @property
    def spec(self) -> Object:
        return dict(self.body.get("spec") or {})

    @property
    def status(self) -> Object:
        return dict(self.body.get("status") or {})
