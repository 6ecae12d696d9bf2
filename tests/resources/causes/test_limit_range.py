"""LimitRanges that refuse Pods."""

import pytest

from tests.resources.causes.objects import causes, deployment, only, refused

POD = 'pods "web-7d4b9c6f5-x2x8p" is forbidden: '


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (
            "maximum memory usage per Container is 1Gi, but limit is 2Gi",
            "LimitRange allows 1Gi memory per Container, not 2Gi",
        ),
        (
            "[minimum cpu usage per Container is 100m, but request is 50m, x]",
            "LimitRange requires 100m cpu per Container, not 50m",
        ),
        ("maximum cpu usage per Pod is 1.  No limit is specified", "LimitRange requires a cpu limit per Pod"),
        (
            "cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000",
            "LimitRange allows cpu limits of 2 × request",
        ),
    ],
)
def test_it_works(message: str, why: str) -> None:
    cause = only("limit_range", refused(POD + message))
    assert cause.sentence == f"web can't create Pods: {why}"
    assert [(link.target.kind, link.view) for link in cause.links][1] == ("LimitRange", "list")


def test_the_amount_is_what_to_edit() -> None:
    above = deployment(resources={"limits": {"memory": "2Gi"}})
    message = f"{POD}maximum memory usage per Container is 1Gi, but limit is 2Gi"
    [cause] = causes(above, (0, refused(message)))
    assert cause.fix is not None
    assert cause.fix.label == "Edit Deployment web"
