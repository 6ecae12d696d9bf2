"""Jobs: Pods until enough of them have succeeded, or too many failed (kubernetes/pkg/controller/job).

A Pod that has ended is counted once: it carries a finalizer until its end stands in the Job's status.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from ..objects import Object, copy, dig, now, parse_time
from ..runtime.recorder import EventRecorder
from .conditions import find, is_true
from .owners import children, controller_of, is_going
from .pods import create, delete, from_template, has_ended, is_active, is_ready
from .workqueue import Workqueue

RESOURCE = "jobs.batch"
TRACKED = "batch.kubernetes.io/job-tracking"
#: Seconds before another Pod after a failure; doubled for each further one.
FIRST_BACKOFF, LONGEST_BACKOFF = 10.0, 600.0
_BACKOFF_LIMIT = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
_DEADLINE = ("DeadlineExceeded", "Job was active longer than specified deadline")
_REACHED = ("CompletionsReached", "Reached expected number of succeeded pods")


class Jobs:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._recorder = EventRecorder(cluster, "job-controller")
        #: Failures since the last success, and when the last one was, by Job uid.
        self._failures: dict[str, tuple[int, datetime]] = {}
        self.queue = Workqueue("job", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one Job."""
        try:
            job = self._cluster.get(RESOURCE, name, namespace)
        except NotFound:
            self._release_orphans(namespace, name)
            return
        if is_true(job, "Complete") or is_true(job, "Failed"):
            self._failures.pop(job["metadata"]["uid"], None)
            self._release(self._pods(job))
            self._expire(job)
            return
        if is_going(job):
            self._release(self._pods(job))
            return
        status: Object = copy(job.get("status") or {})
        pods = self._pods(job)
        ended = [pod for pod in pods if self._counts(job, pod)]
        self._count(job, status, ended)
        self._suspend(job, status, pods)
        verdict = self._failed(job, status, pods)
        if verdict:
            for pod in pods:
                if is_active(pod):
                    delete(self._cluster, self._recorder, job, pod)
        elif not job["spec"].get("suspend"):
            self._work(job, status, pods)
        self._publish(job, status, verdict)
        self._release(ended)

    def _pods(self, job: Object) -> list[Object]:
        return children(self._cluster, "pods", job, job["spec"].get("selector"))

    # Counting

    def _counts(self, job: Object, pod: Object) -> bool:
        """Whether a Pod has ended and has not been counted yet.

        One that is deleted has failed, unless its end is waited for.
        """
        over = has_ended(pod) or (is_going(pod) and job["spec"].get("podReplacementPolicy") != "Failed")
        return over and TRACKED in (pod["metadata"].get("finalizers") or [])

    def _count(self, job: Object, status: Object, ended: list[Object]) -> None:
        for pod in ended:
            won = pod["status"]["phase"] == "Succeeded"
            uid = job["metadata"]["uid"]
            if won:
                self._failures.pop(uid, None)
            elif has_ended(pod):
                self._failures[uid] = (self._failures.get(uid, (0, datetime.now(UTC)))[0] + 1, datetime.now(UTC))
            if won:
                status["succeeded"] = int(status.get("succeeded") or 0) + 1
            else:
                status["failed"] = int(status.get("failed") or 0) + 1

    def _release(self, pods: list[Object]) -> None:
        """Lets Pods go that have been counted, or never will be."""
        for pod in pods:
            finalizers = pod["metadata"].get("finalizers") or []
            if TRACKED in finalizers:
                remaining = [name for name in finalizers if name != TRACKED]
                change = {"metadata": {"finalizers": remaining or None}}
                try:
                    self._cluster.patch("pods", pod["metadata"]["name"], change, pod["metadata"]["namespace"])
                except NotFound:
                    continue

    def _release_orphans(self, namespace: str, name: str) -> None:
        for pod in self._cluster.list("pods", namespace, labels=f"batch.kubernetes.io/job-name={name}"):
            self._release([pod])

    # Deciding

    def _suspend(self, job: Object, status: Object, pods: list[Object]) -> None:
        suspended = find(status.get("conditions"), "Suspended")
        if job["spec"].get("suspend"):
            for pod in pods:
                if is_active(pod):
                    delete(self._cluster, self._recorder, job, pod)
            if suspended is None or suspended["status"] != "True":
                self._add_condition(status, "Suspended", "True", "JobSuspended", "Job suspended")
                self._recorder.normal(job, "Suspended", "Job suspended")
                status.pop("startTime", None)
        else:
            status.setdefault("startTime", now())
            if suspended is not None and suspended["status"] == "True":
                self._add_condition(status, "Suspended", "False", "JobResumed", "Job resumed")
                self._recorder.normal(job, "Resumed", "Job resumed")

    def _failed(self, job: Object, status: Object, pods: list[Object]) -> tuple[str, str] | None:
        """(reason, message) when the Job has failed."""
        limit = int(job["spec"].get("backoffLimit", 6))
        if int(status.get("failed") or 0) > limit:
            return _BACKOFF_LIMIT
        if dig(job, "spec", "template", "spec", "restartPolicy") == "OnFailure":
            restarts = sum(
                int(item.get("restartCount") or 0)
                for pod in pods
                if dig(pod, "status", "phase") in ("Running", "Pending")
                for item in dig(pod, "status", "containerStatuses") or []
            )
            if restarts and restarts >= limit:
                return _BACKOFF_LIMIT
        deadline = job["spec"].get("activeDeadlineSeconds")
        started = parse_time(str(status.get("startTime")))
        if deadline is not None and started is not None:
            left = float(deadline) - (datetime.now(UTC) - started).total_seconds()
            if left <= 0:
                return _DEADLINE
            self.queue.add_after(left, job["metadata"]["namespace"], job["metadata"]["name"])
        return None

    def _work(self, job: Object, status: Object, pods: list[Object]) -> None:
        """Makes the Pods that are missing, deletes those that are too many."""
        spec = job["spec"]
        completions, parallelism = spec.get("completions"), int(spec.get("parallelism", 1))
        succeeded = int(status.get("succeeded") or 0)
        active = [pod for pod in pods if is_active(pod)]
        if completions is None:
            wanted = len(active) if succeeded else parallelism
        else:
            wanted = min(parallelism, int(completions) - succeeded)
        for pod in active[max(0, wanted) :]:
            delete(self._cluster, self._recorder, job, pod)
        missing = wanted - len(active)
        # podReplacementPolicy: one that is still terminating may be in the way of its successor.
        if spec.get("podReplacementPolicy") == "Failed":
            missing -= sum(is_going(pod) and not has_ended(pod) for pod in pods)
        if missing <= 0:
            return
        pause = self._pause(job)
        if pause > 0:
            self.queue.add_after(pause, job["metadata"]["namespace"], job["metadata"]["name"])
            return
        for _ in range(missing):
            create(self._cluster, self._recorder, job, self._pod(job))

    def _pod(self, job: Object) -> Object:
        name = f"{job['metadata']['name']}-"
        return from_template(job["spec"].get("template"), job, generateName=name, finalizers=[TRACKED])

    def _pause(self, job: Object) -> float:
        """Seconds until the next Pod may be made."""
        failures, last = self._failures.get(job["metadata"]["uid"], (0, datetime.now(UTC)))
        if not failures:
            return 0.0
        pause = min(FIRST_BACKOFF * 2 ** min(failures - 1, 10), LONGEST_BACKOFF)
        return float(pause - (datetime.now(UTC) - last).total_seconds())

    # Telling

    def _publish(self, job: Object, status: Object, verdict: tuple[str, str] | None) -> None:
        pods = self._pods(job)
        active = [pod for pod in pods if is_active(pod)]
        status["active"] = len(active)
        status["ready"] = sum(map(is_ready, active))
        status["terminating"] = sum(is_going(pod) and not has_ended(pod) for pod in pods)
        status["uncountedTerminatedPods"] = {}
        completions, succeeded = job["spec"].get("completions"), int(status.get("succeeded") or 0)
        enough = succeeded > 0 if completions is None else succeeded >= int(completions)
        if verdict:
            self._finish(job, status, "FailureTarget", "Failed", verdict)
        elif enough and not active and not job["spec"].get("suspend"):
            self._finish(job, status, "SuccessCriteriaMet", "Complete", _REACHED)
        wanted = {
            key: value for key, value in status.items() if value not in (0, "") or key in ("ready", "terminating")
        }
        old = job.get("status") or {}
        if wanted != old:
            metadata = job["metadata"]
            change = {"status": {**dict.fromkeys(old), **wanted}}
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")

    def _finish(self, job: Object, status: Object, target: str, final: str, reason: tuple[str, str]) -> None:
        """Two conditions: what is decided, and (when no Pod is left that runs) that it is so."""
        if find(status.get("conditions"), target) is None:
            self._add_condition(status, target, "True", *reason)
        if status["active"] or status["terminating"]:
            return
        self._add_condition(status, final, "True", *reason)
        status["ready"] = 0
        if final == "Complete":
            status["completionTime"] = now()
            self._recorder.normal(job, "Completed", "Job completed")
        else:
            self._recorder.warning(job, *reason)

    def _add_condition(self, status: Object, kind: str, value: str, reason: str, message: str) -> None:
        moment = now()
        condition: dict[str, Any] = {
            "type": kind,
            "status": value,
            "lastProbeTime": moment,
            "lastTransitionTime": moment,
            "reason": reason,
            "message": message,
        }
        others = [item for item in status.get("conditions") or [] if item["type"] != kind]
        status["conditions"] = [*others, condition]

    def _expire(self, job: Object) -> None:
        """Deletes a finished Job after ttlSecondsAfterFinished."""
        ttl = job["spec"].get("ttlSecondsAfterFinished")
        if ttl is None or is_going(job):
            return
        conditions = dig(job, "status", "conditions")
        done = find(conditions, "Complete") or find(conditions, "Failed") or {}
        ended = parse_time(str(done.get("lastTransitionTime"))) or datetime.now(UTC)
        left = float(ttl) - (datetime.now(UTC) - ended).total_seconds()
        metadata = job["metadata"]
        if left > 0:
            self.queue.add_after(left, metadata["namespace"], metadata["name"])
            return
        try:
            self._cluster.delete(RESOURCE, metadata["name"], metadata["namespace"], "Foreground", uid=metadata["uid"])
        except ApiError:
            return


async def run(cluster: Cluster, context: Context) -> None:
    """Watches Jobs and Pods."""
    jobs = Jobs(cluster)
    try:
        async for event in cluster.watch(RESOURCE, "pods"):
            metadata = event.object["metadata"]
            if event.resource == RESOURCE:
                jobs.queue.add(metadata["namespace"], metadata["name"])
            elif (owner := controller_of(event.object)) and owner["kind"] == "Job":
                jobs.queue.add(metadata["namespace"], owner["name"])
    finally:
        jobs.queue.close()
