"""Bad input and bad luck: what is refused in words, what comes back, and that nothing stays behind."""

from typing import Any

import pytest

from examples.operators.tests.argocd.clusters import DEX, ArgoCDs, says
from examples.operators.tests.places import SECONDS, Operator, condition

pytestmark = pytest.mark.timeout(300)
Two = tuple[ArgoCDs, ArgoCDs, Operator]


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("x" * 30, {}, "the name must be at most 29 lower-case letters"),
        ("1st", {}, "begin with a letter"),
        ("bad", {"usersAnonymousEnabled": "yes"}, 'spec.usersAnonymousEnabled: Invalid value: "string"'),
        ("bad", {"server": {"replicas": 6}}, "spec.server.replicas: Invalid value: 6"),
        ("bad", {"sso": {"provider": "keycloak"}}, 'spec.sso.provider: Unsupported value: "keycloak"'),
        ("bad", {"rbac": {"defaultPolicy": "readonly"}}, "must be empty or a role, such as role:readonly"),
        ("bad", {"banner": {"url": "https://a.example"}}, "spec.banner.content: Required value"),
        ("bad", {"controller": {"logLevel": "loud"}}, 'spec.controller.logLevel: Unsupported value: "loud"'),
    ],
)
def test_the_api_server_refuses_a_wrong_spec_in_words(
    installed: ArgoCDs, name: str, spec: dict[str, Any], message: str
) -> None:
    answer = installed.ask(name, **spec)
    assert answer.status == 422
    assert message in answer.message


def test_dex_without_its_configuration_is_told_as_the_real_one_tells_it(two: Two) -> None:
    """The words are argocd-operator's. Nothing is made until they are heard, and then all of it."""
    one = two[0]
    uid = one.create("no-dex", sso={"provider": "dex"})["metadata"]["uid"]
    found = one.until("no-dex", says("Reconciled", "ErrorOccurred"))
    words = "illegal SSO configuration: must supply valid dex configuration when requested SSO provider is dex"
    assert condition(found, "Reconciled")["message"] == words
    assert (found["status"]["sso"], found["status"]["phase"]) == ("Failed", "Pending")
    assert words in one.messages(uid, "ErrorOccurred")
    assert one.objects("no-dex") == set()
    one.change("no-dex", sso={"dex": {"config": "connectors: []"}})
    assert one.available("no-dex")["status"]["sso"] == "Running"
    one.delete("no-dex")
    one.gone("no-dex")


def test_a_provider_that_is_not_named_is_told(two: Two) -> None:
    two[0].create("unnamed", sso={"dex": {"config": "connectors: []"}})
    found = two[0].until("unnamed", says("Reconciled", "ErrorOccurred"))
    assert "without specifying SSO provider type" in condition(found, "Reconciled")["message"]
    two[0].delete("unnamed")


def test_one_name_in_two_namespaces_is_two(two: Two) -> None:
    one, other, _ = two
    for each in (one, other):
        each.create("same", sso=DEX, redis={"enabled": each is one})
    assert one.available("same")["status"]["redis"] == "Running"
    found = other.available("same")
    assert (found["status"]["redis"], condition(found, "Available")["message"]) == (
        "Unknown",
        "4 of 4 components run",
    )
    assert one.secret("same-cluster") != other.secret("same-cluster")
    one.delete("same")
    one.gone("same")
    assert other.available("same") == found
    other.delete("same")
    other.gone("same")


def test_a_second_one_in_a_namespace_is_told_that_there_is_a_first(two: Two) -> None:
    one = two[0]
    one.create("first", server={"enabled": False}, repo={"enabled": False})
    first = one.available("first")
    one.create("second")
    found = one.until("second", says("Reconciled", "ErrorOccurred"))
    assert (
        "a namespace can hold one ArgoCD, and ConfigMap argocd-cm of this one belongs to first"
        in (condition(found, "Reconciled")["message"])
    )
    assert one.objects("second") == set()
    assert one.available("first") == first
    one.delete("first")
    one.available("second")
    one.delete("second")
    one.gone("second")


def test_an_object_of_somebody_else_is_left_alone(two: Two) -> None:
    one = two[0]
    one.make("secrets", "taken-tls", stringData={"a": "b"})
    one.create("taken")
    found = one.until("taken", says("Reconciled", "ErrorOccurred"))
    assert (
        "a Secret named taken-tls exists already and belongs to something else"
        in (condition(found, "Reconciled")["message"])
    )
    assert one.secret("taken-tls") == {"a": b"b"}
    one.api.delete(one.path("secrets", "taken-tls"))
    one.available("taken")
    one.delete("taken")
    one.gone("taken")


