"""Images that can't be pulled, in the words of containerd, CRI-O and the kubelet."""

import pytest

from tests.resources.causes.objects import causes, deployment, event, only, owner, pod, replica_set, waiting

CONTAINERD = (
    'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/web:1": '
    'failed to resolve reference "docker.io/library/web:1": docker.io/library/web:1: '
    "not found"
)
DENIED = (
    'failed to pull and unpack image "docker.io/library/web:1": failed to resolve reference '
    '"docker.io/library/web:1": pull access denied, repository does not exist or may '
    "require authorization: server message: insufficient_scope: authorization failed"
)
FORBIDDEN = (
    'failed to pull and unpack image "quay.io/x/web:1": failed to resolve reference "quay.io/x/web:1": '
    "unexpected status from HEAD request to https://quay.io/v2/x/web/manifests/1: 403 "
    "Forbidden"
)
RATE = (
    'failed to pull and unpack image "docker.io/library/web:1": failed to copy: httpReadSeeker: '
    "failed open: unexpected status code https://registry-1.docker.io/v2/library/web/manifests/sha256:aa: "
    "429 Too Many Requests - Server message: toomanyrequests: You have reached your pull "
    "rate limit."
)
CRIO = "reading manifest 1 in docker.io/library/web: manifest unknown: manifest unknown"
HOST = (
    'failed to pull and unpack image "quay.example/web:1": failed to resolve reference '
    '"quay.example/web:1": failed to do request: Head "https://quay.example/v2/web/manifests/1": '
    "dial tcp: lookup quay.example on 10.96.0.10:53: no such host"
)
_PULL = 'failed to pull and unpack image "r.local/web:1": failed to resolve reference "r.local/web:1": '
_HEAD = f'{_PULL}failed to do request: Head "https://r.local/v2/web/manifests/1": '
# As containerd 1.6 writes them.
STATUS = f"{_PULL}pulling from host r.local failed with status code [manifests 1]: "
NO_ROUTE = f"{_HEAD}dial tcp 192.0.2.1:443: connect: network is unreachable"
NO_DNS = f"{_HEAD}dial tcp: lookup r.local on 10.0.0.53:53: dial udp 10.0.0.53:53: connect: network is unreachable"
PAGE = (
    'rpc error: code = NotFound desc = failed to pull and unpack image "r.local/web:1": failed to unpack image on '
    "snapshotter overlayfs: unexpected media type text/html for sha256:95e4066e: not found"
)
PLAIN = f"{_HEAD}http: server gave HTTP response to HTTPS client"
TOKEN = f"{_PULL}failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized"
DOWN = (
    'failed to do request: Head "https://r.local:5000/v2/web/manifests/1": dial tcp 10.0.0.9:5000: '
    "connect: connection refused"
)


@pytest.mark.parametrize(
    ("reason", "message", "why"),
    [
        ("ErrImagePull", CONTAINERD, ": the registry has no such image"),
        (
            "ImagePullBackOff",
            f'Back-off pulling image "web:1": ErrImagePull: {CONTAINERD}',
            ": the registry has no such image",
        ),
        ("ErrImagePull", CRIO, ": the registry has no such image"),
        ("ErrImagePull", DENIED, ": the registry has no such image, or it needs a pull secret"),
        ("ErrImagePull", FORBIDDEN, ": the registry refuses access; a pull secret may be missing"),
        ("ErrImagePull", RATE, ": the registry's rate limit is reached"),
        ("ErrImagePull", HOST, ": the registry quay.example doesn't exist"),
        ("ErrImagePull", DOWN, ": 10.0.0.9:5000 isn't responding"),
        ("ErrImagePull", NO_ROUTE, ": 192.0.2.1:443 isn't responding"),
        ("ErrImagePull", NO_DNS, ": the node can't resolve the name r.local"),
        ("ErrImagePull", f"{STATUS}500 Internal Server Error", ": the registry responds with HTTP 500"),
        ("ErrImagePull", f"{STATUS}403 Forbidden", ": the registry refuses access; a pull secret may be missing"),
        ("ErrImagePull", TOKEN, ": the registry refuses access; a pull secret may be missing"),
        ("ErrImagePull", PAGE, ": the registry's response isn't an image"),
        ("ErrImagePull", PLAIN, ": the registry doesn't use HTTPS"),
        (
            "InvalidImageName",
            (
                'Failed to apply default image tag "WEB": couldn\'t parse image name "WEB": invalid '
                "reference format: repository name (library/WEB) must be lowercase"
            ),
            ": this isn't a valid image name",
        ),
        (
            "ErrImageNeverPull",
            'Container image "web:1" is not present with pull policy of Never',
            ": the image isn't on the node, and imagePullPolicy is Never",
        ),
        ("ErrImagePull", "something new", ""),
    ],
)
def test_it_works(reason: str, message: str, why: str) -> None:
    cause = only("image_pull", pod(waiting(reason, message)))
    assert cause.sentence == f"web can't pull web:1{why}"
    assert cause.raw == message


def test_an_older_kubelet_has_the_reason_in_its_event() -> None:
    failed = event("Failed", f'Failed to pull image "web:1": {CONTAINERD}')
    cause = only("image_pull", pod(waiting("ImagePullBackOff", 'Back-off pulling image "web:1"')), failed)
    assert cause.sentence == "web can't pull web:1: the registry has no such image"
    assert cause.raw == failed.message


def test_what_has_the_image_is_what_to_edit() -> None:
    failing = ((0, replica_set()), (1, pod(waiting("ErrImagePull", CRIO))))
    [cause] = causes(deployment("web:1"), *failing)
    assert cause.fix is not None
    assert (cause.fix.label, cause.fix.target.kind) == ("Edit Deployment web", "Deployment")
    # Its operator would write that over.
    [cause] = causes(deployment("web:1", by=owner("ArgoCD", "a", "argoproj.io/v1")), *failing)
    assert cause.fix is None


def test_replicas_have_one_sentence_and_what_still_works_is_said() -> None:
    second = pod(waiting("ErrImagePull", CRIO))
    second["metadata"] |= {"name": "web-7d4b9c6f5-zzzzz", "uid": "second"}
    [cause] = causes(
        deployment(ready=1, wanted=3), (0, replica_set()), (1, pod(waiting("ErrImagePull", CRIO))), (1, second)
    )
    assert cause.note == "Still ready: 1 of 3 replicas."


def test_the_container_is_named_where_there_are_several() -> None:
    both = pod(waiting("ErrImagePull", CRIO), spec={"containers": [{"name": "web", "image": "web:1"}, {"name": "log"}]})
    assert only("image_pull", both).sentence == "web (web) can't pull web:1: the registry has no such image"


def test_pull_secrets_are_named() -> None:
    refused = pod(
        waiting("ErrImagePull", f"{STATUS}401 Unauthorized"), spec={"imagePullSecrets": [{"name": "registry"}]}
    )
    cause = only("image_pull", refused)
    assert cause.sentence == "web can't pull web:1: the registry refuses access with pull secret registry"
    absent = event(
        "FailedToRetrieveImagePullSecret",
        "Unable to retrieve some image pull secrets (registry); attempting to pull the image may not succeed.",
    )
    cause = only("image_pull", refused, absent)
    assert cause.sentence == "web can't pull web:1: pull secret registry doesn't exist"
