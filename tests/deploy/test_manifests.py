"""Every overlay of deploy/ is built, and every object of it is taken by the API server: server-side apply as a dry
run, unknown fields refused.
"""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import reverse

from console.management.commands.deploysecrets import values
from tests.api import APPLY, Api
from tests.deploy.definitions import istio
from tests.deploy.manifests import OVERLAYS, ROOT, containers, named, objects, template, text

# Kinds of others, each group with where its CustomResourceDefinitions are had from.
FOREIGN = {"networking.istio.io", "cert-manager.io"}
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "Service": "/api/v1/namespaces/{}/services",
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "StatefulSet": "/apis/apps/v1/namespaces/{}/statefulsets",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies",
    "Ingress": "/apis/networking.k8s.io/v1/namespaces/{}/ingresses",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
    "Certificate": "/apis/cert-manager.io/v1/namespaces/{}/certificates",
    "Gateway": "/apis/networking.istio.io/v1/namespaces/{}/gateways",
    "DestinationRule": "/apis/networking.istio.io/v1/namespaces/{}/destinationrules",
    "VirtualService": "/apis/networking.istio.io/v1/namespaces/{}/virtualservices",
}
DRY = "dryRun=All&fieldValidation=Strict&fieldManager=deploy-test"


@pytest.fixture(scope="module")
def api(cluster_kubeconfig: Path) -> Api:
    return Api(cluster_kubeconfig)


@pytest.fixture(scope="module")
def place(api: Api) -> Iterator[str]:
    """A namespace as deploy/ makes it, under a name of this test's, with its ServiceAccounts."""
    name = f"okd-style-{secrets.token_hex(3)}"
    made = objects("tutorial", name)
    for obj in made:
        if obj["kind"] in ("Namespace", "ServiceAccount"):
            answer = api.post(PATHS[obj["kind"]].format(name), obj)
            assert answer.status == 201, answer.raw
    api.until(f"/api/v1/namespaces/{name}/serviceaccounts/default", bool, 60)
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture(scope="module")
def foreign_kinds(api: Api, real_catalog: Path) -> Iterator[set[str]]:
    """cert-manager's and Istio's own definitions, served while this module runs; the groups that could be had."""
    found = [
        yaml.safe_load(path.read_text())
        for path in sorted((real_catalog / "cert-manager/1.16.5/crds").glob("cert-manager.io_certificates.yaml"))
    ] + istio()
    made = []
    for crd in found:
        # Labels that name the operator aren't part of the kind.
        crd["metadata"] = {"name": crd["metadata"]["name"], "annotations": crd["metadata"].get("annotations", {})}
        answer = api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
        assert answer.status in (201, 409), answer.raw
        if answer.status == 201:
            made.append(crd["metadata"]["name"])
        served = crd["spec"]["names"]["plural"]
        api.until(
            f"/apis/{crd['spec']['group']}/v1",
            lambda body, served=served: any(resource["name"] == served for resource in body["resources"]),
            60,
        )
    yield {crd["spec"]["group"] for crd in found}
    for name in made:
        api.delete(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")


def path(obj: dict[str, Any]) -> str:
    return PATHS[obj["kind"]].format(obj["metadata"].get("namespace", ""))


def applied(api: Api, obj: dict[str, Any]) -> Any:
    """What the API server makes of `kubectl apply --server-side --dry-run=server --validate=strict`."""
    until = time.monotonic() + 30
    while True:
        answer = api("PATCH", f"{path(obj)}/{obj['metadata']['name']}?{DRY}", obj, APPLY)
        # A definition is in discovery a moment before its instances are taken.
        if answer.status != 404 or time.monotonic() > until or obj["apiVersion"].partition("/")[0] not in FOREIGN:
            break
        time.sleep(0.2)
    assert answer.status in (200, 201), f"{obj['kind']} {obj['metadata']['name']}: {answer.raw.decode()}"
    assert "warning" not in answer.headers, f"{obj['kind']} {obj['metadata']['name']}: {answer.headers['warning']}"
    return answer.json


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_api_server_takes_every_object(overlay: str, api: Api, place: str, foreign_kinds: set[str]) -> None:
    found = objects(overlay, place)
    assert len(found) > 20
    taken = 0
    for obj in found:
        group = obj["apiVersion"].partition("/")[0]
        if group in FOREIGN and group not in foreign_kinds:
            continue
        if obj["metadata"].get("namespace", place) != place:
            # Another operator's namespace (istio-system) might be missing; only the object is tested.
            obj["metadata"]["namespace"] = place
        assert applied(api, obj)["metadata"]["name"] == obj["metadata"]["name"]
        taken += 1
    assert taken == len(found) or foreign_kinds != FOREIGN


def test_a_misspelt_field_is_refused(api: Api, place: str) -> None:
    """So the test above can fail."""
    (web,) = (
        obj
        for obj in objects("tutorial", place)
        if obj["kind"] == "Deployment" and obj["metadata"]["name"] == "console"
    )
    web["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    answer = api("PATCH", f"{path(web)}/console?{DRY}", web, APPLY)
    # A real kube-apiserver says 500 to an apply of an unknown field, and names it.
    assert answer.status in (400, 500), answer.raw
    assert "readynessProbe" in answer.raw.decode()


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_pod_keeps_to_the_restricted_standard(overlay: str, api: Api, place: str) -> None:
    """The namespace enforces it: each template as a Pod is judged by the API server's own admission, and by eye
    where a cluster has none.
    """
    seen = 0
    for obj in objects(overlay, place):
        pod = template(obj)
        if pod is None:
            continue
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is (spec.get("serviceAccountName") in ("console", "console-setup"))
        for container in containers(pod):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, container["name"]
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            assert container["resources"]["limits"].keys() == {"memory"}
            assert not container["image"].endswith(":latest")
            assert ":" in container["image"].rpartition("/")[2], f"{container['image']} is not pinned"
        # Claims of a StatefulSet's template aren't volumes of the Pod template.
        known = {volume["name"] for volume in spec["volumes"]}
        claims = [
            {"name": item["metadata"]["name"], "emptyDir": {}} for item in obj["spec"].get("volumeClaimTemplates", [])
        ]
        body = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "judged", "namespace": place, "labels": pod["metadata"]["labels"]},
            "spec": {**spec, "volumes": [*spec["volumes"], *(claim for claim in claims if claim["name"] not in known)]},
        }
        answer = api.post(f"/api/v1/namespaces/{place}/pods?dryRun=All&fieldValidation=Strict", body)
        assert answer.status == 201, f"{obj['metadata']['name']}: {answer.raw.decode()}"
        seen += 1
    assert seen >= 7


