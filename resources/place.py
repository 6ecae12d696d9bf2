"""The object, or the kind, that an address names."""

import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.urls import reverse

from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType

#: Stands in addresses for "no namespace".
CLUSTER_SCOPE = "-"


@dataclass(frozen=True, slots=True)
class Place:
    """`namespace` is '' for the cluster's scope (or all namespaces); `name` is '' for the kind as a whole."""

    type: ResourceType
    namespace: str = ""
    name: str = ""

    @property
    def kind_arguments(self) -> dict[str, str]:
        return {"group": self.type.group_or_core, "version": self.type.version, "plural": self.type.plural}

    def url(self, view: str = "detail", /, **query: str) -> str:
        """The address of another view of the same object: detail, edit, yaml, delete, scale, logs, forward."""
        arguments = {**self.kind_arguments, "namespace": self.namespace or CLUSTER_SCOPE, "name": self.name}
        return _with(reverse(f"resources:{view}", kwargs=arguments), query)

    def kind_url(self, view: str = "list", /, **query: str) -> str:
        """The address of a view of the kind: list, new, new-yaml."""
        return _with(reverse(f"resources:{view}", kwargs=self.kind_arguments), query)

    @property
    def detail_url(self) -> str:
        return self.url()

    @property
    def list_url(self) -> str:
        return self.kind_url()

    @property
    def secret(self) -> bool:
        """Whether its values are secret: handing them out is in the audit."""
        return not self.type.group and self.type.plural == "secrets"

    @property
    def ref(self) -> str:
        """For the audit log: group/version/plural namespace/name."""
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.type.topic_part} {where}{self.name}"

    @property
    def kubectl(self) -> str:
        """What kubectl calls it: `sampledbs.samples.operator-console.dev my-db -n shop`.

        Names of roles and bindings may hold anything but `/` and `%`, so they are quoted, and no name is read as a
        flag.
        """
        scope = f" -n {self.namespace}" if self.namespace else ""
        join = "/" if self.name.startswith("-") else " "
        return f"{self.type.qualified}{join}{shlex.quote(self.name)}{scope}"

    def get(self, client: ClusterClient) -> dict[str, Any]:
        """Raises KubeError, NotFound above all."""
        return client.get(self.type, self.name, self.namespace)


def _with(path: str, query: dict[str, str]) -> str:
    return f"{path}?{urlencode(query, quote_via=quote)}" if query else path


def place_of(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str = CLUSTER_SCOPE, name: str = ""
) -> Place:
    """Raises NotFound when the cluster does not serve such a type."""
    type_ = request.cluster.find(group, version, plural)
    return Place(type_, "" if namespace == CLUSTER_SCOPE or not type_.namespaced else namespace, name)
