"""Deletions that wait for an operator that doesn't run."""

from tests.resources.causes.objects import LONG_AGO, instance, none, only

GOING = {"deletionTimestamp": LONG_AGO, "finalizers": ["argoproj.io/finalizer"]}


def test_it_works() -> None:
    cause = only("stuck_finalizer", instance(metadata=GOING), stopped_operator="argocd-operator.v0.18.0")
    assert cause.sentence == (
        "argocd-sample can't be deleted: argocd-operator.v0.18.0 isn't running and can't remove "
        "finalizer argoproj.io/finalizer"
    )
    assert cause.fix is not None
    assert cause.fix.view == "finalizers"


def test_nothing_is_said_while_its_operator_may_run_or_kubernetes_is_at_work() -> None:
    none(instance(metadata=GOING))
    own = {**GOING, "finalizers": ["foregroundDeletion", "kubernetes.io/pvc-protection", "x.kubernetes.io/y"]}
    none(instance(metadata=own), stopped_operator="x")
    none(instance(metadata={"finalizers": ["argoproj.io/finalizer"]}), stopped_operator="x")