def test_no_secret_stands_in_the_manifests() -> None:
    for overlay in OVERLAYS:
        assert not [obj for obj in objects(overlay) if obj["kind"] == "Secret"]


def test_services_and_budgets_find_their_pods() -> None:
    """Each selector of a Service, a PodDisruptionBudget and a NetworkPolicy matches a template, and each named port
    is one of its.
    """
    for overlay in OVERLAYS:
        found = objects(overlay)
        templates = [pod for pod in map(template, found) if pod is not None]
        for obj in found:
            if obj["kind"] == "Service":
                chosen = [
                    pod for pod in templates if obj["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
                ]
                assert len(chosen) == 1, obj["metadata"]["name"]
                ports = {port["name"] for container in containers(chosen[0]) for port in container.get("ports", [])}
                assert {port["targetPort"] for port in obj["spec"]["ports"]} <= ports
            elif obj["kind"] in ("PodDisruptionBudget", "NetworkPolicy"):
                selector = obj["spec"].get("selector") or obj["spec"].get("podSelector") or {}
                wanted = selector.get("matchLabels", {}).items()
                assert any(wanted <= pod["metadata"]["labels"].items() for pod in templates), obj["metadata"]["name"]


@pytest.mark.parametrize("overlay", ["public-istio", "public-ingress"])
def test_the_public_name_stands_in_one_place(overlay: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    host = tmp_path / "deploy/overlays" / overlay / "host.yaml"
    host.write_text(host.read_text().replace("console.example.com", "ops.acme.dev"))
    built = text(overlay, tmp_path)
    assert "console.example.com" not in built
    assert "ALLOWED_HOSTS: localhost,127.0.0.1,ops.acme.dev" in built
    assert "CSRF_TRUSTED_ORIGINS: https://ops.acme.dev" in built
    assert "CONSOLE_URL: https://ops.acme.dev" in built
    assert "OIDC_ISSUER: https://ops.acme.dev/dex" in built
    # The ConfigMap, four settings, the certificate, and the gateway's places.
    assert built.count("ops.acme.dev") == (9 if overlay == "public-istio" else 8)


def test_the_console_listens_on_loopback_unless_people_sign_in() -> None:
    seen = 0
    for overlay in OVERLAYS:
        found = objects(overlay)
        settings = named(found, "ConfigMap", "console-settings")["data"]
        public = overlay.startswith("public-")
        assert (settings.get("SIGN_IN"), settings.get("HTTPS")) == (("oidc", "1") if public else (None, None))
        for obj in found:
            pod = template(obj)
            if pod is None or pod["metadata"]["labels"].get("app.kubernetes.io/component") != "web":
                continue
            (web,) = pod["spec"]["containers"]
            # "": every address, IPv4's and IPv6's (K6).
            assert web["args"][web["args"].index("--host") + 1] == ("" if public else "127.0.0.1")
            seen += 1
    assert seen == len(OVERLAYS)


@pytest.mark.parametrize("overlay", ["public-istio", "public-ingress"])
def test_the_console_takes_the_settings_of_people_who_sign_in(overlay: str, tmp_path: Path) -> None:
    """Read by the console itself, with the Secret's files in a folder of this machine; and it says itself whether it
    may listen there.
    """
    found = objects(overlay)
    settings = dict(named(found, "ConfigMap", "console-settings")["data"])
    for name, value in values("postgres", "redis").items():
        (tmp_path / name).write_text(value)
    for name in [name for name in settings if name.endswith("_FILE") and settings[name].startswith("/secrets/")]:
        settings[name] = str(tmp_path / settings[name].rpartition("/")[2])
    program = (
        "import django; django.setup(); from django.conf import settings; from console.signin import"
        " address;print(settings.SIGN_IN, settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID,"
        " len(settings.OIDC_CLIENT_SECRET), repr(address.refused()))"
    )
    environment = {
        "PATH": os.environ["PATH"],
        **settings,
        "DATA_DIR": str(tmp_path),
        "UVICORN_HOST": "0.0.0.0",
        "DJANGO_SETTINGS_MODULE": "console.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["oidc", "https://console.example.com/dex", "operator-console", "48", "''"]


def test_a_private_authority_is_where_the_settings_say(tmp_path: Path) -> None:
    """In each Pod that has the settings, and without the key that is in the same Secret. A Job can't be changed."""
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    own = tmp_path / "deploy/overlays/own/kustomization.yaml"
    own.parent.mkdir()
    own.write_text("resources: [../public-ingress]\ncomponents: [../../components/private-authority]\n")
    found = [document for document in yaml.safe_load_all(text("own", tmp_path)) if document]
    settings = named(found, "ConfigMap", "console-settings")["data"]
    assert settings["OIDC_CA_FILE"] == "/secrets/ca.crt"
    sources = [
        {"secret": {"name": "console-secrets"}},
        {"secret": {"name": "console-tls", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    ]
    changed = set()
    for obj in found:
        pod = template(obj)
        volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes", [])} if pod else {}
        if volumes.get("secrets", {}).get("projected"):
            assert volumes["secrets"]["projected"] == {"defaultMode": 0o440, "sources": sources}
            assert "secret" not in volumes["secrets"]
            changed.add(f"{obj['kind']} {obj['metadata']['name']}")
    assert changed == {f"Deployment {name}" for name in ("console", "console-worker", "console-beat")}
    named_settings = {
        f"{obj['kind']} {obj['metadata']['name']}"
        for obj in found
        if (pod := template(obj)) and "console-settings" in yaml.safe_dump(pod)
    }
    assert named_settings == changed


@pytest.mark.parametrize("overlay", ["public-istio", "public-ingress"])
def test_dex_leads_back_to_where_the_console_waits(overlay: str) -> None:
    """The address that dex knows is the console's own, and the gateway leads both to their Services."""
    found = objects(overlay)
    config = yaml.safe_load(
        named(found, "ConfigMap", "console-dex")["data"]["config.yaml"].replace(
            '{{ getenv "PUBLIC_HOST" }}', named(found, "ConfigMap", "console-host")["data"]["host"]
        )
    )
    settings = named(found, "ConfigMap", "console-settings")["data"]
    (client,) = config["staticClients"]
    assert config["issuer"] == settings["OIDC_ISSUER"] and client["id"] == settings["OIDC_CLIENT_ID"]
    assert client["redirectURIs"] == [f"{settings['CONSOLE_URL']}{reverse('signin:oidc-back')}"]
    services = {item["metadata"]["name"]: item["spec"]["ports"] for item in found if item["kind"] == "Service"}
    if overlay == "public-istio":
        http = named(found, "VirtualService", "console")["spec"]["http"]
        ways = [
            (item["route"][0]["destination"]["host"], item["route"][0]["destination"]["port"]["number"])
            for item in http
        ]
        assert ways == [("console-dex", 5556), ("console", 9000)]
        assert all(number in {port["port"] for port in services[name]} for name, number in ways)
    else:
        (rule,) = named(found, "Ingress", "console")["spec"]["rules"]
        ways = [(item["path"], item["backend"]["service"]["name"]) for item in rule["http"]["paths"]]
        assert ways == [("/dex", "console-dex"), ("/", "console")]


@pytest.mark.parametrize("overlay", ["public-istio", "public-ingress"])
def test_where_people_sign_in_the_console_itself_may_only_read(overlay: str) -> None:
    found = [obj for obj in objects(overlay) if obj["kind"] == "ClusterRole"]
    verbs = {verb for role in found for rule in role.get("rules") or () for verb in rule["verbs"]}
    assert verbs == {"get", "list", "watch"}
    (all_of_them,) = (role for role in found if role.get("aggregationRule"))
    assert all_of_them["aggregationRule"]["clusterRoleSelectors"] == [
        {"matchLabels": {"okd-style.console/aggregate": "true"}},
        {"matchLabels": {"olm.managed": "true", "rbac.authorization.k8s.io/aggregate-to-view": "true"}},
    ]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_probes_that_start_a_program_have_seconds_for_it(overlay: str) -> None:
    """The default is one second: on a busy node PostgreSQL's own pg_isready took longer."""
    for obj in objects(overlay):
        for container in containers(pod) if (pod := template(obj)) else ():
            for name in ("startupProbe", "readinessProbe", "livenessProbe"):
                probe = container.get(name) or {}
                assert "exec" not in probe or probe.get("timeoutSeconds", 1) >= 3, (container["name"], name)
