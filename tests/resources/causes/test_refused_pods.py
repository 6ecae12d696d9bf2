"""A workload whose Pods the API server refuses."""

import pytest

from tests.resources.causes.objects import causes, only, refused

ACCOUNT = (
    'pods "web-7d4b9c6f5-" is forbidden: error looking up service account shop/robot: serviceaccount "robot" not found'
)


def test_a_service_account() -> None:
    cause = only("refused_pods", refused(ACCOUNT))
    assert cause.sentence == "web can't create Pods: ServiceAccount robot doesn't exist"
    assert cause.fix is not None
    assert cause.fix.query == (("namespace", "shop"), ("name", "robot"))


@pytest.mark.parametrize(
    ("message", "kind", "group", "name"),
    [
        ("no PriorityClass with name urgent was found", "PriorityClass", "scheduling.k8s.io", "urgent"),
        ('pod rejected: RuntimeClass "gvisor" not found', "RuntimeClass", "node.k8s.io", "gvisor"),
    ],
)
def test_a_class(message: str, kind: str, group: str, name: str) -> None:
    cause = only("refused_pods", refused(f'pods "web-7d4b9c6f5-" is forbidden: {message}'))
    assert cause.sentence == f"web can't create Pods: {kind} {name} doesn't exist"
    assert cause.fix is not None
    assert (cause.fix.label, cause.fix.target.group) == (f"Create {kind} {name}", group)


def test_any_other_reason() -> None:
    cause = only("refused_pods", refused('pods "web-7d4b9c6f5-" is forbidden: it is Friday'))
    assert cause.sentence == "web can't create Pods: it is Friday"
    # A rule that knows the reason has the better sentence.
    quota = "exceeded quota: compute, requested: pods=1, used: pods=4, limited: pods=4"
    found = causes(refused(f'pods "web-7d4b9c6f5-" is forbidden: {quota}'))
    assert [cause.rule for cause in found] == ["quota_exceeded"]
