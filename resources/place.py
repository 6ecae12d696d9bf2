"""The object, or the kind, that an address names."""

import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode

from django.urls import register_converter, reverse
from django.urls.converters import StringConverter

from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType

#: Stands in addresses for "no namespace".
CLUSTER_SCOPE = "-"


class NameConverter(StringConverter):
    """`<name:…>`: one segment of an address that any text fits, so that each link can be drawn.

    Objects refer to others by names that an API server often doesn't check: an ownerReference to "a/b", a Subscription
    whose source is "..". No object can be called so, and the link leads to an error page (kube.discovery.path_segment).
    Valid names stand for themselves. "/", "%" and segments of dots are percent-encoded, and Django encodes that once
    more; "" is "%".
    """

    def to_url(self, value: Any) -> str:
        text = str(value)
        if text in ("", ".", ".."):
            return text.replace(".", "%2E") or "%"
        return text.replace("%", "%25").replace("/", "%2F")

    def to_python(self, value: str) -> str:
        """ValueError (404) for a second address of the same name."""
        text = "" if value == "%" else unquote(value)
        if self.to_url(text) != value:
            raise ValueError("not the address of this name")
        return text


register_converter(NameConverter, "name")


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
