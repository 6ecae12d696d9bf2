"""What holds for each bundle of ours: it agrees with itself, with its package, and with the program that runs in its
image.
"""

import base64
import json
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tools.realcluster.build import cache
from tools.realcluster.catalog import package_blobs

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ROOT / "examples" / "operators" / "packages"
NAMES = sorted(path.parent.name for path in PACKAGES.glob("*/package.json"))
FOLDERS = sorted(path.parent for path in PACKAGES.glob("*/*/csv.yaml"))
MODES = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")


@dataclass(frozen=True)
class Bundle:
    """One version of a package, with its CRDs by their kind."""

    folder: Path
    package: dict[str, Any]
    csv: dict[str, Any]
    crds: dict[str, dict[str, Any]]

    @property
    def owned(self) -> dict[tuple[str, str], dict[str, Any]]:
        """By kind and version."""
        owned = self.csv["spec"]["customresourcedefinitions"]["owned"]
        return {(item["kind"], item["version"]): item for item in owned}

    def schema(self, kind: str, name: str) -> dict[str, Any]:
        (version,) = (each for each in self.crds[kind]["spec"]["versions"] if each["name"] == name)
        return dict(version["schema"]["openAPIV3Schema"])

    @property
    def examples(self) -> list[dict[str, Any]]:
        return list(json.loads(self.csv["metadata"]["annotations"]["alm-examples"]))