def test_what_is_deleted_or_changed_by_hand_comes_back(two: Two) -> None:
    one = two[0]
    uid = one.create("kept", sso=DEX, controller={"enabled": False})["metadata"]["uid"]
    one.available("kept")
    password = one.secret("kept-cluster")
    away = {
        path: one.api.get(path).json["metadata"]["uid"]
        for path in (
            one.path("deployments", "kept-server"),
            one.path("services", "kept-server"),
            one.path("configmaps", "argocd-cm"),
            one.path("secrets", "kept-tls"),
            one.path("serviceaccounts", "kept-argocd-redis"),
        )
    }
    for path in away:
        assert one.api.delete(path).status == 200
    for path, old in away.items():
        one.api.until(path, lambda found, old=old: found["metadata"]["uid"] != old, SECONDS)
    assert "Service kept-server was gone; made it again" in one.messages(uid, "Restored")

    deployment = one.path("deployments", "kept-repo-server")
    one.api.patch(f"{deployment}/scale", {"spec": {"replicas": 3}})
    one.api.until(deployment, lambda found: found["spec"]["replicas"] == 1, SECONDS)
    settings = one.path("configmaps", "argocd-cm")
    one.api.patch(settings, {"data": {"users.anonymous.enabled": "true", "mine": "too"}})
    data = one.api.until(settings, lambda found: "mine" not in found["data"], SECONDS)["data"]
    assert data["users.anonymous.enabled"] == "false"
    assert one.messages(uid, "Corrected")
    assert one.secret("kept-cluster") == password
    one.available("kept")
    one.delete("kept")
    one.gone("kept")


def test_what_only_the_cluster_can_refuse_stands_in_the_status(two: Two) -> None:
    """A limit below the request; and a setting that is taken back is taken back from the workload."""
    one = two[0]
    one.create("ill", server={"resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": "100m"}}})
    found = one.until("ill", says("Reconciled", "ErrorOccurred"))
    assert "must be less than or equal to cpu limit" in condition(found, "Reconciled")["message"]
    one.change("ill", server={"resources": {"limits": {"cpu": "2000m"}}})
    one.available("ill")
    limits = one.there("deployments", "ill-server")["spec"]["template"]["spec"]["containers"][0]
    assert limits["resources"]["limits"]["cpu"] in ("2000m", "2")
    one.change("ill", server={"resources": None})
    one.api.until(
        one.path("deployments", "ill-server"),
        lambda found: not found["spec"]["template"]["spec"]["containers"][0].get("resources"),
        SECONDS,
    )
    one.delete("ill")
    one.gone("ill")


def test_one_that_is_deleted_while_it_is_made_leaves_nothing(two: Two) -> None:
    """At each of its first steps: as soon as this object is there."""
    one = two[0]
    for number, (plural, name) in enumerate(
        (("configmaps", "argocd-cm"), ("services", "early-2-repo-server"), ("deployments", "early-3-redis")), 1
    ):
        one.create(f"early-{number}", sso=DEX)
        one.api.until(one.path(plural, name), bool, SECONDS)
        one.delete(f"early-{number}")
        one.gone(f"early-{number}")
    # Whatever was on its way when they were deleted has come by now.
    one.create("late", server={"enabled": False}, repo={"enabled": False})
    one.available("late")
    for number in (1, 2, 3):
        one.gone(f"early-{number}")
    one.delete("late")
    one.gone("late")


def test_what_changes_while_the_operator_is_away_is_done_when_it_is_back(two: Two) -> None:
    """One is changed, one deleted, one new, and one has lost a component; and what needs nothing is not written to."""
    one, other, operator = two
    one.create("changed", sso=DEX)
    other.create("goes", repo={"enabled": False})
    one.available("changed")
    other.available("goes")
    operator.kill()
    one.change("changed", usersAnonymousEnabled=True)
    one.api.delete(one.path("deployments", "changed-redis"))
    one.api.until_gone(one.path("deployments", "changed-redis"))
    other.delete("goes")
    other.gone("goes")
    other.create("new", controller={"enabled": False}, repo={"enabled": False})
    operator.start()
    other.available("new")
    found = one.available("changed")
    assert found["status"]["redis"] == "Running"
    settings = one.there("configmaps", "argocd-cm")
    assert settings["data"]["users.anonymous.enabled"] == "true"

    operator.kill()
    before = {
        path: one.api.get(path).json
        for path in (one.path("deployments", "changed-server"), one.path("secrets", "changed-tls"))
    }
    operator.start()
    other.change("new", redis={"enabled": False})
    other.until("new", lambda body: body["status"]["redis"] == "Unknown")
    assert {path: one.api.get(path).json for path in before} == before
    assert one.api.get(f"{one.home}/changed").json == found
    for each, name in ((one, "changed"), (other, "new")):
        each.delete(name)
        each.gone(name)
