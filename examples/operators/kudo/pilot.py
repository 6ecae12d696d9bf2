"""The autopilot of Instances whose package has the parameters AUTOPILOT, NODE_COUNT and so on: looks, and acts by
what the engine has anyway.

It scales and tunes by changing the parameter as a person would, so the plan that it names carries it out; it heals by
deleting the Pod of a node, which its StatefulSet recreates. One act at a time, none within COOL_DOWN seconds of the
last, three in a row for one node at most. What it measures is in each node's report
(examples/operators/galera/gauge.py). The last act stands in status.autopilot; what it has learned is in memory, and
learned again after a restart. KUDO has nothing of the kind.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from calendar import timegm
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import ApiError, CommandError, KubeApi, Object

from .autopilot import Adjustment, Measured, Settings, adjustment, usual
from .conditions import autopilot
from .instance import INSTANCE_LABEL, Instance
from .plans import moment
from .sickness import Seen, well

#: Seconds between two looks at the most, and for one answer of a node.
LOOK, ANSWER = 5.0, 5.0
#: Deletions of one node's Pod without its becoming well; then a person has to look.
TRIES = 3
#: The volume of the nodes that has the report. On the embedded cluster it is elsewhere, and a variable says where.
#: The images of nodes have no shell.
_READ = [
    "python3",
    "-c",
    "import os; print(open(os.environ.get('SANDBOX_MOUNT__REPORT', '/report') + '/report.json').read())",
]
HEALED, GAVE_UP, WATCHING = "AutopilotHealed", "AutopilotGaveUp", "Watching"
_MOMENT = "%Y-%m-%dT%H:%M:%SZ"

Write = Callable[[Instance, Object], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class _Memory:
    """Of one Instance. `adjustment`: the reason of the adjustment that is due, and since when."""

    uid: str
    pods: dict[str, Seen] = field(default_factory=dict)
    before: dict[str, Mapping[str, float]] = field(default_factory=dict)
    checked_at: float = 0.0
    usual: float = 0.0
    adjustment: tuple[str, float] = ("", 0.0)


class Pilot:
    """`write` puts a change into an Instance's status."""

    def __init__(self, api: KubeApi, record_event: EventRecorder, write: Write):
        self._api = api
        self._record_event = record_event
        self._write = write
        self._known: dict[tuple[str, str], _Memory] = {}

    async def check(self, instance: Instance, values: Mapping[str, Any], *, idle: bool) -> float | None:
        """Measures and acts once; returns the seconds until the next check, None when the autopilot is off.

        While a plan runs (not `idle`) it heals only.
        """
        settings = Settings.from_parameters(values)
        if settings is None:
            await self._off(instance)
            return None
        memory, now = self._memory(instance), time.monotonic()
        interval = min(LOOK, max(settings.patience / 2, 1.0))
        if (left := memory.checked_at + interval - now) > 0.1:
            return left
        pods = await self._pods(instance)
        reports = dict(zip(pods, await asyncio.gather(*map(self._report, pods.values())), strict=True))
        sick = self._sick(memory, pods, reports, settings)
        measured = _measure(memory, {name: memory.pods[name].report for name in pods}, now)
        memory.checked_at = now
        tries = {
            name: tried
            for name, tried in _tries(instance).items()
            if name not in pods or name in sick or not well(pods[name])
        }
        if sick:
            await self._heal(instance, settings, sick, tries)
        elif idle and measured:
            await self._steer(instance, settings, memory, measured, tries)
        else:
            memory.adjustment = ("", now)
            if tries != _tries(instance):
                await self._say(instance, {"tries": tries or None})
        return interval

    def forget(self, namespace: str, name: str) -> None:
        """An Instance that is gone."""
        self._known.pop((namespace, name), None)

    def _memory(self, instance: Instance) -> _Memory:
        key = (instance.namespace, instance.name)
        if key not in self._known or self._known[key].uid != instance.uid:
            self._known[key] = _Memory(uid=instance.uid)
        return self._known[key]

    async def _off(self, instance: Instance) -> None:
        self.forget(instance.namespace, instance.name)
        if instance.status.get("autopilot"):
            condition = autopilot(instance, False, "Off", "the autopilot is switched off")
            await self._write(instance, {"autopilot": None, "conditions": [condition]})

    # Measuring

    async def _pods(self, instance: Instance) -> dict[str, Object]:
        """The nodes: Pods of the StatefulSet that has the Instance's name."""
        found = await self._api.list("Pod", instance.namespace, f"{INSTANCE_LABEL}={instance.name}")
        name = re.compile(re.escape(instance.name) + r"-\d+")
        return {
            item["metadata"]["name"]: item
            for item in found
            if name.fullmatch(item["metadata"]["name"])
            and any(owner["kind"] == "StatefulSet" for owner in item["metadata"].get("ownerReferences") or [])
        }

    async def _report(self, pod: Object) -> Mapping[str, float] | None:
        """What a node says of itself; None when it can't be asked."""
        meta = pod["metadata"]
        if (pod.get("status") or {}).get("phase") != "Running" or meta.get("deletionTimestamp"):
            return None
        container = str(pod["spec"]["containers"][0]["name"])
        try:
            async with asyncio.timeout(ANSWER):
                found = json.loads(await self._api.run(meta["namespace"], meta["name"], container, _READ))
        except (ApiError, CommandError, aiohttp.ClientError, OSError, TimeoutError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def _sick(
        self,
        memory: _Memory,
        pods: Mapping[str, Object],
        reports: Mapping[str, Mapping[str, float] | None],
        settings: Settings,
    ) -> dict[str, str]:
        """Name → what is wrong."""
        now = time.monotonic()
        for name in memory.pods.keys() - pods.keys():
            del memory.pods[name]
        for name, pod in pods.items():
            if name not in memory.pods or memory.pods[name].uid != pod["metadata"]["uid"]:
                memory.pods[name] = Seen(pod["metadata"]["uid"])
        judged = {
            name: memory.pods[name].judge(pod, reports[name], now, settings.patience) for name, pod in pods.items()
        }
        return {name: words for name, words in judged.items() if words}

    # Acting

    async def _heal(
        self, instance: Instance, settings: Settings, sick: Mapping[str, str], tries: dict[str, int]
    ) -> None:
        """The one that was tried least; nothing while the last act is young."""
        name = min(sorted(sick), key=lambda pod: tries.get(pod, 0))
        if tries.get(name, 0) >= TRIES:
            why = f"Pod {name}: {sick[name]}, also after {TRIES} new ones; somebody has to look"
            return await self._note(instance, GAVE_UP, why, {"tries": tries})
        if not _rested(instance, settings.pause):
            return None
        why = f"Pod {name} is made anew: {sick[name]}"
        tries[name] = tries.get(name, 0) + 1
        # First what is remembered, so that a crash in between can't make it a hundred times.
        await self._note(instance, HEALED, why, {"tries": tries, "lastAction": why, "lastActionTime": moment()})
        return await self._api.delete("Pod", instance.namespace, name, grace=1)

    async def _steer(
        self, instance: Instance, settings: Settings, memory: _Memory, measured: Measured, tries: dict[str, int]
    ) -> None:
        found, now = adjustment(settings, measured, memory.usual), time.monotonic()
        memory.usual = usual(memory.usual, measured)
        kind = f"{found.reason} {json.dumps(dict(found.parameters))}" if found else ""
        if kind != memory.adjustment[0]:
            memory.adjustment = (kind, now)
        about: Object = {"requestsPerSecond": round(measured.rate), "tries": tries or None}
        if found is None:
            return await self._watch(instance, measured, about)
        if now - memory.adjustment[1] < settings.patience:
            return None
        if not found.parameters:
            return await self._note(instance, found.reason, found.why, about)
        if _rested(instance, settings.pause):
            await self._act(instance, found, about)
        return None

    async def _act(self, instance: Instance, found: Adjustment, about: Object) -> None:
        activity = {**about, "lastAction": found.why, "lastActionTime": moment()}
        await self._api.patch(
            "Instance", instance.namespace, instance.name, {"spec": {"parameters": dict(found.parameters)}}
        )
        await self._note(instance, found.reason, found.why, activity)

    # Reporting

    async def _watch(self, instance: Instance, measured: Measured, about: Object) -> None:
        """All is well: reported once, and again when the load has changed a lot."""
        before = instance.status.get("autopilot") or {}
        reported_rate = before.get("requestsPerSecond", -1)
        another = abs(measured.rate - reported_rate) > max(0.25 * max(reported_rate, measured.rate), 1.0)
        if _reason(instance) == WATCHING and not another and (before.get("tries") or None) == about["tries"]:
            return
        words = (
            f"{measured.nodes} nodes have {measured.rate:.0f} requests a second, of {1000 * measured.seconds:.0f} ms"
        )
        await self._say(instance, about, autopilot(instance, True, WATCHING, words))

    async def _note(self, instance: Instance, reason: str, why: str, about: Object) -> None:
        """In the status, and once in an event."""
        good = reason not in (GAVE_UP, "AutopilotAtTheLimit", "AutopilotAbnormal")
        if "lastAction" not in about and _reason(instance) == reason:
            return
        await self._say(instance, about, autopilot(instance, good, reason, why))
        self._record_event(
            instance.body, type="Warning" if not good or reason == HEALED else "Normal", reason=reason, message=why
        )

    async def _say(self, instance: Instance, about: Object, *conditions: Object) -> None:
        """It is merged into what is there: names that are not among the tries any more are taken out by None."""
        if about.get("tries") is not None:
            about = {**about, "tries": {**dict.fromkeys(_tries(instance)), **about["tries"]}}
        await self._write(instance, {"autopilot": about, "conditions": list(conditions)})


def _measure(memory: _Memory, reports: Mapping[str, Mapping[str, float]], now: float) -> Measured | None:
    """Of the nodes that have reported twice since they were started; None after the first look."""
    before, memory.before = memory.before, dict(reports)
    span = now - memory.checked_at
    pairs = [(before[name], report) for name, report in reports.items() if report and before.get(name)]
    # A restarted node counts from 0.
    pairs = [(old, new) for old, new in pairs if new["beat"] > old["beat"] and new["requests"] >= old["requests"]]
    if not pairs or not memory.checked_at:
        return None
    requests = sum(new["requests"] - old["requests"] for old, new in pairs)
    seconds = sum(new["seconds"] - old["seconds"] for old, new in pairs)
    largest = int(max(new["memory"] for _, new in pairs))
    return Measured(len(pairs), requests / span, seconds / requests if requests else 0.0, largest)


def _tries(instance: Instance) -> dict[str, int]:
    found = (instance.status.get("autopilot") or {}).get("tries") or {}
    return {str(name): int(number) for name, number in found.items()}


def _reason(instance: Instance) -> str:
    """Of its condition."""
    found = [condition for condition in instance.status.get("conditions") or [] if condition["type"] == "Autopilot"]
    return str(found[0]["reason"]) if found else ""


def _rested(instance: Instance, pause: float) -> bool:
    """Whether the last act is long enough ago."""
    last = str((instance.status.get("autopilot") or {}).get("lastActionTime") or "")
    try:
        return time.time() - timegm(time.strptime(last, _MOMENT)) >= pause
    except ValueError:
        return True
