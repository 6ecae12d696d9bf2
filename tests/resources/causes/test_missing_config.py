"""Secrets, ConfigMaps and keys that don't exist."""

import pytest

from tests.resources.causes.objects import event, none, only, pod, waiting


@pytest.mark.parametrize(
    ("message", "why", "fix"),
    [
        ('secret "db" not found', "Secret db doesn't exist", "Create Secret db"),
        ('configmap "settings" not found', "ConfigMap settings doesn't exist", "Create ConfigMap settings"),
        ("couldn't find key password in Secret shop/db", "Secret db has no key password", "Edit Secret db"),
        (
            "couldn't find key mode in ConfigMap shop/settings",
            "ConfigMap settings has no key mode",
            "Edit ConfigMap settings",
        ),
    ],
)
def test_in_the_environment(message: str, why: str, fix: str) -> None:
    cause = only("missing_config", pod(waiting("CreateContainerConfigError", message)))
    assert cause.sentence == f"web can't start: {why}"
    assert cause.fix is not None
    assert cause.fix.label == fix


def test_in_a_volume() -> None:
    creating = pod(waiting("ContainerCreating"))
    failed_mount = event(
        "FailedMount", 'MountVolume.SetUp failed for volume "conf" : configmap "settings" not found', 9
    )
    cause = only("missing_config", creating, failed_mount)
    assert cause.sentence == "web can't start: ConfigMap settings doesn't exist"
    assert cause.fix is not None
    assert (cause.fix.view, cause.fix.query) == ("new-values", (("namespace", "shop"), ("name", "settings")))


def test_a_key_of_a_volume() -> None:
    volumes = [{"name": "tls", "secret": {"secretName": "web-tls"}}, {"name": "all", "projected": {"sources": []}}]
    creating = pod(waiting("ContainerCreating"), spec={"volumes": volumes})
    message = 'MountVolume.SetUp failed for volume "{}" : references non-existent secret key: tls.crt'
    cause = only("missing_config", creating, event("FailedMount", message.format("tls"), 9))
    assert cause.sentence == "web can't start: Secret web-tls has no key tls.crt"
    # Of several sources of one volume, it isn't known which.
    cause = only("missing_config", creating, event("FailedMount", message.format("all"), 9))
    assert cause.sentence.endswith("volume all can't be mounted: references non-existent secret key: tls.crt")


_SETUP = 'MountVolume.SetUp failed for volume "data" : '


@pytest.mark.parametrize(
    ("reason", "message", "why"),
    [
        (
            "FailedMount",
            f"{_SETUP}hostPath type check failed: /x is not a directory",
            "hostPath type check failed: /x is not a directory",
        ),
        (
            "FailedMount",
            f"{_SETUP}kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name "
            "secrets-store.csi.k8s.io not found in the list of registered CSI drivers",
            "the node has no CSI driver secrets-store.csi.k8s.io",
        ),
        (
            "FailedMount",
            f"{_SETUP}mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs 10.89.0.1:/x "
            "/run/kubelet/pods/f8cb/data\nOutput: mount: /run/kubelet/pods/f8cb/data: unknown filesystem type 'nfs'.\n"
            "       dmesg(1) may have more information after failed mount system call.\n",
            "mount: /run/kubelet/pods/f8cb/data: unknown filesystem type 'nfs'.",
        ),
        (
            "FailedAttachVolume",
            'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = NotFound desc = no disk',
            "code = NotFound desc = no disk",
        ),
    ],
)
def test_other_volumes(reason: str, message: str, why: str) -> None:
    name = "pvc-1" if "pvc-1" in message else "data"
    creating = pod(waiting("ContainerCreating"), spec={"volumes": [{"name": "data", "hostPath": {"path": "/x"}}]})
    cause = only("missing_config", creating, event(reason, message, 9))
    assert cause.sentence == f"web can't start: volume {name} can't be mounted: {why}"
    assert cause.raw == message


def test_a_timeout_says_nothing_of_the_reason() -> None:
    late = "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], timed out waiting"
    none(pod(waiting("ContainerCreating")), event("FailedMount", late, 3))


def test_nothing_is_said_of_a_pod_that_has_started() -> None:
    running = pod({"state": {"running": {}}, "ready": True}, phase="Running")
    none(running, event("FailedMount", 'MountVolume.SetUp failed for volume "conf" : configmap "settings" not found'))
    none(pod(waiting("ContainerCreating")), event("FailedMount", 'object "shop"/"kube-root-ca.crt" not registered'))
