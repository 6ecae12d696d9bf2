"""Rollouts and Jobs that were given up."""

from resources.causes.cause import Severity
from tests.resources.causes.objects import (
    LONG_AGO,
    Object,
    causes,
    deployment,
    made,
    only,
    owner,
    pod,
    replica_set,
    waiting,
)

LATE = {
    "type": "Progressing",
    "status": "False",
    "reason": "ProgressDeadlineExceeded",
    "message": 'ReplicaSet "web-7d4b9c6f5" has timed out progressing.',
    "lastTransitionTime": LONG_AGO,
}


def test_it_works() -> None:
    late = deployment()
    late["status"]["conditions"] = [LATE]
    cause = only("deadline", late)
    assert cause.sentence == "web can't finish its rollout: no progress within 600 s"
    assert cause.fix is not None
    assert cause.fix.view == "rollback"


def test_what_holds_it_up_is_enough() -> None:
    late = deployment()
    late["status"]["conditions"] = [LATE]
    found = causes(late, (0, replica_set()), (1, pod(waiting("ErrImagePull", "manifest unknown"))))
    assert [cause.rule for cause in found] == ["image_pull"]


def test_an_update_that_is_stuck_while_old_replicas_serve_is_a_warning() -> None:
    stuck = deployment(ready=1, wanted=1)
    stuck["status"]["conditions"] = [LATE]
    found = causes(stuck, (0, replica_set()), (1, pod(waiting("ErrImagePull", "manifest unknown"))))
    assert [(cause.severity, cause.note) for cause in found] == [(Severity.WARNING, "Still ready: 1 of 1 replicas.")]


def _job(reason: str, message: str) -> Object:
    failed = {"type": "Failed", "status": "True", "reason": reason, "message": message, "lastTransitionTime": LONG_AGO}
    spec = {"backoffLimit": 1, "activeDeadlineSeconds": 30}
    return made("Job", "import", "batch/v1", spec=spec, status={"conditions": [failed], "failed": 2})


def test_a_job_that_took_too_long() -> None:
    cause = only("deadline", _job("DeadlineExceeded", "Job was active longer than specified deadline"))
    assert cause.sentence == "import failed: it took longer than 30 s (activeDeadlineSeconds)"


def test_a_job_whose_pods_failed_too_often() -> None:
    job = _job("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    cause = only("deadline", job)
    assert cause.sentence == "import failed: more of its Pods failed than backoffLimit 1 allows"
    failed = pod({"state": {"terminated": {"exitCode": 3, "reason": "Error"}}}, phase="Failed")
    failed["spec"]["restartPolicy"] = "Never"
    failed["metadata"]["ownerReferences"] = [owner("Job", "import", "batch/v1")]
    assert [cause.rule for cause in causes(job, (0, failed))] == ["crash_loop"]
