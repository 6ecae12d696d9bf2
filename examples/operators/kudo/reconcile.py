"""One pass for one Instance: which plan is to run, and as much of it as can be done now.

Everything is in the Instance: spec.planExecution says which plan runs, an annotation what it works with,
status.planStatus how far it is. So a pass can be the first one after a restart at any point, and nothing is done twice
that is complete.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import KubeApi, Object

from . import package, plans, trigger
from .conditions import accepted, ready
from .instance import FINALIZER, SNAPSHOT, Instance
from .parameters import ParameterError, resolve
from .pilot import Pilot
from .pipes import IMAGE
from .plans import COMPLETE, ERROR, FATAL_ERROR, RUNNING
from .render import Moment
from .tasks import Tasks
from .version import CLEANUP, DEPLOY, UPGRADE, OperatorVersion, PackageError, Plan, read

#: Seconds until the next pass: while a plan runs and none of its objects changes; after an error; and while something
#: is missing.
SOON, AFTER_ERROR, MISSING = 1.0, 2.0, 5.0
#: Why a spec is refused. Other reasons are of what was asked for by hand, and stand until the next plan begins.
OF_THE_SPEC = frozenset(
    ("ImmutableParameter", "InvalidOperatorVersion", "InvalidParameter", "NoOperatorVersion", "NotUpgradable")
)


class MissingError(Exception):
    """There is no such OperatorVersion."""


@dataclass(frozen=True, slots=True)
class Current:
    """``plan`` and ``uid`` run; both are empty when nothing does.

    ``asked``: the plan that a user wants to run by hand.
    """

    plan: str = ""
    uid: str = ""
    asked: str = ""


def current(instance: Instance) -> Current:
    """Read off what is stored.

    A plan that a user asks for has no uid yet, or replaces the name of the running plan.
    """
    name, uid = (str(instance.execution.get(key) or "") for key in ("planName", "uid"))
    by_uid = {item.get("uid"): plan for plan, item in instance.plan_status.items() if item.get("uid")}
    if name and uid and uid not in by_uid:
        return Current(name, uid)
    for plan, status in instance.plan_status.items():
        if status.get("status") in RUNNING and status.get("uid"):
            return Current(plan, str(status["uid"]), name if name not in ("", plan) else "")
    asked = name if name and (not uid or by_uid.get(uid) != name) else ""
    return Current(asked=asked)


def _deployed(instance: Instance) -> bool:
    """Whether deploy has been carried out once; while it has not, every change goes into it."""
    return instance.snapshot.deployed or instance.plan_status.get(DEPLOY, {}).get("status") == COMPLETE


def _gives_way(instance: Instance, now: Current, start: trigger.PlanStart) -> bool:
    """Whether the plan that runs is given up for a change: for a change that is its own, and an upgrade for any
    other version.
    """
    another = start.snapshot.operator_version != instance.snapshot.operator_version
    return now.plan in ("", start.plan) or not _deployed(instance) or (another and now.plan == UPGRADE)


class Engine:
    """``shipped``: packages by the name of their OperatorVersion, put into a namespace when an Instance there asks for
    them; ``waiter``: the image that holds the files of Pipe tasks.
    """

    def __init__(
        self, api: KubeApi, shipped: Mapping[str, package.KudoPackage], record_event: EventRecorder, waiter: str = IMAGE
    ):
        self._api = api
        self._shipped = shipped
        self._record_event = record_event
        self._waiter = waiter
        self._pilot = Pilot(api, record_event, self._status)

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; returns the seconds until the next one, None when there is nothing to wait for."""
        body = await self._api.get("Instance", namespace, name)
        if body is None:
            self._pilot.forget(namespace, name)
            return None
        instance = Instance(body)
        if instance.is_being_deleted:
            return await self._cleanup(instance)
        seconds = await self._pass(instance)
        if not _deployed(instance):
            return seconds
        # What is refused, or not taken over yet, comes first.
        look = await self._look(instance, idle=seconds is None and instance.snapshot == instance.wanted)
        return seconds if look is None else look if seconds is None else min(seconds, look)

    async def _pass(self, instance: Instance) -> float | None:
        now = current(instance)
        if now.plan and now.asked:
            return await self._put_back(instance, now)
        start = None
        try:
            start = await self._wanted(instance, now.plan)
        except trigger.RefusedError as problem:
            await self._refuse(instance, problem.reason, str(problem))
        except MissingError as problem:
            await self._refuse(instance, "NoOperatorVersion", str(problem))
            return await self._run(instance, now) if now.plan else MISSING
        except PackageError as problem:
            await self._refuse(instance, "InvalidOperatorVersion", str(problem))
            return await self._run(instance, now) if now.plan else MISSING
        else:
            await self._accept(instance)
        if start and _gives_way(instance, now, start):
            return await self._begin(instance, start)
        if now.plan:
            return await self._run(instance, now)
        if now.asked:
            return await self._begin_by_hand(instance, now.asked)
        if instance.execution:
            await self._patch(instance, {"spec": {"planExecution": None}})
        return None

    async def _look(self, instance: Instance, *, idle: bool) -> float | None:
        """Runs the autopilot, where the package has one. Errors of the version or the parameters have been reported
        already.
        """
        try:
            version = await self._version(instance, instance.snapshot.operator_version)
            values = resolve(version, instance.snapshot.parameters) if "AUTOPILOT" in version.parameters else {}
        except (MissingError, PackageError, ParameterError):
            return None
        return await self._pilot.check(instance, values, idle=idle)

    # What to do

    async def _version(self, instance: Instance, name: str) -> OperatorVersion:
        """Of the Instance's namespace; a package that came with this program is put there if need be."""
        body = await self._api.get("OperatorVersion", instance.namespace, name) if name else None
        if body is None and name in self._shipped and instance.is_being_deleted:
            body = self._shipped[name].version  # a namespace that goes takes nothing new
        elif body is None and name in self._shipped:
            body = await package.install(self._api, self._shipped[name], instance.namespace)
        if body is None:
            raise MissingError(f"there is no OperatorVersion “{name}” in namespace {instance.namespace}")
        return read(body)

    async def _wanted(self, instance: Instance, running: str) -> trigger.PlanStart | None:
        version, deployed = await self._version(instance, instance.wanted.operator_version), _deployed(instance)
        start = trigger.wanted(version, instance.snapshot, instance.wanted, deployed=deployed, running=running)
        if start and deployed:
            # A running plan isn't affected. Before the first deploy there is nothing to protect: that plan reports it.
            trigger.check(version, instance.wanted)
        return start

    async def _begin_by_hand(self, instance: Instance, plan: str) -> float:
        version = await self._version(instance, instance.snapshot.operator_version)
        if plan in version.plans and plan != CLEANUP:
            return await self._begin(instance, trigger.PlanStart(plan, "asked for by hand", instance.snapshot))
        known = ", ".join(sorted(plan_name for plan_name in version.plans if plan_name != CLEANUP))
        why = f"there is no plan “{plan}” in {version.name} that can be run by hand; it has {known}"
        await self._refuse(instance, "UnknownPlan", why)
        await self._patch(instance, {"spec": {"planExecution": None}})
        return 0.0

    async def _put_back(self, instance: Instance, now: Current) -> float:
        message = f"plan {now.asked} can't be run while {now.plan} is; ask again when it has ended"
        await self._refuse(instance, "PlanRunning", message)
        await self._patch(instance, {"spec": {"planExecution": {"planName": now.plan, "uid": now.uid}}})
        return 0.0

    async def _begin(self, instance: Instance, start: trigger.PlanStart) -> float:
        """First the intention, in one patch; then the status.

        After a crash between the two the next pass makes the status.
        """
        version = await self._version(instance, start.snapshot.operator_version)
        keep = [finalizer for finalizer in instance.finalizers if finalizer != FINALIZER]
        uid = str(uuid.uuid4())
        meta = {
            "annotations": {SNAPSHOT: replace(start.snapshot, deployed=_deployed(instance)).text()},
            "finalizers": [*keep, *([FINALIZER] if CLEANUP in version.plans else [])],
        }
        execution = {"planName": start.plan, "uid": uid, "status": plans.PENDING}
        change: Object = {"spec": {"planExecution": execution}}
        if not instance.is_being_deleted:
            change["metadata"] = meta
        await self._patch(instance, change)
        known = {
            **plans.never_run(version),
            **{key: item for key, item in instance.plan_status.items() if key in version.plans},
        }
        for status in known.values():
            if status["status"] in RUNNING:
                status |= {"status": FATAL_ERROR, "message": f"given up for {start.plan}: {start.why}"}
        known[start.plan] = plans.fresh(version.plans[start.plan], uid)
        gone = dict.fromkeys(key for key in instance.plan_status if key not in version.plans)
        conditions = [ready(instance, start.plan, known[start.plan])]
        if start.snapshot == instance.wanted:
            conditions.append(accepted(instance, True, "Accepted", ""))
        await self._status(instance, {"planStatus": {**known, **gone}, "conditions": conditions})
        self._record_event(
            instance.body, type="Normal", reason="PlanStarted", message=f"Plan {start.plan} begins: {start.why}"
        )
        return 0.0

    # Running a plan

    async def _run(self, instance: Instance, now: Current) -> float:
        status = dict(instance.plan_status.get(now.plan) or {})
        try:
            version = await self._version(instance, instance.snapshot.operator_version)
            plan = version.plans[now.plan]
            if status.get("uid") != now.uid:
                status = plans.fresh(plan, now.uid)
            await self._advance(instance, version, plan, status)
        except MissingError as problem:
            status = {**status, "name": now.plan, "uid": now.uid, "status": ERROR, "message": str(problem)}
        except (PackageError, ParameterError, KeyError, ValueError) as problem:
            status = {"name": now.plan, "uid": now.uid, "phases": [], **status}
            text = f"the plan {problem} is no more" if isinstance(problem, KeyError) else str(problem)
            plans.fail(status, text)
        return await self._publish(instance, now.plan, status)

    async def _advance(self, instance: Instance, version: OperatorVersion, plan: Plan, status: Object) -> None:
        """As many steps as can be done now. ``status`` is changed."""
        tasks = Tasks(self._api, instance, version, resolve(version, instance.snapshot.parameters), self._waiter)
        tried: set[tuple[str, str]] = set()
        while opened := [
            (phase, step) for phase, step in plans.open_steps(plan, status) if (phase.name, step.name) not in tried
        ]:
            phase, step = opened[0]
            tried.add((phase.name, step.name))
            moment = Moment(plan.name, str(status["uid"]), phase.name, step.name)
            outcome = await tasks.step(moment, step.tasks)
            plans.note(status, phase.name, step.name, outcome)
            if outcome.status == FATAL_ERROR:
                return
        if not any(phase.steps for phase in plan.phases):
            plans.finish(status)

    async def _publish(self, instance: Instance, plan: str, status: Object) -> float:
        before = instance.plan_status.get(plan) or {}
        same = {**before, "lastUpdatedTimestamp": ""} == {**status, "lastUpdatedTimestamp": ""}
        if not same:
            conditions = [ready(instance, plan, status)]
            await self._status(instance, {"planStatus": {plan: status}, "conditions": conditions})
            self._tell_about(instance, plan, before, status)
        if status["status"] in (COMPLETE, FATAL_ERROR):
            await self._patch(instance, {"spec": {"planExecution": None}})
            return 0.0
        if instance.execution.get("status") != status["status"]:
            await self._patch(instance, {"spec": {"planExecution": {"status": status["status"]}}})
        return AFTER_ERROR if status["status"] == ERROR else SOON

    def _tell_about(self, instance: Instance, plan: str, before: Object, status: Object) -> None:
        word = status["status"]
        if word == COMPLETE:
            self._record_event(instance.body, type="Normal", reason="PlanComplete", message=f"Plan {plan} is complete")
        elif word in (ERROR, FATAL_ERROR) and before.get("message") != status["message"]:
            reason = "PlanFailed" if word == FATAL_ERROR else "PlanHindered"
            self._record_event(
                instance.body, type="Warning", reason=reason, message=f"Plan {plan}: {status['message']}"
            )

    # The end

    async def _cleanup(self, instance: Instance) -> float | None:
        """The plan cleanup, if there is one; then the Instance may go.

        A failure is reported, and doesn't block the deletion.
        """
        if FINALIZER not in instance.finalizers:
            return None
        now = current(instance)
        ended = instance.plan_status.get(CLEANUP, {}).get("status") in (COMPLETE, FATAL_ERROR)
        if not ended and now.plan != CLEANUP:
            try:
                version = await self._version(instance, instance.snapshot.operator_version)
                if CLEANUP in version.plans:
                    return await self._begin(
                        instance, trigger.PlanStart(CLEANUP, "the Instance is deleted", instance.snapshot)
                    )
            except (MissingError, PackageError) as problem:
                self._record_event(instance.body, type="Warning", reason="NoCleanup", message=str(problem))
        elif not ended:
            return await self._run(instance, now)
        keep = [finalizer for finalizer in instance.finalizers if finalizer != FINALIZER]
        await self._patch(instance, {"metadata": {"finalizers": keep}})
        return None

    # Writing

    async def _refuse(self, instance: Instance, reason: str, message: str) -> None:
        """Says why what was asked for is not done, once."""
        refusal = accepted(instance, False, reason, message)
        if any(refusal.items() <= condition.items() for condition in instance.status.get("conditions") or []):
            return
        await self._status(instance, {"conditions": [refusal]})
        self._record_event(instance.body, type="Warning", reason=reason, message=message)

    async def _accept(self, instance: Instance) -> None:
        """Sets Accepted again: a refused change was taken back, or can be carried out now."""
        reasons = {
            condition.get("reason")
            for condition in instance.status.get("conditions") or []
            if condition.get("type") == "Accepted"
        }
        if reasons & OF_THE_SPEC:
            await self._status(instance, {"conditions": [accepted(instance, True, "Accepted", "")]})

    async def _status(self, instance: Instance, change: Object) -> None:
        """Conditions that are not among the new ones stay, also those that this pass has written."""
        new = {condition["type"]: condition for condition in change.get("conditions") or []}
        old = [condition for condition in instance.status.get("conditions") or [] if condition["type"] not in new]
        conditions = sorted([*old, *new.values()], key=lambda item: str(item["type"]), reverse=True)
        await self._patch(instance, {"status": {**change, "conditions": conditions}}, "status")
        instance.body.setdefault("status", {})["conditions"] = conditions

    async def _patch(self, instance: Instance, change: Object, subresource: str = "") -> None:
        await self._api.patch("Instance", instance.namespace, instance.name, change, subresource)
