"""Rollouts beyond their deadline."""

from resources.causes.cause import Severity
from tests.resources.causes.objects import LONG_AGO, causes, deployment, only, pod, replica_set, waiting

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
    cause = only("rollout_deadline", late)
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
