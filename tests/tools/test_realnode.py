"""What tools/realnode says of itself agrees with the manifests and Containerfiles, without a node."""

import base64
import contextlib
import os
import re
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from tests.eventually import until
from tools.realcluster.build import Programs
from tools.realcluster.certificates import Authority
from tools.realcluster.process import ClusterPart, PartFailed, RunningPart
from tools.realnode import images, keeper, node, olm, olmv1, packages, programs, public, restarts

ROOT = Path(__file__).resolve().parents[2]


def _wanted(folder: Path) -> set[str]:
    """The images that manifests name."""
    text = "\n".join(path.read_text() for path in folder.rglob("*.yaml"))
    return set(re.findall(r"^ *(?:- )?image: ([\w./-]+:[\w.-]+)$", text, re.MULTILINE))


def test_every_image_of_the_base_is_made() -> None:
    made = {image.name for image in images.console_images()}
    assert _wanted(ROOT / "deploy/base") <= made
    kustomization = yaml.safe_load((ROOT / "deploy/base/kustomization.yaml").read_text())
    for image in kustomization["images"]:
        assert f"docker.io/library/{image['name']}:{image['newTag']}" in made


def test_every_image_that_a_containerfile_begins_with_is_made(tmp_path: Path) -> None:
    for image in (*images.console_images(), *images.base_images(), *_olm_images(tmp_path).values()):
        froms = re.findall(r"^FROM (\S+)(?: AS (\S+))?", image.containerfile.read_text(), re.MULTILINE)
        stages = {name for _, name in froms}
        wanted = {base for base, _ in froms} - stages - {"scratch", "${ENGINE}", "docker.io/library/busybox:1.37.0"}
        assert wanted <= set(image.bases), image.name


def _olm_images(folder: Path) -> dict[str, images.Image]:
    v0 = ("olm", "catalog", "package-server", "cpb", "copy-content")
    for name in (*v0, *images.CONTROLLERS, "opm", "grpc_health_probe"):
        (folder / name).touch()
    return {image.name: image for image in images.olm_images(Programs({"made": folder}))}


def test_every_image_that_olm_pulls_is_made(tmp_path: Path) -> None:
    made = _olm_images(tmp_path)
    found = images.packages()
    assert {package.name for package in found} >= {"flightticket", "galera", "memcached", "sampledb"}
    for package in found:
        listed = {image["image"] for image in package.csv["spec"]["relatedImages"]}
        # Of SampleDB's engines only the one that Debian's Valkey stands for.
        left_out = {name for name in listed - set(made) if name.startswith("operator-console.dev/sampledb-engine:")}
        assert listed - left_out <= set(made)
        assert package.bundle in made
    assert "operator-console.dev/sampledb-engine:valkey-8.0" in made
    assert _wanted(ROOT / "tools/realnode/manifests/olm") | {images.OLM, images.OPM} <= set(made)
    (catalog,) = yaml.safe_load_all((ROOT / "tools/realnode/manifests/olmv1/catalog.yaml").read_text())
    assert catalog["spec"]["source"]["image"]["ref"] == images.CATALOG
    assert {images.CATALOG, *images.CONTROLLERS.values()} <= set(made)


def test_only_what_a_version_of_olm_needs_is_built(tmp_path: Path) -> None:
    _olm_images(tmp_path)
    programs = Programs({"made": tmp_path})
    v0, v1 = ({image.name for image in images.olm_images(programs, (version,))} for version in ("v0", "v1"))
    assert v0 - v1 == {images.OLM}
    assert v1 - v0 == set(images.CONTROLLERS.values())


def test_a_bundle_is_built_of_all_files_of_its_version(tmp_path: Path) -> None:
    made = _olm_images(tmp_path)
    for package in images.packages():
        bundle = made[package.bundle]
        assert set(bundle.files.values()) == {path for path in package.folder.rglob("*") if path.is_file()}
        assert {name.partition("/")[0] for name in bundle.files} == {"manifests", "metadata"}
        labels = dict(each.split("=") for each in bundle.arguments if each != "--label")
        assert labels == package.annotations
        # The catalog is rendered of the same files.
        copied = {f"bundles/{package.name}/{name}": path for name, path in bundle.files.items()}
        assert copied.items() <= made[images.CATALOG].files.items()


def test_the_catalog_has_the_head_of_each_default_channel() -> None:
    found = {package.name: package.csv["metadata"]["name"] for package in images.packages()}
    assert found["flightticket"] == "flightticket-operator.v1.1.0"
    assert found["memcached"] == "memcached-operator.v0.1.0"
    for package in images.packages():
        # The catalog's Containerfile reads the name by sed.
        lines = (package.folder / "csv.yaml").read_text().splitlines()
        assert next(line for line in lines if line.startswith("  name: ")).split() == ["name:", found[package.name]]


