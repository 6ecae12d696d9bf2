"""A kind as a cluster serves it: its definition installed without CEL where asked, its published schema, what is
answered to an object.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kube.catalog import pick_schema
from kube.discovery import ResourceType
from resources.forms.schema import Schema
from tests.api import Answer, Api
from tests.forms import kinds
from tests.forms.kinds import Kind

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass(frozen=True, kw_only=True)
class Served:
    kind: Kind
    schema: Schema
    api: Api
    created: bool = True
    namespace: str = "default"

    def dry_run(self, obj: dict[str, Any]) -> Answer:
        """The response to a strict dry run."""
        namespaced = self.kind.crd["spec"]["scope"] == "Namespaced"
        body = {**obj, "metadata": {**obj["metadata"], **({"namespace": self.namespace} if namespaced else {})}}
        return self.api.post(f"{self.kind.path(self.namespace)}?dryRun=All&fieldValidation=Strict", body)


def serve(api: Api, kind: Kind, rules: bool = True) -> Served:
    """Installs the definition, and waits until its schema is published."""
    crd = kinds.installable(kind.crd if rules else kinds.without_rules(kind.crd))
    answer = api.post(CRDS, crd)
    assert answer.status in (201, 409), (kind.id, answer.raw[:500])
    created = answer.status == 201
    api.until(f"{CRDS}/{crd['metadata']['name']}", _established)
    _until(lambda: _document(api, kind) is not None, kind)
    return Served(kind=kind, schema=Schema.from_document(_document(api, kind)), api=api, created=created)


def remove(found: Served) -> None:
    """Deletes the definition, unless it was there before."""
    if found.created:
        path = f"{CRDS}/{found.kind.crd['metadata']['name']}"
        found.api.delete(path)
        found.api.until_gone(path)
        _until(lambda: _document(found.api, found.kind) is None, found.kind)


def _document(api: Api, kind: Kind) -> dict[str, Any] | None:
    """The published schema; None before and after."""
    address = api.get("/openapi/v3").json["paths"].get(f"apis/{kind.group}/{kind.version}")
    answer = api.get(address["serverRelativeURL"]) if address else None
    return pick_schema(answer.raw, type_of(kind)) if answer is not None and answer.status == 200 else None


def _until(holds: Callable[[], bool], kind: Kind) -> None:
    """Nothing tells when a schema is published: it is asked for."""
    until = time.monotonic() + 30
    while not holds():
        if time.monotonic() > until:
            raise TimeoutError(kind.id)
        time.sleep(0.05)


def type_of(kind: Kind) -> ResourceType:
    names = kind.crd["spec"]["names"]
    return ResourceType(
        group=kind.group,
        version=kind.version,
        plural=names["plural"],
        kind=kind.kind,
        namespaced=kind.crd["spec"]["scope"] == "Namespaced",
    )


def _established(crd: Any) -> bool:
    conditions = (crd.get("status") or {}).get("conditions") or []
    return any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions)
