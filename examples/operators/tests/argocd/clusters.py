"""A cluster with ArgoCDs in it: how the tests make them, and look at what belongs to them."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager

from examples.operators.tests import places
from examples.operators.tests.places import Object, Place, Wanted, condition
from tests.api import Api
from tests.eventually import until

IMAGE = "operator-console.dev/argocd-tutorial:1.0.0"
DEX = {"provider": "dex", "dex": {"config": "connectors: []"}}
#: What an ArgoCD may have, and the Pods of it.
PLURALS = ("configmaps", "secrets", "serviceaccounts", "services", "deployments", "statefulsets", "pods")


def says(type_: str, reason: str) -> Wanted:
    """Whether a condition says this of the newest spec."""

    def holds(found: Object) -> bool:
        item = condition(found, type_)
        return item.get("reason") == reason and item["observedGeneration"] == found["metadata"]["generation"]

    return holds


class ArgoCDs(Place):
    """Those of one namespace."""

    group, version, kind, plural = "argoproj.io", "v1beta1", "ArgoCD", "argocds"

    def available(self, name: str) -> Object:
        return self.until(name, says("Available", "ComponentsRunning"))

    def objects(self, name: str) -> set[str]:
        """Everything that belongs to one: `plural/name`."""
        return {
            f"{plural}/{item['metadata']['name']}"
            for plural in PLURALS
            for item in self.listed(plural, f"app.kubernetes.io/managed-by={name}")
        }

    def gone(self, name: str) -> None:
        """It, and in the end everything of it: what was still being made when it went is taken away after it."""
        super().gone(name)
        until(lambda: not self.objects(name))

    def messages(self, uid: str, reason: str) -> list[str]:
        """Those of an ArgoCD's events of a reason, as soon as there is one."""
        path = self.path("events") + f"?fieldSelector=involvedObject.uid%3D{uid},reason%3D{reason}"
        return [event["message"] for event in self.api.until(path, lambda body: body["items"], places.SECONDS)["items"]]

    def there(self, plural: str, name: str) -> Object:
        """An object of another kind."""
        return dict(self.api.get(self.path(plural, name)).json)

    def secret(self, name: str) -> dict[str, bytes]:
        return {key: base64.b64decode(value) for key, value in self.there("secrets", name)["data"].items()}


@contextmanager
def namespace(api: Api, prefix: str) -> Iterator[ArgoCDs]:
    """A namespace of its own."""
    with places.namespace(api, prefix) as name:
        yield ArgoCDs(api, name)
