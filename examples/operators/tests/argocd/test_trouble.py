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
    first = two[0]
    uid = first.create("no-dex", sso={"provider": "dex"})["metadata"]["uid"]
    found = first.until("no-dex", says("Reconciled", "ErrorOccurred"))
    words = "illegal SSO configuration: must supply valid dex configuration when requested SSO provider is dex"
    assert condition(found, "Reconciled")["message"] == words
    assert (found["status"]["sso"], found["status"]["phase"]) == ("Failed", "Pending")
    assert words in first.messages(uid, "ErrorOccurred")
    assert first.objects("no-dex") == set()
    first.change("no-dex", sso={"dex": {"config": "connectors: []"}})
    assert first.available("no-dex")["status"]["sso"] == "Running"
    first.delete("no-dex")
    first.gone("no-dex")


def test_a_provider_that_is_not_named_is_told(two: Two) -> None:
    two[0].create("unnamed", sso={"dex": {"config": "connectors: []"}})
    found = two[0].until("unnamed", says("Reconciled", "ErrorOccurred"))
    assert "without specifying SSO provider type" in condition(found, "Reconciled")["message"]
    two[0].delete("unnamed")


def test_one_name_in_two_namespaces_is_two(two: Two) -> None:
    first, other, _ = two
    for each in (first, other):
        each.create("same", sso=DEX, redis={"enabled": each is first})
    assert first.available("same")["status"]["redis"] == "Running"
    found = other.available("same")
    assert (found["status"]["redis"], condition(found, "Available")["message"]) == (
        "Unknown",
        "4 of 4 components run",
    )
    assert first.secret("same-cluster") != other.secret("same-cluster")
    first.delete("same")
    first.gone("same")
    assert other.available("same") == found
    other.delete("same")
    other.gone("same")


def test_a_second_one_in_a_namespace_is_told_that_there_is_a_first(two: Two) -> None:
    argocds = two[0]
    argocds.create("first", server={"enabled": False}, repo={"enabled": False})
    first = argocds.available("first")
    argocds.create("second")
    found = argocds.until("second", says("Reconciled", "ErrorOccurred"))
    assert (
        "a namespace can hold one ArgoCD, and ConfigMap argocd-cm of this one belongs to first"
        in (condition(found, "Reconciled")["message"])
    )
    assert argocds.objects("second") == set()
    assert argocds.available("first") == first
    argocds.delete("first")
    argocds.available("second")
    argocds.delete("second")
    argocds.gone("second")


def test_an_object_of_somebody_else_is_left_alone(two: Two) -> None:
    first = two[0]
    first.make("secrets", "taken-tls", stringData={"a": "b"})
    first.create("taken")
    found = first.until("taken", says("Reconciled", "ErrorOccurred"))
    assert (
        "a Secret named taken-tls exists already and belongs to something else"
        in (condition(found, "Reconciled")["message"])
    )
    assert first.secret("taken-tls") == {"a": b"b"}
    first.api.delete(first.path("secrets", "taken-tls"))
    first.available("taken")
    first.delete("taken")
    first.gone("taken")


def test_what_is_deleted_or_changed_by_hand_comes_back(two: Two) -> None:
    first = two[0]
    uid = first.create("kept", sso=DEX, controller={"enabled": False})["metadata"]["uid"]
    first.available("kept")
    password = first.secret("kept-cluster")
    away = {
        path: first.api.get(path).json["metadata"]["uid"]
        for path in (
            first.path("deployments", "kept-server"),
            first.path("services", "kept-server"),
            first.path("configmaps", "argocd-cm"),
            first.path("secrets", "kept-tls"),
            first.path("serviceaccounts", "kept-argocd-redis"),
        )
    }
    for path in away:
        assert first.api.delete(path).status == 200
    for path, old in away.items():
        first.api.until(path, lambda found, old=old: found["metadata"]["uid"] != old, SECONDS)
    assert "Service kept-server was gone; made it again" in first.messages(uid, "Restored")

    deployment = first.path("deployments", "kept-repo-server")
    first.api.patch(f"{deployment}/scale", {"spec": {"replicas": 3}})
    first.api.until(deployment, lambda found: found["spec"]["replicas"] == 1, SECONDS)
    settings = first.path("configmaps", "argocd-cm")
    first.api.patch(settings, {"data": {"users.anonymous.enabled": "true", "mine": "too"}})
    data = first.api.until(settings, lambda found: "mine" not in found["data"], SECONDS)["data"]
    assert data["users.anonymous.enabled"] == "false"
    assert first.messages(uid, "Corrected")
    assert first.secret("kept-cluster") == password
    first.available("kept")
    first.delete("kept")
    first.gone("kept")


