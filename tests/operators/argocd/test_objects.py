"""The simulated Argo CD operator makes what the real one makes, and says that it is a simulation."""

from typing import Any

from operators.argocd.objects import cluster_secret, everything, part_names


def argocd(**spec: Any) -> dict[str, Any]:
    meta = {"name": "example-argocd", "namespace": "argocd", "uid": "1"}
    return {"apiVersion": "argoproj.io/v1beta1", "kind": "ArgoCD", "metadata": meta, "spec": spec}


def names(objects: list[dict[str, Any]], kind: str) -> set[str]:
    return {one["metadata"]["name"] for one in objects if one["kind"] == kind}


def test_it_works() -> None:
    found = everything(argocd())
    assert names(found, "StatefulSet") == {"example-argocd-application-controller"}
    assert names(found, "Deployment") == {
        f"example-argocd-{name}" for name in ("redis", "repo-server", "server", "dex-server")
    }
    assert names(found, "Service") == {
        f"example-argocd-{name}"
        for name in ("redis", "repo-server", "server", "dex-server", "metrics", "server-metrics")
    }


def test_the_server_is_reached_at_80_and_443() -> None:
    (service,) = [
        one
        for one in everything(argocd())
        if one["kind"] == "Service"
        and one["metadata"]["name"].endswith("-server")
        and "repo" not in one["metadata"]["name"]
        and "dex" not in one["metadata"]["name"]
    ]
    assert [(port["port"], port["targetPort"]) for port in service["spec"]["ports"]] == [(80, 8080), (443, 8080)]
    (server,) = [
        one
        for one in everything(argocd())
        if one["metadata"]["name"] == "example-argocd-server" and one["kind"] == "Deployment"
    ]
    assert {"containerPort": 8080} in server["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert server["spec"]["selector"]["matchLabels"].items() <= service["spec"]["selector"].items()


def test_anonymous_users_reach_the_config_map() -> None:
    (config,) = [
        one for one in everything(argocd(usersAnonymousEnabled=True)) if one["metadata"]["name"] == "argocd-cm"
    ]
    assert config["data"]["users.anonymous.enabled"] == "true"


def test_everything_says_that_it_is_simulated_and_goes_with_its_owner() -> None:
    for one in [*everything(argocd()), cluster_secret(argocd())]:
        assert one["metadata"]["annotations"]["operator-console.dev/simulated"] == "true"
        assert one["metadata"]["ownerReferences"][0]["uid"] == "1"


def test_what_is_switched_off_is_not_made() -> None:
    found = everything(argocd(sso={"provider": "keycloak"}, redis={"enabled": False}))
    assert names(found, "Deployment") == {"example-argocd-repo-server", "example-argocd-server"}
    assert [part.field for part, _ in part_names(argocd(sso={"provider": "keycloak"}))] == [
        "applicationController",
        "redis",
        "repo",
        "server",
    ]