def test_olms_manifests_name_our_image_and_no_catalog_that_is_out_of_reach() -> None:
    upstream = (
        f"---\nkind: Deployment\nimage: quay.io/operator-framework/olm@sha256:{'0a' * 32}\n"
        "args:\n  - '-namespace'\n  - -util-image\n  - --long\n  - -v=4\n"
        "---\nkind: CatalogSource\nimage: quay.io/operatorhubio/catalog:latest\n"
    )
    parts = [part for part in yaml.safe_load_all(olm.adapted(upstream)) if part]
    args = ["--namespace", "--util-image", "--long", "-v=4"]
    assert parts == [{"kind": "Deployment", "image": images.OLM, "args": args}]


def test_olm_v1_gets_the_certificates_that_it_orders_from_cert_manager(tmp_path: Path) -> None:
    pod = {"containers": [{"volumeMounts": []}], "volumes": []}
    upstream = [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {}, "spec": {"template": {"spec": pod}}},
        {
            "apiVersion": "cert-manager.io/v1",
            "kind": "Certificate",
            "metadata": {"name": "ordered", "namespace": "system"},
            "spec": {"secretName": "served", "dnsNames": ["catalogd.system.svc"]},
        },
        {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {}, "spec": {"isCA": True}},
        {"apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer", "metadata": {}, "spec": {}},
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingWebhookConfiguration",
            "metadata": {"annotations": {"cert-manager.io/inject-ca-from-secret": "x/y"}},
            "webhooks": [{"clientConfig": {}}],
        },
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "system"}},
    ]
    authority = Authority(tmp_path)
    made = list(yaml.safe_load_all(olmv1.adapted(yaml.safe_dump_all(upstream), authority, "10.0.0.1:5000")))
    kinds = ["Namespace", "Secret", "ConfigMap", "Deployment", "MutatingWebhookConfiguration"]
    assert [item["kind"] for item in made] == kinds
    _, secret, registries, deployment, webhooks = made
    assert secret["metadata"] == {"name": "served", "namespace": "system"}
    served = x509.load_pem_x509_certificate(base64.b64decode(secret["data"]["tls.crt"]))
    names = served.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["catalogd.system.svc"]
    trusted = base64.b64decode(webhooks["webhooks"][0]["clientConfig"]["caBundle"])
    assert trusted == base64.b64decode(secret["data"]["ca.crt"]) == authority.certificate.read_bytes()
    assert 'location = "10.0.0.1:5000"' in registries["data"]["registries.conf"]
    (mount,) = deployment["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    assert mount["mountPath"] == "/etc/containers"


def test_every_image_of_the_public_overlay_s_controllers_is_made(tmp_path: Path) -> None:
    for name in images.PUBLIC:
        (tmp_path / name).touch()
    made = images.public_images(Programs({"made": tmp_path}))
    assert _wanted(ROOT / "tools/realnode/manifests/public") == {image.name for image in made}
    assert {image.arguments for image in made} == {("--build-arg", f"PROGRAM={name}") for name in images.PUBLIC}


def test_the_public_name_is_the_overlays_and_leads_to_the_gateway() -> None:
    """For Pods (CoreDNS), for the API server (/etc/hosts) and for browsers (tests/node/gateway.py)."""
    hosts = [yaml.safe_load(path.read_text())["data"]["host"] for path in ROOT.glob("deploy/overlays/*/host.yaml")]
    assert set(hosts) == {keeper.PUBLIC}
    folder = ROOT / "tools/realnode/manifests"
    assert f"{keeper.GATEWAY} {keeper.PUBLIC}\n" in (folder / "dns.yaml").read_text()
    traefik = list(yaml.safe_load_all((folder / "public/traefik.yaml").read_text()))
    assert [item["spec"]["clusterIP"] for item in traefik if item["kind"] == "Service"] == [keeper.GATEWAY]


def test_cert_manager_s_chart_is_rendered_with_its_default_values() -> None:
    template = """{{- if .Values.global.rbac.create }}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ template "cert-manager.fullname" . }}-approve
  namespace: {{ .Values.global.leaderElection.namespace }}
  labels:
    app: {{ include "cert-manager.name" . }}
    {{- include "labels" . | nindent 4 }}
rules:
  {{- /*
    Not only: "approve"
  */ -}}
  - verbs: ["approve"]
    {{- with .Values.approveSignerNames }}
    resourceNames:
    {{- range . }}
    - {{ . | quote }}
    {{- end  }}
    {{- end }}
{{- end -}}
"""
    role = yaml.safe_load(public.rendered(template))
    labels = {"app": "cert-manager"}
    assert role["metadata"] == {"name": "cert-manager-approve", "namespace": "kube-system", "labels": labels}
    signers = ["issuers.cert-manager.io/*", "clusterissuers.cert-manager.io/*"]
    assert role["rules"] == [{"verbs": ["approve"], "resourceNames": signers}]


def test_metrics_server_gets_our_image(tmp_path: Path) -> None:
    upstream = "containers:\n- name: metrics-server\n  image: registry.example/staging/metrics-server:master\n"
    (container,) = yaml.safe_load(node.with_our_metrics_server(upstream))["containers"]
    for name in ("pause", "coredns", "local-path-provisioner", "metrics-server"):
        (tmp_path / name).touch()
    made = images.node_images(Programs({"made": tmp_path}))
    assert container["image"] in {image.name for image in made}


def test_metrics_server_is_built_of_the_control_planes_libraries() -> None:
    """Others would be compiled for it alone: 900 packages instead of 23."""

    def versions(folder: Path) -> dict[str, str]:
        text = (folder / "go.mod").read_text()
        replaced = re.findall(r"^\t(\S+) => \S+ (v\S+)$", text, re.MULTILINE)
        return dict(re.findall(r"^\t(\S+) (v\S+) // indirect$", text, re.MULTILINE)) | dict(replaced)

    ours, theirs = versions(programs.METRICS.folder), versions(programs.NODE.folder)
    shared = ours.keys() & theirs.keys()
    assert len(shared) > 60
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


def test_the_console_is_built_of_what_its_containerfile_copies() -> None:
    console = images.console_images()[0]
    assert {"console", "pyproject.toml", "uv.lock", "deploy/probe.py"} <= set(console.copies)


def test_an_unused_archive_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REALNODE_CACHE", str(tmp_path))
    builder = images.Builder(lambda _text: None)
    wanted = images.mariadb_image()
    monkeypatch.setattr(builder, "_bud", lambda _image, target: target.touch())
    [archive] = builder.build((wanted,)).values()
    other = archive.with_name("other.tar")
    other.touch()
    for path in (archive, other):
        os.utime(path, (0, 0))
    assert builder.build((wanted,)) == {wanted.name: archive}
    assert archive.exists() and not other.exists()


def test_the_authority_of_a_node_states_no_key_usage(tmp_path: Path) -> None:
    plain = Authority(tmp_path / "plain", states_usage=False)
    usual = Authority(tmp_path / "usual")
    for authority, states in ((plain, False), (usual, True)):
        certificate = x509.load_pem_x509_certificate(authority.certificate.read_bytes())
        found = [extension.oid for extension in certificate.extensions]
        assert (x509.KeyUsage.oid in found) == states


def test_who_is_not_root_is_told_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr(packages, "missing", lambda: ["buildah", "runc"])
    with pytest.raises(packages.PackagesMissing, match="apt-get install buildah runc"):
        packages.install(lambda text: None)


def _restarts(folder: Path, script: str) -> tuple[restarts.Restarts, list[RunningPart], list[str]]:
    part = ClusterPart(name="part", command=("/bin/sh", "-c", script), ready=lambda: True)
    parts, words = [RunningPart(part, folder)], list[str]()
    return restarts.Restarts(parts, words.append), parts, words


def test_a_part_that_is_killed_is_started_again(tmp_path: Path) -> None:
    found, parts, words = _restarts(tmp_path, "echo started; sleep 60")
    try:
        first = parts[0].process.pid
        until(lambda: "started" in parts[0].log.read_text(), seconds=10)
        parts[0].process.kill()
        until(lambda: parts[0].process.pid != first, "another process", seconds=10)
        until(lambda: parts[0].log.read_text().count("started") == 2, "the first log is kept", seconds=10)
        assert words == ["part ended with code -9; starting it again"]
        assert found.counts == {"part": 1}
        found.check()
    finally:
        found.stop()
        parts[0].terminate()
        parts[0].end()


def test_a_part_that_ends_too_often_stays_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "_RESTART_SECONDS", 0.01)
    found, parts, _words = _restarts(tmp_path, "echo broken; exit 3")

    def problem() -> str:
        with contextlib.suppress(PartFailed):
            found.check()
            return ""
        return "failed"

    until(lambda: problem() == "failed", seconds=30)
    found.stop()
    with pytest.raises(PartFailed, match=r"part ended 6 times in 600 s[^\n]*\n(broken\n){6}"):
        found.check()
    assert found.counts == {"part": restarts.MAX_RESTARTS}
    parts[0].end()
