"""operator-controller: resolves, checks and applies each ClusterExtension with its ServiceAccount's permissions, and
writes its conditions.

Source of conditions, reasons and sentences: operator-controller, internal/operator-controller/controllers.
"""

from __future__ import annotations

import logging
from typing import Any

import msgspec

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from ..labels import label_selector
from ..olm.names import served
from ..olm.workqueue import Workqueue
from . import resolve, rights, safety
from .catalogs import serves
from .deprecation import conditions as deprecations
from .names import API, CATALOGS, CRDS, EXTENSIONS, OWNER_KIND, OWNER_NAME, condition, contents
from .render import Unsupported, render

Object = dict[str, Any]

log = logging.getLogger("sandbox.olmv1.extensions")
#: Seconds until what sends no event here (permissions, a namespace) is checked again.
AGAIN = 3.0
_RBAC = "rbac.authorization.k8s.io"
#: Kinds of an extension's objects; those that a new version lacks are deleted.
KINDS = (
    "deployments.apps",
    "services",
    "configmaps",
    "serviceaccounts",
    f"clusterrolebindings.{_RBAC}",
    f"clusterroles.{_RBAC}",
    f"rolebindings.{_RBAC}",
    f"roles.{_RBAC}",
    "poddisruptionbudgets.policy",
    CRDS,
)


class NotReconciled(Exception):
    """Why the desired state is not reached; tried again."""


