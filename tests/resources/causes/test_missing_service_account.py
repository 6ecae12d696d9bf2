"""A workload whose ServiceAccount doesn't exist."""

from tests.resources.causes.objects import only, refused

MESSAGE = (
    'pods "web-7d4b9c6f5-" is forbidden: error looking up service account shop/robot: serviceaccount "robot" not found'
)


def test_it_works() -> None:
    cause = only("missing_service_account", refused(MESSAGE))
    assert cause.sentence == "web can't create Pods: ServiceAccount robot doesn't exist"
    assert cause.fix is not None
    assert cause.fix.query == (("namespace", "shop"), ("name", "robot"))
