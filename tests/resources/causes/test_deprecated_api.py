"""APIs that are gone, or will be."""

from resources.causes.cause import Severity
from tests.resources.causes.objects import causes, instance, only

GONE = {
    "type": "Reconciled",
    "status": "False",
    "reason": "ErrorOccurred",
    "message": 'no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"',
}


def test_an_api_that_is_gone() -> None:
    cause = causes(instance(GONE))[0]
    assert (cause.rule, cause.severity) == ("deprecated_api", Severity.ERROR)
    assert cause.sentence == (
        "argocd-sample can't be set up: the cluster doesn't serve PodDisruptionBudget in policy/v1beta1"
    )


def test_a_deprecated_version_is_a_note() -> None:
    cause = only("deprecated_api", instance(phase="Available"), deprecation="use v1")
    assert (cause.severity, cause.note) == (Severity.NOTE, "use v1")
    assert cause.sentence == "argocd-sample uses a deprecated API version: argoproj.io/v1beta1"
