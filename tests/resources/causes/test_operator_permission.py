"""Permissions that an operator lacks."""

from tests.resources.causes.objects import causes, event, instance

MESSAGE = (
    'deployments.apps is forbidden: User "system:serviceaccount:argocd:argocd-operator" '
    'cannot create resource "deployments" in API group "apps" in the namespace "shop"'
)
FAILED = {"type": "Reconciled", "status": "False", "reason": "ErrorOccurred", "message": MESSAGE}


def test_it_works() -> None:
    cause = causes(instance(FAILED))[0]
    assert cause.rule == "operator_permission"
    assert cause.sentence == (
        "argocd-sample can't be set up: ServiceAccount argocd-operator can't create deployments in shop"
    )
    assert cause.fix is not None
    assert (cause.fix.label, cause.fix.view) == ("Create RoleBinding", "new-binding")


def test_its_own_refusal_stands_once() -> None:
    assert [cause.rule for cause in causes(instance(FAILED))] == ["operator_permission"]


def test_in_the_whole_cluster_and_as_an_event() -> None:
    message = (
        'clusterroles.rbac.authorization.k8s.io is forbidden: User "system:serviceaccount:a:b" '
        'cannot list resource "clusterroles" in API group "rbac.authorization.k8s.io" at '
        "the cluster scope"
    )
    pending = instance(phase="Pending")
    [cause] = causes(pending, events={pending["metadata"]["uid"]: (event("ReconcileError", message, 4),)})
    assert cause.sentence == "argocd-sample can't be set up: ServiceAccount b can't list clusterroles"
    assert cause.fix is not None
    assert cause.fix.label == "Create ClusterRoleBinding"
