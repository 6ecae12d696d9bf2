"""What tools/realnode says of itself agrees with the manifests and Containerfiles, without a node."""

import re
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from tools.realcluster.certificates import Authority
from tools.realnode import images, packages

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


def test_every_image_that_a_containerfile_begins_with_is_made() -> None:
    for image in images.console_images() + images.sample_images() + images.base_images():
        froms = re.findall(r"^FROM (\S+)(?: AS (\S+))?", image.containerfile.read_text(), re.MULTILINE)
        stages = {name for _, name in froms}
        wanted = {base for base, _ in froms} - stages - {"scratch", "${ENGINE}", "docker.io/library/busybox:1.37.0"}
        assert wanted <= set(image.bases), image.name


def test_the_console_is_built_of_what_its_containerfile_copies() -> None:
    console = images.console_images()[0]
    assert {"console", "pyproject.toml", "uv.lock", "deploy/probe.py"} <= set(console.copies)


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