def test_what_only_the_cluster_can_refuse_stands_in_the_status(two: Two) -> None:
    """A limit below the request; and a setting that is taken back is taken back from the workload."""
    first = two[0]
    first.create("ill", server={"resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": "100m"}}})
    found = first.until("ill", says("Reconciled", "ErrorOccurred"))
    assert "must be less than or equal to cpu limit" in condition(found, "Reconciled")["message"]
    first.change("ill", server={"resources": {"limits": {"cpu": "2000m"}}})
    first.available("ill")
    limits = first.there("deployments", "ill-server")["spec"]["template"]["spec"]["containers"][0]
    assert limits["resources"]["limits"]["cpu"] in ("2000m", "2")
    first.change("ill", server={"resources": None})
    first.api.until(
        first.path("deployments", "ill-server"),
        lambda found: not found["spec"]["template"]["spec"]["containers"][0].get("resources"),
        SECONDS,
    )
    first.delete("ill")
    first.gone("ill")


def test_one_that_is_deleted_while_it_is_made_leaves_nothing(two: Two) -> None:
    """At each of its first steps: as soon as this object is there."""
    first = two[0]
    for number, (plural, name) in enumerate(
        (("configmaps", "argocd-cm"), ("services", "early-2-repo-server"), ("deployments", "early-3-redis")), 1
    ):
        first.create(f"early-{number}", sso=DEX)
        first.api.until(first.path(plural, name), bool, SECONDS)
        first.delete(f"early-{number}")
        first.gone(f"early-{number}")
    # By the time the next one is available, passes that ran when they were deleted have ended.
    first.create("late", server={"enabled": False}, repo={"enabled": False})
    first.available("late")
    for number in (1, 2, 3):
        first.gone(f"early-{number}")
    first.delete("late")
    first.gone("late")


def test_what_changes_while_the_operator_is_away_is_done_when_it_is_back(two: Two) -> None:
    """One is changed, one deleted, one new, and one has lost a component; and what needs nothing is not written to."""
    first, other, operator = two
    first.create("changed", sso=DEX)
    other.create("goes", repo={"enabled": False})
    first.available("changed")
    other.available("goes")
    operator.kill()
    first.change("changed", usersAnonymousEnabled=True)
    first.api.delete(first.path("deployments", "changed-redis"))
    first.api.until_gone(first.path("deployments", "changed-redis"))
    other.delete("goes")
    other.gone("goes")
    other.create("new", controller={"enabled": False}, repo={"enabled": False})
    operator.start()
    other.available("new")
    found = first.available("changed")
    assert found["status"]["redis"] == "Running"
    settings = first.there("configmaps", "argocd-cm")
    assert settings["data"]["users.anonymous.enabled"] == "true"

    operator.kill()
    before = {
        path: first.api.get(path).json
        for path in (first.path("deployments", "changed-server"), first.path("secrets", "changed-tls"))
    }
    operator.start()
    other.change("new", redis={"enabled": False})
    other.until("new", lambda body: body["status"]["redis"] == "Unknown")
    assert {path: first.api.get(path).json for path in before} == before
    assert first.api.get(f"{first.home}/changed").json == found
    for each, name in ((first, "changed"), (other, "new")):
        each.delete(name)
        each.gone(name)
