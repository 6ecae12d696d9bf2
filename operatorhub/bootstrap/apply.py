"""Applying a manifest object by object, by server-side apply: a little in each request, the rest in the next, so
that its page shows how far it is.

Namespaces and CRDs go first, and what comes after them waits until all CRDs are established. Every step may be repeated
without harm, so a dead browser or a second tab costs nothing. Uids tell created objects from existing ones, so that a
later removal deletes only the former.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Conflict, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.reader import read
from kube.types.extensions import CustomResourceDefinitionSpec, CustomResourceDefinitionStatus
from kube.types.meta import Object
from operatorhub import olm, runs
from operatorhub.bootstrap import manifest
from operatorhub.install import created_objects
from operatorhub.install.created_objects import DeletionTarget, Removed
from operatorhub.models import Run
from resources.state.health import condition_of

KIND = "olm"
DRAFT, RUNNING, DONE, FAILED = "draft", "running", "done", "failed"
#: How long CRDs may take to be established, and a kind to be served.
WAIT_SECONDS = 60.0
#: How long OLM may take to let go of its own objects.
GONE_SECONDS = 10.0
Done = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyResult:
    """One object and what became of it.

    `outcome`: '' (to come), created, changed, there (unchanged), refused; `message`: the server's words.
    """

    number: int
    kind: str
    namespace: str
    name: str
    outcome: str
    message: str
    uid: str
    mine: bool


def begin(client: ClusterClient, objects: tuple[KubeObject, ...], origin: str) -> Run:
    """Keep a manifest for its preview; nothing is applied yet. `origin`: the addresses or files, in words."""
    key = runs.key_of(KIND, client.name, client.owner, manifest.digest(objects))
    document: dict[str, Any] = {"objects": list(objects), "results": {}, "origin": origin, "waits": 0.0, "problem": ""}
    run = runs.create(key=key, kind=KIND, client=client, namespace="", name=origin[:253], document=document)
    if run.state == RUNNING and not run.document.get("begun"):
        run.state = DRAFT
        runs.save(run)
    return run


def find(client: ClusterClient, key: str) -> Run:
    """Raises NotFound: manifests are kept for a day."""
    run = Run.objects.filter(key=key, kind=KIND, cluster=client.name, user=client.owner).first()
    if run is None:
        raise NotFound(_("This manifest is no longer stored. Load it again from its address or file."))
    return run


def start(run: Run) -> None:
    """Begin, or try again what was refused."""
    results = run.document["results"]
    run.document["results"] = {number: result for number, result in results.items() if result["outcome"] != "refused"}
    run.document |= {"begun": True, "waits": 0.0, "problem": ""}
    run.state = RUNNING


def results(run: Run) -> tuple[ApplyResult, ...]:
    """In the order of applying."""
    known = run.document["results"]
    empty = {"outcome": "", "message": "", "uid": "", "mine": False}
    return tuple(
        ApplyResult(
            number=number,
            kind=obj["kind"],
            namespace=namespace_of(obj),
            name=name_of(obj),
            **{**empty, **known.get(str(number), {})},
        )
        for number, obj in enumerate(run.document["objects"])
    )


def advance(client: ClusterClient, run: Run, seconds: float, done: Done) -> None:
    """Apply further objects for so long; changes `run`, saves nothing. Calls `done(ref, outcome)` for each."""
    until = time.monotonic() + seconds
    known: dict[str, dict[str, Any]] = run.document["results"]
    for number, obj in enumerate(run.document["objects"]):
        if str(number) in known:
            continue
        if manifest.rank(obj) > 1 and not _established(client, run, until):
            return
        known[str(number)] = _apply(client, obj, run)
        done(f"{obj['apiVersion']} {obj['kind']} {namespace_of(obj)}/{name_of(obj)}", known[str(number)]["outcome"])
        if time.monotonic() > until:
            break
    if len(known) == len(run.document["objects"]):
        refused = any(item["outcome"] == "refused" for item in known.values())
        run.state = FAILED if refused else DONE


def _established(client: ClusterClient, run: Run, until: float) -> bool:
    """Whether all CRDs of the manifest are; waits until the end of this turn.

    When it takes too long, the run stops and says which.
    """
    names = [name_of(obj) for obj in run.document["objects"] if obj["kind"] == manifest.CRD]
    refused = {result.name for result in results(run) if result.kind == manifest.CRD and result.outcome == "refused"}
    begun = time.monotonic()
    while missing := [name for name in names if name not in refused and not _is_established(client, name)]:
        if time.monotonic() > until:
            run.document["waits"] += time.monotonic() - begun
            if run.document["waits"] > WAIT_SECONDS:
                run.document["problem"] = _("These CustomResourceDefinitions aren't established: %(names)s") % {
                    "names": ", ".join(missing)
                }
                run.state = FAILED
            return False
        time.sleep(0.05)
    if not run.document.get("established"):
        client.forget_types()
        run.document["established"] = True
    return True


def _is_established(client: ClusterClient, name: str) -> bool:
    try:
        found = client.get(client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"), name)
    except KubeError:
        return False
    conditions = read(found.get("status"), CustomResourceDefinitionStatus).conditions
    return condition_of(conditions, "Established", "True") is not None


def _type(client: ClusterClient, obj: KubeObject) -> ResourceType:
    try:
        return client.type_of(obj)
    except NotFound:
        client.forget_types()
        return client.type_of(obj)


def _apply(client: ClusterClient, obj: KubeObject, run: Run) -> dict[str, Any]:
    """By server-side apply. Fields that another manager owns are kept and reported."""
    name, namespace = name_of(obj), namespace_of(obj)
    try:
        type_ = _type(client, obj)
        before = _there(client, type_, name, namespace)
        made = client.patch(type_, name, obj, namespace, style="apply")
    except Conflict as error:
        return {"outcome": "refused", "message": error.message, "uid": "", "mine": False}
    except KubeError as error:
        return {"outcome": "refused", "message": error.message, "uid": "", "mine": False}
    same = _resource_version(before) == _resource_version(made)
    outcome = "created" if before is None else "there" if same else "changed"
    return {"outcome": outcome, "message": "", "uid": uid_of(made), "mine": before is None}


def _resource_version(obj: KubeObject | None) -> str:
    return read(obj, Object).metadata.resource_version


def _there(client: ClusterClient, type_: ResourceType, name: str, namespace: str) -> KubeObject | None:
    try:
        return client.get(type_, name, namespace)
    except NotFound:
        return None


def dry_run(client: ClusterClient, run: Run) -> tuple[ApplyResult, ...]:
    """What the server would say to each; what waits for a kind or namespace of this manifest can't be tried before."""
    objects = run.document["objects"]
    spaces = {name_of(item) for item in objects if item["kind"] == "Namespace"}
    kinds = {
        read(item.get("spec"), CustomResourceDefinitionSpec).names.kind
        for item in objects
        if item["kind"] == manifest.CRD
    }
    found = []
    for number, obj in enumerate(objects):
        name, namespace = name_of(obj), namespace_of(obj)
        outcome, message = "ok", ""
        try:
            type_ = _type(client, obj)
            client.patch(type_, name, obj, namespace, style="apply", dry_run=True)
        except NotFound as error:
            waits = obj["kind"] in kinds or namespace in spaces
            outcome, message = ("waits", "") if waits else ("refused", error.message)
        except KubeError as error:
            outcome, message = "refused", error.message
        found.append(
            ApplyResult(
                number=number,
                kind=obj["kind"],
                namespace=namespace,
                name=name,
                outcome=outcome,
                message=message,
                uid="",
                mine=False,
            )
        )
    return tuple(found)


