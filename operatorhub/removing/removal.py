"""Carries out an uninstall: instances first, so that their operator can clean up behind them; then the Subscription,
lest OLM install again; the CSV; and at the end what else was ticked, the namespace last.

A Run records every object with its uid and state, so that a reload, another tab or a dead worker changes nothing. Each
is deleted by its uid, so that a newer object of the same name is kept. Refusals are reported object by object and don't
stop the rest; but the operator is not removed while its instances remain, unless the user confirms it.
"""

import logging
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from console.web import audit
from console.web.front import Workers
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Conflict, Forbidden, KubeError, NotFound
from kube.objects import KubeObject, uid_of
from kube.reader import read
from kube.recording import with_current_context
from kube.types.cluster import NamespaceStatus
from kube.types.meta import ObjectMeta
from operatorhub import olm, runs
from operatorhub.models import Run
from operatorhub.removing.uninstall import UninstallPlan, every, there

log = logging.getLogger("operatorhub.removing.removal")

KIND = "uninstall"
STAGES = ("operands", "subscription", "csv", "crd", "rest", "last")
WAITING, GOING, GONE, FAILED = "waiting", "going", "gone", "failed"
#: Time in one request; a worker does the rest.
SECONDS = 0.5
#: Without progress for this long an uninstall is stuck, and the worker stops polling.
PATIENCE = 120.0
_AT_ONCE = 24
_LOOK_SECONDS = 0.5
_SEEN_SECONDS = 4.0
#: OLM may carry out a completed InstallPlan again from its cache, and recreate the deleted CSV (seen on OLM 0.46, in
#: every uninstall within a second of the install). The removal of a CSV younger than the first value waits this long
#: for that.
_YOUNG_SECONDS, _SETTLE_SECONDS = 60.0, 3.0
#: More objects of a kind than this are looked for by listing the kind.
_SINGLY = 20
_workers = Workers(6, thread_name_prefix="removal")
Item = dict[str, Any]


def document(client: ClusterClient, plan: UninstallPlan, kinds: Iterable[str], ticked: Iterable[str]) -> dict[str, Any]:
    """What is to go.

    `kinds`: CRD names whose instances go; `ticked`: keys of leftovers. Only what the page offered is taken. Raises
    Forbidden for what never goes.
    """
    if plan.refused:
        raise Forbidden(plan.refused)
    wanted = set(ticked)
    rest = [leftover for leftover in plan.leftovers if leftover.offered and leftover.key in wanted]
    # Deleting a CRD deletes its instances, so they go first, while their operator still runs.
    instances = {*kinds, *(leftover.name for leftover in rest if leftover.stage == "crd")}
    items: list[Item] = []
    for operand in plan.operands:
        if operand.owned.type is not None and operand.owned.api.crd in instances and not operand.problem:
            items += [_item("operands", operand.owned.type, *names) for names in operand.every]
    for stage, plural, name, uid in (
        ("subscription", olm.SUBSCRIPTIONS, plan.subscription, plan.subscription_uid),
        ("csv", olm.CSVS, plan.csv, plan.csv_uid),
    ):
        if uid:
            type_ = olm.type_of(client, plural)
            items.append(_item(stage, type_, plan.namespace, name, uid))
    for left in rest:
        type_ = client.find(left.group, left.version, left.plural)
        items.append(_item(left.stage, type_, left.namespace, left.name, left.uid))
    return {
        "title": plan.title,
        "csv": plan.csv,
        "namespace": plan.namespace,
        "items": items,
        "despite": False,
        "changed": time.time(),
        "apis": [operands.owned.api.crd for operands in plan.operands],
        "deployments": list(plan.deployments),
    }


def _item(stage: str, type_: ResourceType, namespace: str, name: str, uid: str) -> Item:
    return {
        "stage": stage,
        "kind": type_.kind,
        "group": type_.group,
        "version": type_.version,
        "plural": type_.plural,
        "namespace": namespace,
        "name": name,
        "uid": uid,
        "state": WAITING,
        "message": "",
        "asked": 0.0,
    }


