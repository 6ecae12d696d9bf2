"""The objects, put into a cluster. Refused ones are reported, so that tests don't count them."""

import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from kube.client import ClusterClient
from kube.errors import KubeError
from tests.attacks import objects
from tests.attacks.texts import MARKUP
from tests.resources.views import definitions


@dataclass(slots=True, kw_only=True)
class Placement:
    """`full`: (group, version, plural, namespace, name) of objects that carry all inputs; `numbered`: of those with
    one each. `references`: of those that refer to what no object can be called. `refused`: by the API server, in its
    words.
    """

    namespace: str
    full: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    numbered: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    references: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@contextmanager
def placed(client: ClusterClient) -> Iterator[Placement]:
    made = Placement(namespace=f"attacks-{uuid4().hex[:6]}")
    spaces = client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": objects.meta(made.namespace)})
    crd = objects.definition()
    try:
        definitions.create(client, crd)
        _fill(client, made)
        yield made
    finally:
        definitions.remove(client, crd)
        with contextlib.suppress(KubeError):
            client.delete(spaces, made.namespace)


def _fill(client: ClusterClient, made: Placement) -> None:
    here = made.namespace
    made.full.append(("core", "v1", "namespaces", "-", here))
    made.full.append(("apiextensions.k8s.io", "v1", "customresourcedefinitions", "-", f"attacks.{objects.GROUP}"))
    for obj in (
        objects.config("ConfigMap", "full"),
        objects.config("Secret", "full"),
        objects.pod("full"),
        objects.deployment("full"),
        objects.attack("full", objects.ALL),
        objects.csv("full", objects.ALL),
    ):
        _put(client, made, obj, made.full)
    for number, text in enumerate(objects.PARTS):
        _put(client, made, objects.csv(f"n{number}", text, number), made.numbered)
        _put(client, made, objects.event(here, f"e{number}", text), made.numbered)
    for role in objects.roles():
        _put(client, made, role, made.numbered)
    for obj in objects.deep():
        _put(client, made, obj, made.numbered)
    namespace = client.get(client.find("", "v1", "namespaces"), here)
    for number, name in enumerate(objects.NAMELESS):
        for obj in objects.references(number, name, namespace):
            _put(client, made, obj, made.references)
    # The history shows the field manager, a name that the client chooses.
    for text in (item for item in MARKUP if item.isprintable() and len(item) <= 128):
        path = f"/api/v1/namespaces/{here}/configmaps/full?fieldManager={quote(text, safe='')}"
        patch = json.dumps({"data": {f"by{len(text)}": text}}).encode()
        with contextlib.suppress(KubeError):
            client.raw("PATCH", path, body=patch, content_type="application/merge-patch+json")


def _put(
    client: ClusterClient, made: Placement, obj: dict[str, Any], placed: list[tuple[str, str, str, str, str]]
) -> None:
    type_ = client.type_of(obj)
    status, name = obj.pop("status", None), obj["metadata"]["name"]
    try:
        client.create(type_, obj, made.namespace)
        if status:
            client.patch(type_, name, {"status": status}, made.namespace, subresource="status")
    except KubeError as error:
        made.refused.append(f"{type_.kind} {name!r}: {error}")
        return
    placed.append((type_.group_or_core, type_.version, type_.plural, made.namespace, name))
