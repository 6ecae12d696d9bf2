"""A claim whose StorageClass doesn't exist."""

from tests.resources.causes.objects import claim, event, none, only

SAID = event("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found', 12)


def test_it_works() -> None:
    cause = only("missing_storage_class", claim(class_="fast"), SAID)
    assert cause.sentence == "data-web-0 can't get a volume: StorageClass fast doesn't exist"
    assert cause.raw == SAID.message
    assert cause.fix is not None
    assert (cause.fix.label, cause.fix.view, cause.fix.query) == (
        "Create StorageClass fast",
        "new",
        (("name", "fast"),),
    )
    assert [link.view for link in cause.links] == ["detail", "list", "events"]


def test_nothing_is_said_when_it_may_be_over() -> None:
    none(claim("Bound", "fast"), SAID)
    none(claim(class_="other"), SAID)
    none(claim(class_="fast"))
