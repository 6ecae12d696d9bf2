"""Admission webhooks that don't answer."""

import pytest

from tests.resources.causes.objects import only, refused

POST = (
    'Internal error occurred: failed calling webhook "vault.hashicorp.com": failed to '
    'call webhook: Post "https://vault-injector.vault.svc:443/mutate?timeout=30s": '
)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("dial tcp 10.96.1.7:443: connect: connection refused", "its Service has no Pods that respond"),
        ('no endpoints available for service "vault-injector"', "its Service has no Pods that respond"),
        ('service "vault-injector" not found', "its Service doesn't exist"),
        ("context deadline exceeded", "it doesn't respond in time"),
        (
            "tls: failed to verify certificate: x509: certificate signed by unknown authority",
            "its certificate isn't trusted",
        ),
    ],
)
def test_it_works(message: str, why: str) -> None:
    cause = only("webhook_down", refused(POST + message))
    assert cause.sentence == f"web can't create or change objects: admission webhook vault.hashicorp.com fails: {why}"
    assert (cause.links[1].target.kind, cause.links[1].target.namespace) == ("Service", "vault")