class Extensions:
    """One reconcile at a time for each ClusterExtension."""

    def __init__(self, cluster: Cluster, context: Context):
        self._cluster, self._context = cluster.as_manager("operator-controller"), context
        self.queue = Workqueue("clusterextensions", self.reconcile)

    async def reconcile(self, _: str, name: str) -> None:
        try:
            extension = self._cluster.get(EXTENSIONS, name)
        except NotFound:
            return
        if extension["metadata"].get("deletionTimestamp"):
            return  # the garbage collector takes what it owns
        status = extension.get("status") or {}
        installed = (status.get("install") or {}).get("bundle")
        found: resolve.ResolvedBundle | None = None
        words, unknown = "", ""
        try:
            unknown = self._account_problem(extension)
            if unknown:
                raise NotReconciled(unknown)
            found = self._resolve(extension, installed)
            self._install(extension, found)
        except (NotReconciled, resolve.Unresolved) as error:
            words = str(error)
            self.queue.add("", name, after=AGAIN)
        else:
            installed = {"name": found.bundle["name"], "version": found.version}
        image = found.bundle["image"] if found and not words else self._image(installed)
        self._write_status(
            extension=extension, installed=installed, image=image, words=words, unknown=unknown, found=found
        )

    def _account_problem(self, extension: Object) -> str:
        spec = extension["spec"]
        try:
            self._cluster.get("serviceaccounts", spec["serviceAccount"]["name"], spec["namespace"])
        except NotFound:
            why = f'service account "{spec["serviceAccount"]["name"]}" not found in namespace "{spec["namespace"]}"'
            return f"operation cannot proceed due to the following validation error(s): {why}"
        return ""

    def _packages(self, wanted: Object) -> list[resolve.CatalogPackage]:
        selector, found = wanted.get("selector"), []
        for catalog in self._cluster.list(CATALOGS):
            matches = label_selector(_query(selector)) if selector else None
            labels = catalog["metadata"].get("labels") or {}
            if catalog["spec"].get("availabilityMode") == "Unavailable" or (
                matches is not None and not matches(labels)
            ):
                continue
            name = catalog["metadata"]["name"]
            if not serves(catalog):
                raise resolve.Unresolved(
                    f'error walking catalogs: error getting package "{wanted["packageName"]}" from catalog "{name}":'
                    " catalog is not being served"
                )
            blobs = _blobs(contents(self._context, name).read_bytes(), wanted["packageName"])
            found.append(resolve.package(name, catalog["spec"].get("priority", 0), wanted["packageName"], blobs))
        return found

    def _resolve(self, extension: Object, installed: Object | None) -> resolve.ResolvedBundle:
        wanted = extension["spec"]["source"]["catalog"]
        return resolve.resolve(wanted, self._packages(wanted), installed)

    def _image(self, installed: Object | None) -> str:
        """The image of the installed bundle, as its catalog names it."""
        if installed is None:
            return ""
        for catalog in self._cluster.list(CATALOGS):
            path = contents(self._context, catalog["metadata"]["name"])
            for line in path.read_bytes().splitlines()[1:] if path.exists() else []:
                blob = msgspec.json.decode(line)
                if blob["schema"] == "olm.bundle" and blob["name"] == installed["name"]:
                    return str(blob["image"])
        return str(installed["name"])

    def _install(self, extension: Object, found: resolve.ResolvedBundle) -> None:
        """Applies the bundle. Raises Refused in operator-controller's words."""
        name, namespace = extension["metadata"]["name"], extension["spec"]["namespace"]
        about = f'error for resolved bundle "{found.bundle["name"]}" with version "{found.version}": '
        try:
            objects = render(resolve.objects_of(found.bundle), namespace)
        except Unsupported as error:
            raise NotReconciled(f"{about}{error}") from error
        user = rights.account(namespace, extension["spec"]["serviceAccount"]["name"])
        if lacking := rights.missing(self._cluster, name, objects, user):
            raise NotReconciled(f"{about}{lacking}")
        enforcement = (
            extension["spec"].get("install", {}).get("preflight", {}).get("crdUpgradeSafety", {}).get("enforcement")
        )
        if enforcement != "None" and (problem := self._unsafe(objects)):
            raise NotReconciled(f"{about}{problem}")
        try:
            self._apply(extension, objects)
        except ApiError as error:
            raise NotReconciled(f"{about}{error.message}") from error

    def _unsafe(self, objects: list[Object]) -> str:
        lines = []
        for crd in (obj for obj in objects if obj["kind"] == "CustomResourceDefinition"):
            try:
                old = self._cluster.get(CRDS, crd["metadata"]["name"])
            except NotFound:
                continue
            if problems := safety.problems(old, crd):
                lines.append(f'validating upgrade for CRD "{crd["metadata"]["name"]}": ' + "\n".join(problems))
        return "\n".join(lines)

    def _apply(self, extension: Object, objects: list[Object]) -> None:
        meta = extension["metadata"]
        owner = {
            "apiVersion": API,
            "kind": "ClusterExtension",
            "name": meta["name"],
            "uid": meta["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        labels = {OWNER_KIND: "ClusterExtension", OWNER_NAME: meta["name"]}
        applied = set()
        for obj in objects:
            resource = self._cluster.resource_for(obj["apiVersion"], obj["kind"])
            if resource is None:
                raise NotReconciled(f'no matches for kind "{obj["kind"]}" in version "{obj["apiVersion"]}"')
            head = obj["metadata"]
            self._refuse_others(resource.key, head, meta["uid"])
            made = {**head, "labels": {**(head.get("labels") or {}), **labels}, "ownerReferences": [owner]}
            self._cluster.apply(resource.key, {**obj, "metadata": made}, manager="operator-controller")
            applied.add((resource.key, head.get("namespace", ""), head["name"]))
        query = ",".join(f"{key}={value}" for key, value in labels.items())
        for kind in KINDS:
            for item in self._cluster.list(kind, labels=query):
                place = (kind, item["metadata"].get("namespace", ""), item["metadata"]["name"])
                if place not in applied:
                    self._cluster.delete(kind, place[2], place[1])

    def _refuse_others(self, key: str, head: Object, uid: str) -> None:
        """Raises Refused for an object that another owner manages."""
        try:
            present = self._cluster.get(key, head["name"], head.get("namespace", ""))
        except NotFound:
            return
        owners = [
            reference for reference in present["metadata"].get("ownerReferences") or [] if reference.get("controller")
        ]
        if (present["metadata"].get("labels") or {}).get(OWNER_NAME) is None or any(
            owner["uid"] != uid for owner in owners
        ):
            place = f'"{head["name"]}" in namespace "{head.get("namespace", "")}"'
            raise NotReconciled(
                f"unable to continue with install: {present['kind']} {place} exists and cannot be imported into the"
                " current release"
            )

    def _write_status(
        self,
        extension: Object,
        installed: Object | None,
        image: str,
        words: str,
        unknown: str,
        found: resolve.ResolvedBundle | None,
    ) -> None:
        meta, before = extension["metadata"], extension.get("status") or {}
        generation, list_ = meta["generation"], before.get("conditions") or []
        catalog = extension["spec"]["source"]["catalog"]
        if unknown:
            list_ = condition(
                old=list_, type_="Installed", status="Unknown", reason="Failed", message=unknown, generation=generation
            )
        elif installed:
            list_ = condition(
                old=list_,
                type_="Installed",
                status="True",
                reason="Succeeded",
                message=f"Installed bundle {image} successfully",
                generation=generation,
            )
        else:
            list_ = condition(
                old=list_,
                type_="Installed",
                status="False",
                reason="Failed",
                message="No bundle installed",
                generation=generation,
            )
        reason, message = ("Retrying", words) if words else ("Succeeded", "Desired state reached")
        list_ = condition(
            old=list_, type_="Progressing", status="True", reason=reason, message=message[:32768], generation=generation
        )
        for type_, values in deprecations(
            found.deprecations if found else None, catalog, (installed or {}).get("name", "")
        ):
            list_ = condition(list_, type_, *values, generation)
        status: Object = {"conditions": list_, "install": {"bundle": installed} if installed else None}
        if before.get("conditions") != list_ or before.get("install") != status["install"]:
            self._cluster.patch(EXTENSIONS, meta["name"], {"status": status}, "", "status")


def _blobs(data: bytes, package: str) -> list[Object]:
    """The lines of one package; others are not decoded further than needed."""
    mark = f'"package":"{package}"'.encode()
    return [msgspec.json.decode(line) for line in data.splitlines()[1:] if mark in line[:600]]


def _query(selector: Object) -> str:
    parts = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for expression in selector.get("matchExpressions") or []:
        key, values = expression["key"], ",".join(expression.get("values") or [])
        words = {
            "In": f"{key} in ({values})",
            "NotIn": f"{key} notin ({values})",
            "Exists": key,
            "DoesNotExist": f"!{key}",
        }
        parts.append(words.get(expression["operator"], key))
    return ",".join(parts)


async def run(cluster: Cluster, context: Context) -> None:
    """Until cancelled: by every change of an extension, of a catalog, and of accounts and Deployments that
    extensions brought.
    """
    await served(cluster, API, "ClusterExtension")
    extensions = Extensions(cluster, context)
    try:
        async for event in cluster.watch(
            EXTENSIONS, CATALOGS, "serviceaccounts", f"clusterrolebindings.{_RBAC}", "deployments.apps"
        ):
            meta = event.object["metadata"]
            if event.resource == EXTENSIONS:
                extensions.queue.add("", meta["name"])
            elif event.resource == CATALOGS:
                for extension in cluster.list(EXTENSIONS):
                    extensions.queue.add("", extension["metadata"]["name"])
            elif event.type == "DELETED" and (owner := (meta.get("labels") or {}).get(OWNER_NAME)):
                extensions.queue.add("", owner)
    finally:
        await extensions.queue.close()
