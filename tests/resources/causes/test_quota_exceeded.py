"""Quotas without room, by ReplicaSets, StatefulSets and operators."""

from tests.resources.causes.objects import causes, deployment, event, instance, made, none, only, refused, replica_set

FULL = (
    'pods "web-7d4b9c6f5-x2x8p" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=4, limited: pods=4'
)
CPU = (
    'pods "web-7d4b9c6f5-x2x8p" is forbidden: exceeded quota: compute, requested: limits.cpu=2,requests.cpu=1, '
    "used: limits.cpu=3,requests.cpu=2, limited: limits.cpu=4,requests.cpu=2"
)
UNNAMED = (
    'pods "web-7d4b9c6f5-x2x8p" is forbidden: failed quota: compute: must specify limits.cpu '
    "for: web; limits.memory for: web"
)


def test_it_works() -> None:
    cause = only("quota_exceeded", refused(FULL))
    assert cause.sentence == "web can't create Pods: quota compute has 4 of 4 pods in use"
    assert cause.fix is not None
    assert (cause.fix.label, cause.fix.target.name) == ("Edit quota compute", "compute")


def test_an_amount() -> None:
    cause = only("quota_exceeded", refused(CPU))
    assert cause.sentence == "web can't create Pods: quota compute has 3 of 4 limits.cpu in use"
    assert cause.note == "2 more was requested."


def test_what_a_quota_wants_to_be_said() -> None:
    cause = only("quota_exceeded", refused(UNNAMED))
    assert cause.sentence == "web can't create Pods: quota compute requires each container to set limits.cpu"


def test_a_stateful_set_says_it_in_an_event_only() -> None:
    set_ = made("StatefulSet", "db", spec={"replicas": 1}, status={"replicas": 0})
    message = f"create Pod db-0 in StatefulSet db failed error: {FULL}"
    failed_create = event("FailedCreate", message, 15, "2026-11-25T09:30:00Z")
    assert (
        only("quota_exceeded", set_, failed_create).sentence
        == "db can't create Pods: quota compute has 4 of 4 pods in use"
    )
    none({**set_, "status": {"replicas": 1, "readyReplicas": 1}}, failed_create)


def test_an_operators_own_object() -> None:
    message = (
        'services "argocd-server" is forbidden: exceeded quota: few, requested: services=1, '
        "used: services=2, limited: services=2"
    )
    failed = {"type": "Reconciled", "status": "False", "reason": "ErrorOccurred", "message": message}
    first = causes(instance(failed))[0]
    assert first.sentence == "argocd-sample can't create services: quota few has 2 of 2 services in use"


def test_said_by_the_replica_set_and_its_deployment_it_is_one_cause() -> None:
    above = deployment()
    above["status"] |= {"replicas": 0, "conditions": refused(FULL)["status"]["conditions"]}
    assert len(causes(above, (0, refused(FULL.replace("x2x8p", "zzzzz"))))) == 1
    assert causes(deployment(), (0, replica_set())) == []
