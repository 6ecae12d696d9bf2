"""What the stand-in makes is what the real Argo CD operator makes, and it says of each object that it is simulated."""

from typing import Any

import pytest

from examples.operators.argocd.argocd import Object
from examples.operators.argocd.keys import makers
from examples.operators.argocd.objects import everything
from examples.operators.argocd.parts import enabled
from examples.operators.argocd.workloads import IMAGE_VARIABLE, MADE_FROM, workload
from examples.operators.tests.argocd.argocds import DEX, argocd


def made(**spec: Any) -> list[Object]:
    item = argocd(**spec)
    return [*everything(item), *(workload(item, part) for part in enabled(item))]


def names(objects: list[Object], kind: str) -> set[str]:
    return {obj["metadata"]["name"].removeprefix("example-argocd-") for obj in objects if obj["kind"] == kind}


def named(objects: list[Object], kind: str, name: str) -> Object:
    return next(obj for obj in objects if (obj["kind"], obj["metadata"]["name"]) == (kind, name))


def test_everything_has_the_name_of_the_real_ones() -> None:
    found = made(sso=DEX)
    assert names(found, "StatefulSet") == {"application-controller"}
    assert names(found, "Deployment") == {"redis", "repo-server", "server", "dex-server"}
    assert names(found, "Service") == {
        *names(found, "Deployment"),
        "metrics",
        "server-metrics",
    }
    assert names(found, "ConfigMap") == {"argocd-cm", "argocd-rbac-cm", "argocd-tls-certs-cm", "argocd-gpg-keys-cm"}


def test_the_server_is_reached_at_80_and_443() -> None:
    found = made()
    service = named(found, "Service", "example-argocd-server")
    assert [(port["port"], port["targetPort"]) for port in service["spec"]["ports"]] == [(80, 8080), (443, 8080)]
    server = named(found, "Deployment", "example-argocd-server")
    (container,) = server["spec"]["template"]["spec"]["containers"]
    assert {8080, 8083} == {port["containerPort"] for port in container["ports"]}
    assert server["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]


def test_every_service_finds_its_pods() -> None:
    found = made(sso=DEX)
    pods = [item["spec"]["template"] for item in found if item["kind"] in ("Deployment", "StatefulSet")]
    for service in (item for item in found if item["kind"] == "Service"):
        selector = service["spec"]["selector"].items()
        (pod,) = [pod for pod in pods if selector <= pod["metadata"]["labels"].items()]
        (container,) = pod["spec"]["containers"]
        listens = {port["containerPort"] for port in container["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= listens


def test_the_settings_reach_their_config_maps() -> None:
    found = made(
        usersAnonymousEnabled=True,
        disableAdmin=True,
        rbac={"defaultPolicy": "role:readonly"},
        extraConfig={"admin.enabled": "true", "timeout.reconciliation": "60s"},
    )
    settings = named(found, "ConfigMap", "argocd-cm")["data"]
    assert settings["users.anonymous.enabled"] == "true"
    # What stands in extraConfig wins, as with the real one.
    assert (settings["admin.enabled"], settings["timeout.reconciliation"]) == ("true", "60s")
    assert named(found, "ConfigMap", "argocd-rbac-cm")["data"]["policy.default"] == "role:readonly"


def test_everything_says_that_it_is_simulated_and_goes_with_its_owner() -> None:
    secrets = [secret for make in makers(argocd()).values() for secret in make()]
    assert {secret["metadata"]["name"] for secret in secrets} == set(makers(argocd()))
    for item in [*made(sso=DEX), *secrets]:
        assert item["metadata"]["annotations"]["operator-console.dev/simulated"] == "true"
        assert item["metadata"]["ownerReferences"][0]["uid"] == "1"


def test_what_is_switched_off_is_not_made() -> None:
    found = made(redis={"enabled": False})
    assert names(found, "Deployment") == {"repo-server", "server"}
    assert "redis" not in names(found, "Service") | names(found, "ServiceAccount")


def test_without_an_image_of_its_own_it_shows_what_a_real_cluster_would(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in of the community's operator names Argo CD's images, which the embedded cluster simulates; our
    bundle names ours.
    """

    def images() -> set[str]:
        return {
            item["spec"]["template"]["spec"]["containers"][0]["image"].partition(":")[0]
            for item in made(sso=DEX)
            if item["kind"] in ("Deployment", "StatefulSet")
        }

    monkeypatch.delenv(IMAGE_VARIABLE, raising=False)
    assert images() == {"quay.io/argoproj/argocd", "docker.io/library/redis", "ghcr.io/dexidp/dex"}
    monkeypatch.setenv(IMAGE_VARIABLE, "operator-console.dev/argocd-tutorial:1.0.0")
    assert images() == {"operator-console.dev/argocd-tutorial"}


def test_a_workload_knows_from_what_it_was_made() -> None:
    """So that a setting that is taken away is noticed: the workload that has it too many does not lack anything."""
    limited, plain, again = (
        named(made(**spec), "Deployment", "example-argocd-server")
        for spec in ({"server": {"resources": {"limits": {"cpu": "1"}}}}, {}, {"server": {"replicas": 1}})
    )
    marks = [item["metadata"]["annotations"][MADE_FROM] for item in (limited, plain, again)]
    assert marks[0] != marks[1] == marks[2]
