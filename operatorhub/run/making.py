"""Creates the objects of a run, each with a result of its own; then makes the CSV the owner of the operator's objects,
as an InstallPlan does.

Server-side apply: a run can be repeated, and what failed can be sent again. CustomResourceDefinitions are taken over
from other field managers.
"""

from collections.abc import Callable

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from operatorhub.run.plan import RUN, Plan
from resources.applying.imports import Document, Import, Result

_KEPT = ("Namespace", "OperatorGroup", "ClusterServiceVersion", "Subscription")
Done = Callable[[str, str], None]


class _Run(Import):
    """As an import of many documents, but CRDs and objects with the run's label are taken over from other field
    managers.
    """

    def applied(self, type_: ResourceType, name: str, obj: KubeObject, namespace: str) -> KubeObject:
        # Of what the run itself made OLM may have written fields since.
        force = type_.plural == "customresourcedefinitions" or RUN in (obj["metadata"].get("labels") or {})
        return self.client.patch(type_, name, obj, namespace, style="apply", dry_run=self.dry_run, force=force)


def run(client: ClusterClient, wanted: Plan, *, dry_run: bool) -> tuple[Result, ...]:
    """The results in the plan's order. A dry run says "waits" of what needs a namespace or kind of the same run."""
    documents = tuple(Document(number, 0, item) for number, item in enumerate(wanted.objects, 1))
    return _Run(client, wanted.choice.namespace, True, dry_run).run(documents)


def hand_over(client: ClusterClient, results: tuple[Result, ...], done: Done) -> None:
    """Add owner references to the CSV on all objects in its namespace, so that they are deleted with it."""
    csv = next(
        (result.made for result in results if result.document.kind == "ClusterServiceVersion" and result.made), None
    )
    if csv is None:
        return
    reference = {
        "apiVersion": csv["apiVersion"],
        "kind": csv["kind"],
        "name": name_of(csv),
        "uid": csv["metadata"]["uid"],
        "controller": False,
        "blockOwnerDeletion": False,
    }
    for outcome in results:
        if (
            outcome.made is None
            or outcome.type is None
            or not outcome.type.namespaced
            or outcome.document.kind in _KEPT
        ):
            continue
        present = outcome.made["metadata"].get("ownerReferences") or []
        if any(each.get("uid") == reference["uid"] for each in present):
            continue
        place = (
            f"{outcome.type.group_or_core}/{outcome.type.version}/{outcome.type.plural}"
            f" {namespace_of(outcome.made)}/{name_of(outcome.made)}"
        )
        try:
            patch = {"metadata": {"ownerReferences": [*present, reference]}}
            client.patch(outcome.type, name_of(outcome.made), patch, namespace_of(outcome.made))
        except KubeError as error:
            done(place, error.reason)
