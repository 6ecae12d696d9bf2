"""Objects of the cluster that don't fit a bundle's CustomResourceDefinitions.

OLM's InstallPlan refuses such a CRD. A run applies it, as the API server allows: the objects stay readable, but can't
be changed until they fit, hence the warning.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from operatorhub.bundle.bundles import Bundle
from operatorhub.csv import items, mapping, text
from operatorhub.upgrade.plan_check import examine
from resources.forms import check
from resources.forms.schema import Schema

#: Objects of a kind that are checked, and those that are reported.
MOST, TOLD = 200, 5


def find(client: ClusterClient, bundle: Bundle) -> Iterator[str]:
    """One sentence for each of the first, and one for the rest. Kinds that can't be read are skipped."""
    found = [words for crd in bundle.crds for words in _of(client, crd)]
    yield from found[:TOLD]
    if len(found) > TOLD:
        yield _("%(n)d more objects don't match either.") % {"n": len(found) - TOLD}


def _of(client: ClusterClient, crd: Mapping[str, Any]) -> Iterator[str]:
    spec = mapping(crd.get("spec"))
    group = text(spec.get("group"))
    schemas = {
        f"{group}/{text(item.get('name'))}": mapping(mapping(item.get("schema")).get("openAPIV3Schema"))
        for item in items(spec.get("versions"))
    }
    try:
        objects: list[KubeObject] = client.list(
            client.find(group, "", text(mapping(spec.get("names")).get("plural"))), limit=MOST
        ).items
    except KubeError:
        return
    for obj in objects:
        node = check.node_of(Schema.from_document(schemas.get(text(obj.get("apiVersion")))))
        causes = examine(node, obj) if node is not None else None
        if causes is not None:
            place = f"{namespace_of(obj)}/{name_of(obj)}".strip("/")
            values = {"kind": text(obj.get("kind")), "name": place, "why": causes[0][0]}
            yield (
                _("%(kind)s %(name)s doesn't match the bundle's schema: %(why)s. It can't be changed until it does.")
                % values
            )