def remove(client: ClusterClient, wanted: tuple[DeletionTarget, ...], done: Done) -> tuple[Removed, ...]:
    """In the given order.

    Objects of OLM's kinds are deleted before its Deployments, whose controllers remove their finalizers.
    """
    own = [target for target in wanted if target.group == olm.GROUP]
    removed = created_objects.remove(client, own, done)
    until = time.monotonic() + GONE_SECONDS
    while time.monotonic() < until and any(
        _still(client, removal) for removal in removed if removal.outcome == "removed"
    ):
        time.sleep(0.1)
    return (*removed, *created_objects.remove(client, [target for target in wanted if target.group != olm.GROUP], done))


def _still(client: ClusterClient, removed: Removed) -> bool:
    try:
        found = client.get(
            client.find(removed.target.group, removed.target.version, removed.target.plural),
            removed.target.name,
            removed.target.namespace,
        )
    except KubeError:
        return False
    return uid_of(found) == removed.target.uid


def _is_same(client: ClusterClient, type_: ResourceType, result: ApplyResult) -> bool:
    try:
        found = _there(client, type_, result.name, result.namespace)
    except KubeError:
        return True
    return found is not None and uid_of(found) == result.uid


def removable(client: ClusterClient, run: Run) -> tuple[DeletionTarget, ...]:
    """What is still there of it, last made first; what was there before it is marked.

    Objects that can't be read are offered too: the delete call reports the reason.
    """
    found = []
    for item, obj in reversed(list(zip(results(run), run.document["objects"], strict=True))):
        if not item.uid:
            continue
        try:
            type_ = _type(client, obj)
        except KubeError:
            continue
        if not _is_same(client, type_, item):
            continue
        keeps = "" if item.mine else _("existed before this install")
        if item.kind == manifest.CRD:
            keeps = keeps or _(
                "deleting it also deletes all objects of this resource type, including everything that OLM installed"
            )
        found.append(
            DeletionTarget(
                group=type_.group,
                version=type_.version,
                plural=type_.plural,
                kind=type_.kind,
                namespace=item.namespace,
                name=item.name,
                uid=item.uid,
                why="",
                keeps=keeps,
            )
        )
    return tuple(found)