def advance(client: ClusterClient, run: Run, seconds: float) -> None:
    """Delete objects and poll for this many seconds; changes `run`, saves nothing.

    Ends as done, failed (something was refused) or stuck (nothing changes any more).
    """
    until = time.monotonic() + seconds
    state = run.document
    while run.state == "running":
        stage = next(
            (
                name
                for name in STAGES
                if any(item["stage"] == name and item["state"] in (WAITING, GOING) for item in state["items"])
            ),
            "",
        )
        if not stage:
            run.state = "failed" if any(item["state"] == FAILED for item in state["items"]) else "done"
            return
        if (
            stage != "operands"
            and not state["despite"]
            and any(item["stage"] == "operands" and item["state"] == FAILED for item in state["items"])
        ):
            run.state = "stopped"
            return
        if _stage(client, run, stage):
            state["changed"] = time.time()
        elif time.time() - state["changed"] > PATIENCE:
            run.state = "stuck"
            return
        elif time.monotonic() + _LOOK_SECONDS < until:
            time.sleep(_LOOK_SECONDS)
        if time.monotonic() > until:
            return


def follow(client: ClusterClient, run: Run) -> None:
    """Read what a stuck uninstall waits for, and let it continue if some of that is gone. Deletes nothing itself.

    What is still to be deleted is left to the worker, with the credentials of the session that started the uninstall.
    """
    if run.state != "stuck":
        return
    going = [item for item in run.document["items"] if item["state"] == GOING]
    # Of copies: what is gone is for advance() to find, which also knows when OLM recreates a CSV.
    seen = [{**item, "settles": 0.0} for item in going]
    _look(client, seen)
    for item, found in zip(going, seen, strict=True):
        if found["state"] == GOING:
            item.update({name: found[name] for name in ("finalizers", "message") if name in found})
    if any(found["state"] == GONE for found in seen):
        run.document["changed"] = time.time()
        run.state = "running"
    if runs.save(run) and run.state == "running":
        runs.hand_over(run)


def _stage(client: ClusterClient, run: Run, stage: str) -> bool:
    """One round: ask for some deletions, look what is gone. Whether anything changed."""
    items = [item for item in run.document["items"] if item["stage"] == stage]
    if asked := [item for item in items if item["state"] == WAITING][:_AT_ONCE]:
        for _done in _workers.map(with_current_context(partial(_delete, client)), asked):
            pass
        audit.write_now()
        # In between, so that people see it get on; not each time, for that lists them all.
        if time.time() - run.document.get("looked", 0.0) < _SEEN_SECONDS:
            return True
    run.document["looked"] = time.time()
    going = [item for item in items if item["state"] == GOING]
    _look(client, going)
    return bool(asked) or any(item["state"] != GOING for item in going)


def _type(client: ClusterClient, item: Item) -> ResourceType:
    return client.find(item["group"], item["version"], item["plural"])


def ref(item: Mapping[str, Any]) -> str:
    """For the audit log."""
    where = f"{item['namespace']}/" if item["namespace"] else ""
    return f"{item['group'] or 'core'}/{item['version']}/{item['plural']} {where}{item['name']}"


def _delete(client: ClusterClient, item: Item) -> None:
    propagation = "Foreground" if item["stage"] == "operands" else ""
    outcome = "ok"
    try:
        if item["stage"] == "csv":
            item["settles"] = _SETTLE_SECONDS if _young(client, item) else 0.0
        left = client.delete(
            _type(client, item), item["name"], item["namespace"], propagation=propagation, uid=item["uid"]
        )
        item["state"] = GOING if uid_of(left) else GONE
        item["asked"] = time.time()
        if not uid_of(left) and item["stage"] in ("csv", "crd", "last"):
            item["state"] = GOING
    except NotFound as error:
        item["state"], outcome = GONE, error.reason
    except Conflict as error:
        item["state"], item["message"], outcome = (
            FAILED,
            _("Not deleted: another object with the same name has been created since."),
            error.reason,
        )
    except KubeError as error:
        item["state"], item["message"], outcome = FAILED, str(error), error.reason
    audit.note(client, "delete", ref(item), outcome)


