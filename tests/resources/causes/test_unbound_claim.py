"""Claims that nothing gives a volume to, and Pods that wait for them."""

from tests.resources.causes.objects import causes, claim, event, none, only, unschedulable

UNBOUND = (
    "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: "
    "0/3 nodes are available: 3 Preemption is not helpful for scheduling."
)
VOLUME = {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}}
SAID = event("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found', 12)


def test_a_storage_class_that_does_not_exist() -> None:
    cause = only("unbound_claim", claim(class_="fast"), SAID)
    assert cause.sentence == "data-web-0 can't get a volume: StorageClass fast doesn't exist"
    assert cause.raw == SAID.message
    assert cause.fix is not None
    assert (cause.fix.label, cause.fix.view, cause.fix.query) == (
        "Create StorageClass fast",
        "new",
        (("name", "fast"),),
    )
    assert [link.view for link in cause.links] == ["detail", "list", "events"]


def test_nothing_is_said_of_a_class_when_it_may_be_over() -> None:
    none(claim("Bound", "fast"), SAID)
    none(claim(class_="other"), SAID)
    none(claim(class_="fast"))


def test_without_a_storage_class() -> None:
    failed_binding = event(
        "FailedBinding", "no persistent volumes available for this claim and no storage class is set", warning=False
    )
    cause = only("unbound_claim", claim(), failed_binding)
    assert cause.sentence == "data-web-0 can't get a volume: it sets no StorageClass, and no PersistentVolume matches"


def test_a_provisioner_that_does_nothing() -> None:
    message = (
        "Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' "
        "or manually by the system "
        "administrator. If volume creation is delayed, please verify that the provisioner "
        "is running and correctly registered."
    )
    cause = only("unbound_claim", claim(class_="gp3"), event("ExternalProvisioning", message, warning=False))
    assert cause.sentence == "data-web-0 can't get a volume: provisioner ebs.csi.aws.com hasn't created it"


def test_a_provisioner_that_fails() -> None:
    message = 'failed to provision volume with StorageClass "gp3": rpc error: code = ResourceExhausted desc = no space'
    cause = only("unbound_claim", claim(class_="gp3"), event("ProvisioningFailed", message))
    assert cause.sentence.startswith("data-web-0 can't get a volume of StorageClass gp3: rpc error")


def test_a_provisioner_that_fails_waits_all_the_same() -> None:
    waits = event("ExternalProvisioning", "by the external provisioner 'x.com/p' or manually", warning=False)
    failed = event("ProvisioningFailed", 'failed to provision volume with StorageClass "gp3": only ReadWriteOnce')
    cause = only("unbound_claim", claim(class_="gp3"), waits, failed)
    assert cause.sentence == "data-web-0 can't get a volume of StorageClass gp3: only ReadWriteOnce"


def test_a_volume_that_is_gone() -> None:
    cause = only("unbound_claim", claim("Lost", volumeName="pv-1"))
    assert cause.sentence == "data-web-0 can't be used: its PersistentVolume pv-1 is missing"


def test_a_pod_whose_claim_does_not_exist() -> None:
    message = (
        '0/3 nodes are available: persistentvolumeclaim "data-web-0" not found. preemption: '
        "0/3 nodes are available: 3 No preemption victims found for incoming pod."
    )
    cause = only("unbound_claim", unschedulable(message, volumes=[VOLUME]))
    assert cause.sentence == "web can't be scheduled: PersistentVolumeClaim data-web-0 doesn't exist"


def test_a_claim_that_was_created_after_its_pod() -> None:
    """The scheduler's message stays while it waits for the volume."""
    stale = unschedulable('0/1 nodes are available: persistentvolumeclaim "data-web-0" not found.', volumes=[VOLUME])
    found = claim(class_="gp3")
    provisioning = event("ExternalProvisioning", "by the external provisioner 'x.com/p' or manually", warning=False)
    [cause] = causes(stale, (0, found), events={found["metadata"]["uid"]: (provisioning,)})
    assert cause.sentence == "data-web-0 can't get a volume: provisioner x.com/p hasn't created it"


def test_a_pod_names_its_claim_unless_that_speaks_for_itself() -> None:
    pod = unschedulable(UNBOUND, volumes=[VOLUME])
    assert only("unbound_claim", pod).sentence == "web can't be scheduled: PersistentVolumeClaim data-web-0 isn't bound"
    provisioning_failed = event("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found')
    both = claim(class_="fast")
    found = causes(pod, (0, both), events={both["metadata"]["uid"]: (provisioning_failed,)})
    assert [cause.rule for cause in found] == ["unbound_claim"]


def test_nothing_is_said_of_a_claim_that_waits_for_its_first_consumer() -> None:
    none(claim(class_="gp3"), event("WaitForFirstConsumer", "waiting for first consumer to be created before binding"))