@pytest.fixture(params=FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def bundle(request: pytest.FixtureRequest) -> Bundle:
    folder: Path = request.param
    package = json.loads((folder.parent / "package.json").read_text())
    crds = [yaml.safe_load(path.read_text()) for path in (folder / "crds").iterdir()]
    by_kind = {crd["spec"]["names"]["kind"]: crd for crd in crds}
    return Bundle(folder, package, yaml.safe_load((folder / "csv.yaml").read_text()), by_kind)


def test_there_are_some() -> None:
    assert {"argocd-tutorial", "flightticket", "galera", "memcached", "sampledb"} <= set(NAMES)


def test_the_csv_owns_the_crds(bundle: Bundle) -> None:
    """Each version of them, as OLM wants it."""
    versions = {(kind, version["name"]) for kind, crd in bundle.crds.items() for version in crd["spec"]["versions"]}
    assert bundle.owned.keys() == versions
    for (kind, _), owned in bundle.owned.items():
        assert owned["name"] == bundle.crds[kind]["metadata"]["name"]


def test_the_package_points_at_the_bundle(bundle: Bundle) -> None:
    name = bundle.csv["metadata"]["name"]
    assert {"name": name, "version": bundle.csv["spec"]["version"], "path": bundle.folder.name} in bundle.package[
        "bundles"
    ]
    holding = [
        channel["name"]
        for channel in bundle.package["channels"]
        if name in [entry["name"] for entry in channel["entries"]]
    ]
    annotations = yaml.safe_load((bundle.folder / "metadata" / "annotations.yaml").read_text())["annotations"]
    prefix = "operators.operatorframework.io.bundle"
    assert annotations[f"{prefix}.package.v1"] == bundle.package["name"] == bundle.folder.parent.name
    assert sorted(annotations[f"{prefix}.channels.v1"].split(",")) == sorted(holding)
    assert annotations[f"{prefix}.channel.default.v1"] == bundle.package["defaultChannel"]


@pytest.mark.parametrize("name", NAMES)
def test_the_channels_agree_with_the_bundles(name: str) -> None:
    package = json.loads((PACKAGES / name / "package.json").read_text())
    assert package["defaultChannel"] in [channel["name"] for channel in package["channels"]]
    assert sorted(item["path"] for item in package["bundles"]) == sorted(
        folder.name for folder in FOLDERS if folder.parent.name == name
    )
    versions = {item["name"]: item["version"] for item in package["bundles"]}
    for channel in package["channels"]:
        entries = channel["entries"]
        assert {entry["name"]: entry["version"] for entry in entries}.items() <= versions.items()
        followed = {entry.get("replaces") for entry in entries} | {
            name for entry in entries for name in entry.get("skips", ())
        }
        assert [entry["name"] for entry in entries if entry["name"] not in followed] == [channel["head"]]


def test_the_examples_are_valid(bundle: Bundle) -> None:
    assert bundle.examples
    for example in bundle.examples:
        jsonschema.validate(example, bundle.schema(*_kind(example)))
    assert {_kind(example) for example in bundle.examples} == bundle.owned.keys()


def _kind(example: dict[str, Any]) -> tuple[str, str]:
    return example["kind"], example["apiVersion"].rpartition("/")[2]


def test_every_descriptor_names_a_field(bundle: Bundle) -> None:
    for key, owned in bundle.owned.items():
        for part in ("spec", "status"):
            for descriptor in owned[f"{part}Descriptors"]:
                node = bundle.schema(*key)["properties"][part]
                for step in descriptor["path"].split("."):
                    node = node["properties"][step]


def test_every_field_is_described(bundle: Bundle) -> None:
    def fields(node: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, child in [*(node.get("properties") or {}).items(), ("[]", node.get("items"))]:
            if child:
                yield f"{path}.{name}", child
                yield from fields(child, f"{path}.{name}")

    undescribed = [
        path
        for kind, version in bundle.owned
        for path, node in fields(bundle.schema(kind, version)["properties"]["spec"], kind)
        if not node.get("description") and not path.endswith((".[]", ".cpu", ".memory"))
    ]
    assert undescribed == []


def test_its_images_are_known_to_the_sandbox(bundle: Bundle) -> None:
    images = tomllib.loads((ROOT / "examples" / "operators" / "images.toml").read_text())["image"]
    listed = [item["image"] for item in bundle.csv["spec"]["relatedImages"]]
    (deployment,) = bundle.csv["spec"]["install"]["spec"]["deployments"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == bundle.csv["metadata"]["annotations"]["containerImage"]
    assert container["image"] in listed
    for image in listed:
        if image.startswith("operator-console.dev/"):
            assert any(fnmatch(image, entry["match"]) for entry in images), image


def test_its_icon_is_the_file(bundle: Bundle) -> None:
    (icon,) = bundle.csv["spec"]["icon"]
    # argocd-tutorial is a package of examples/operators/argocd: its name tells it from the community's
    # (docs/decisions/0019).
    program = bundle.folder.parent.name.removesuffix("-tutorial")
    file = ROOT / "examples" / "operators" / program / "icon.svg"
    assert base64.b64decode(icon["base64data"]) == file.read_bytes()


def test_it_installs_in_every_mode(bundle: Bundle) -> None:
    modes = {mode["type"]: mode["supported"] for mode in bundle.csv["spec"]["installModes"]}
    assert modes == dict.fromkeys(MODES, True)


def opm_accepts(folder: Path, blobs: Iterable[dict[str, Any]]) -> str:
    """Errors of `opm validate` for a catalog; empty if there are none. Skipped where opm hasn't been built."""
    program = next(cache().glob("opm-*/opm"), None)
    if program is None:
        pytest.skip("needs opm, which tools/realcluster builds (make real-cluster)")
    folder.mkdir()
    (folder / "catalog.json").write_text("".join(json.dumps(blob) + "\n" for blob in blobs))
    done = subprocess.run([str(program), "validate", str(folder)], capture_output=True, text=True, check=False)
    return done.stderr or str(done.returncode) if done.returncode else ""


def test_opm_accepts_the_catalog_and_every_package_of_it(tmp_path: Path) -> None:
    blobs = [*package_blobs(PACKAGES)]
    assert opm_accepts(tmp_path / "all", blobs) == ""
    for name in NAMES:
        mine = [blob for blob in blobs if name in (blob.get("package"), blob.get("name"))]
        versions = {item["name"] for item in mine if item["schema"] == "olm.bundle"}
        assert versions == {
            yaml.safe_load((path / "csv.yaml").read_text())["metadata"]["name"]
            for path in FOLDERS
            if path.parent.name == name
        }
        assert opm_accepts(tmp_path / name, mine) == ""
        # It does look: a package whose default channel is not there is refused.
        broken = [{**item, "defaultChannel": "nowhere"} if item["schema"] == "olm.package" else item for item in mine]
        assert "nowhere" in opm_accepts(tmp_path / f"{name}-broken", broken)


def test_k12_a_column_named_after_a_setting_prints_it(bundle: Bundle) -> None:
    """K12: VERSION said 6.2.14, what the program reports of itself, where spec.version is 7.2."""
    for crd in bundle.crds.values():
        for version in crd["spec"]["versions"]:
            spec = version["schema"]["openAPIV3Schema"]["properties"].get("spec", {}).get("properties", {})
            values = [name for name, schema in spec.items() if schema.get("type") not in ("object", "array", None)]
            settings = {name.lower(): f".spec.{name}" for name in values}
            for column in version.get("additionalPrinterColumns", []):
                wanted = settings.get(column["name"].lower())
                assert wanted is None or column["jsonPath"] == wanted, column


def test_k8_operators_may_elect_a_leader(bundle: Bundle) -> None:
    """K8: each of ours waits for a Lease in its own namespace (examples/operators/leader.py)."""
    install = bundle.csv["spec"]["install"]["spec"]
    rules = [rule for entry in install["permissions"] for rule in entry["rules"]]
    (leases,) = (rule for rule in rules if rule["apiGroups"] == ["coordination.k8s.io"])
    assert (leases["resources"], leases["verbs"]) == (["leases"], ["get", "create", "patch"])


def test_the_image_has_every_package_of_ours_that_operators_import() -> None:
    """K14's class: a development machine has the whole checkout, an image only what is copied into it."""
    tests = Path(__file__).parent
    sources = [path.read_text() for path in set((ROOT / "examples").rglob("*.py")) - set(tests.rglob("*.py"))]
    imported = {name for text in sources for name in re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE)}
    ours = {name for name in imported if (ROOT / name / "__init__.py").is_file()}
    stage = (ROOT / "examples/operators/Containerfile").read_text().partition(" AS code\n")[2].partition("\nFROM ")[0]
    assert ours == set(re.findall(r"^COPY (\w+) \1$", stage, re.MULTILINE))