def _young(client: ClusterClient, item: Item) -> bool:
    found = client.get(_type(client, item), item["name"], item["namespace"])
    try:
        born = datetime.fromisoformat(read(found.get("metadata"), ObjectMeta).creation_timestamp)
    except ValueError:
        return False
    return time.time() - born.timestamp() < _YOUNG_SECONDS


def _made_again(client: ClusterClient, item: Item, found: KubeObject) -> bool:
    """True if OLM has recreated the CSV; then it is deleted too.

    A CSV that a Subscription asks for is a new install.
    """
    subscriptions = map(olm.subscription, every(client, olm.type_of(client, olm.SUBSCRIPTIONS), item["namespace"]))
    if any(
        subscription.namespace == item["namespace"]
        and item["name"] in (subscription.current_csv, subscription.installed_csv)
        for subscription in subscriptions
    ):
        return False
    item["uid"] = uid_of(found)
    client.delete(_type(client, item), item["name"], item["namespace"], uid=item["uid"])
    audit.note(client, "delete", ref(item), "ok")
    item["asked"] = time.time()
    return True


def _look(client: ClusterClient, going: list[Item]) -> None:
    """Mark what is gone."""
    by_type: dict[tuple[str, str, str], list[Item]] = {}
    for item in going:
        by_type.setdefault((item["group"], item["version"], item["plural"]), []).append(item)
    for items in by_type.values():
        try:
            _look_at(client, _type(client, items[0]), items)
        except NotFound:
            # The kind is not served any more: its objects went with it.
            for item in items:
                item["state"] = GONE
        except KubeError as error:
            for item in items:
                item["message"] = str(error)


def _look_at(client: ClusterClient, type_: ResourceType, items: list[Item]) -> None:
    if len(items) > _SINGLY:
        uids = {uid_of(obj) for obj in there(client, type_, tuple({item["namespace"] for item in items}))}
        for item in items:
            if item["uid"] not in uids:
                item["state"] = GONE
        return
    for item in items:
        try:
            found = client.get(type_, item["name"], item["namespace"])
        except NotFound:
            if time.time() - item["asked"] >= item.get("settles", 0.0):
                item["state"], item["message"] = GONE, ""
            continue
        if uid_of(found) != item["uid"]:
            if not (item.get("settles") and _made_again(client, item, found)):
                item["state"] = GONE
        else:
            item["finalizers"] = list(read(found.get("metadata"), ObjectMeta).finalizers)
            item["message"] = _namespace_words(found) if item["plural"] == "namespaces" else ""


def _namespace_words(found: KubeObject) -> str:
    """Why a terminating namespace still exists."""
    conditions = read(found.get("status"), NamespaceStatus).conditions
    return " ".join(condition.message for condition in conditions if condition.status == "True")


def go_anyway(run: Run) -> None:
    """Remove the operator although instances remain; don't wait for pending deletions."""
    run.document["despite"] = True
    for item in run.document["items"]:
        if item["stage"] == "operands" and item["state"] in (WAITING, GOING):
            item["state"], item["message"] = FAILED, _("The uninstall continued without waiting for this deletion.")
    again(run)


def again(run: Run) -> None:
    """Look and try once more: what was refused too, unless that was decided."""
    if not run.document["despite"]:
        for item in run.document["items"]:
            if item["state"] == FAILED:
                item["state"], item["message"] = WAITING, ""
    run.document["changed"] = time.time()
    run.document.pop("abandoned", None)
    run.state = "running"


def stop(run: Run) -> None:
    """What is asked for can't be taken back; nothing else is asked for."""
    for item in run.document["items"]:
        if item["state"] == WAITING:
            item["state"], item["message"] = FAILED, _("Not deleted, because the uninstall was stopped.")
    run.state = "stopped"
