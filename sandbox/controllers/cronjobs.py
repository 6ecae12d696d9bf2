"""CronJobs: a Job whenever the schedule says so (kubernetes/pkg/controller/cronjob). One timer for each, no polling."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..cluster import Cluster
from ..context import Context
from ..errors import AlreadyExists, ApiError, NotFound
from ..objects import Object, copy, dig, now, parse_time
from ..runtime.recorder import EventRecorder
from ..schedule import Every, Schedule, parse_schedule
from .conditions import is_true
from .owners import controller_of, is_going, owned_by, owner_reference
from .workqueue import Workqueue

RESOURCE = "cronjobs.batch"
JOBS = "jobs.batch"
SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
#: Timers longer than this are armed again: a laptop that slept wakes within it.
LONGEST_WAIT = 300.0


class CronJobs:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._recorder = EventRecorder(cluster, "cronjob-controller")
        self.queue = Workqueue("cronjob", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one CronJob."""
        try:
            cron = self._cluster.get(RESOURCE, name, namespace)
        except NotFound:
            return
        jobs = [job for job in self._cluster.list(JOBS, namespace) if owned_by(job, cron)]
        status: Object = copy(cron.get("status") or {})
        self._settle(cron, status, jobs)
        if not is_going(cron) and not cron["spec"].get("suspend"):
            self._run_due(cron, status, jobs)
        self._prune(cron, jobs)
        self._publish(cron, status)

    def _settle(self, cron: Object, status: Object, jobs: list[Object]) -> None:
        """Takes finished and missing Jobs off the list of active ones."""
        by_uid = {job["metadata"]["uid"]: job for job in jobs}
        active = []
        for reference in status.get("active") or []:
            job = by_uid.get(reference.get("uid"))
            if job is None:
                self._recorder.normal(cron, "MissingJob", f"Active job went missing: {reference.get('name')}")
            elif word := _finished(job):
                text = f"Saw completed job: {job['metadata']['name']}, condition: {word}"
                self._recorder.normal(cron, "SawCompletedJob", text)
                if word == "Complete":
                    status["lastSuccessfulTime"] = dig(job, "status", "completionTime") or now()
            else:
                active.append(reference)
        status["active"] = active

    def _run_due(self, cron: Object, status: Object, jobs: list[Object]) -> None:
        try:
            schedule, zone = parse_schedule(cron["spec"]["schedule"]), _zone(cron)
        except ValueError as problem:
            text = f'unparseable schedule: "{cron["spec"]["schedule"]}" : {problem}'
            self._recorder.warning(cron, "UnparseableSchedule", text)
            return
        except ZoneInfoNotFoundError:
            text = (
                f'invalid timeZone: "{cron["spec"].get("timeZone")}": unknown time zone {cron["spec"].get("timeZone")}'
            )
            self._recorder.warning(cron, "UnknownTimeZone", text)
            return
        moment = datetime.now(zone)
        due = self._last_due(cron, status, schedule, moment)
        if due is not None:
            self._start(cron, status, jobs, due)
        following = schedule.after(moment)
        if following is not None:
            wait = (following - moment).total_seconds() + 0.05
            metadata = cron["metadata"]
            self.queue.add_after(min(wait, LONGEST_WAIT), metadata["namespace"], metadata["name"])

    def _last_due(self, cron: Object, status: Object, schedule: Schedule | Every, moment: datetime) -> datetime | None:
        """The newest time that has passed without a Job; older ones are forgotten."""
        since = parse_time(str(status.get("lastScheduleTime"))) or parse_time(cron["metadata"]["creationTimestamp"])
        earliest = (since or moment).astimezone(moment.tzinfo)
        deadline = cron["spec"].get("startingDeadlineSeconds")
        if deadline is not None:
            earliest = max(earliest, moment - timedelta(seconds=int(deadline)))
        # A sandbox that was off for weeks must not count every minute of them.
        earliest = max(earliest, moment - timedelta(days=1))
        due, at = None, schedule.after(earliest)
        while at is not None and at <= moment:
            due, at = at, schedule.after(at)
        if due is None and since is not None and schedule.after(since.astimezone(moment.tzinfo)) is not None:
            missed = schedule.after(since.astimezone(moment.tzinfo))
            if missed is not None and missed <= moment and missed < earliest and deadline is None:
                return missed
        return due

    def _start(self, cron: Object, status: Object, jobs: list[Object], due: datetime) -> None:
        policy = cron["spec"].get("concurrencyPolicy")
        if policy == "Forbid" and status["active"]:
            text = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self._recorder.normal(cron, "JobAlreadyActive", text)
            return
        if policy == "Replace":
            for job in jobs:
                if not _finished(job):
                    self._delete(cron, job)
            status["active"] = []
        job = self._job(cron, due)
        try:
            made = self._cluster.create(JOBS, job)
        except AlreadyExists:
            status["lastScheduleTime"] = due.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            return
        except ApiError as refused:
            self._recorder.warning(cron, "FailedCreate", f"Error creating job: {refused}")
            raise
        name = made["metadata"]["name"]
        self._recorder.normal(cron, "SuccessfulCreate", f"Created job {name}")
        status["active"].append(
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": name,
                "namespace": made["metadata"]["namespace"],
                "uid": made["metadata"]["uid"],
                "resourceVersion": made["metadata"]["resourceVersion"],
            }
        )
        status["lastScheduleTime"] = due.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _job(self, cron: Object, due: datetime) -> Object:
        template = copy(cron["spec"].get("jobTemplate") or {})
        metadata = template.get("metadata") or {}
        stamp = due.strftime("%Y-%m-%dT%H:%M:%S") + ("Z" if due.utcoffset() == timedelta(0) else due.strftime("%z"))
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": f"{cron['metadata']['name'][:52]}-{int(due.timestamp()) // 60}",
                "namespace": cron["metadata"]["namespace"],
                "labels": metadata.get("labels") or {},
                "annotations": {**(metadata.get("annotations") or {}), SCHEDULED_AT: stamp},
                "ownerReferences": [owner_reference(cron)],
            },
            "spec": template.get("spec") or {},
        }

    def _prune(self, cron: Object, jobs: list[Object]) -> None:
        for word, field, default in (
            ("Complete", "successfulJobsHistoryLimit", 3),
            ("Failed", "failedJobsHistoryLimit", 1),
        ):
            done = [job for job in jobs if _finished(job) == word and not is_going(job)]
            done.sort(key=lambda job: str(dig(job, "status", "startTime") or ""))
            limit = int(cron["spec"].get(field, default))
            for job in done[: max(0, len(done) - limit)]:
                self._delete(cron, job)

    def _delete(self, cron: Object, job: Object) -> None:
        metadata = job["metadata"]
        try:
            self._cluster.delete(JOBS, metadata["name"], metadata["namespace"], uid=metadata["uid"])
        except NotFound:
            return
        self._recorder.normal(cron, "SuccessfulDelete", f"Deleted job {metadata['name']}")

    def _publish(self, cron: Object, status: Object) -> None:
        wanted = {key: value for key, value in status.items() if value}
        old = cron.get("status") or {}
        if wanted != old:
            metadata = cron["metadata"]
            change = {"status": {**dict.fromkeys(old), **wanted}}
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")


def _finished(job: Object) -> str:
    return next((word for word in ("Complete", "Failed") if is_true(job, word)), "")


def _zone(cron: Object) -> tzinfo:
    name = cron["spec"].get("timeZone")
    return ZoneInfo(name) if name else UTC


async def run(cluster: Cluster, context: Context) -> None:
    """Watches CronJobs and Jobs."""
    crons = CronJobs(cluster)
    try:
        async for event in cluster.watch(RESOURCE, JOBS):
            metadata = event.object["metadata"]
            if event.resource == RESOURCE:
                crons.queue.add(metadata["namespace"], metadata["name"])
            elif (owner := controller_of(event.object)) and owner["kind"] == "CronJob":
                crons.queue.add(metadata["namespace"], owner["name"])
    finally:
        crons.queue.close()
