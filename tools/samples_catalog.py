#!/usr/bin/env python3
"""`.venv/bin/python tools/samples_catalog.py REGISTRY FOLDER`: what brings the sample operators to another cluster
(docs/deploy.md).

Writes into FOLDER: `packages`, examples/operators/packages with images of REGISTRY; `configs/catalog.json`, their
file-based catalog; `Containerfile`, its image; `images.sh`, which builds and pushes that and every other image;
`catalogsource.yaml`.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.realcluster.catalog import about, package_blobs  # noqa: E402

PACKAGES = ROOT / "examples/operators/packages"
#: An image of ours in any text; labels and API groups of the same domain have no tag.
IMAGE = re.compile(r"(?<![\w.-])operator-console\.dev/([a-z-]+:[\w][\w.-]*)")
OPM = "quay.io/operator-framework/opm:v1.73.0"
#: Bases of the engine's images, by tag.
ENGINES = {
    "redis-6.2": "docker.io/library/redis:6.2.19-bookworm",
    "redis-7.2": "docker.io/library/redis:7.2.10-bookworm",
    "redis-8.0": "docker.io/library/redis:8.0.3-bookworm",
    "valkey-7.2": "docker.io/valkey/valkey:7.2.10-bookworm",
    "valkey-8.0": "docker.io/valkey/valkey:8.0.4-bookworm",
}


def relocate(registry: str, target: Path) -> set[str]:
    """Copies the packages to `target`, with the registry's images; their names and tags."""
    images: set[str] = set()
    for path in sorted(path for path in PACKAGES.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8")
        images.update(IMAGE.findall(text))
        copy = target / path.relative_to(PACKAGES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(IMAGE.sub(lambda found: f"{registry}/{found[1]}", text), encoding="utf-8")
    return images


def stage(image: str) -> tuple[str, ...]:
    """The stage of examples/operators/Containerfile that makes an image (name:tag), as arguments of a build."""
    name, _colon, tag = image.partition(":")
    if name == "sampledb-engine":
        return ("--target", "sampledb-engine", "--build-arg", f"ENGINE={ENGINES[tag]}")
    if name in ("kudo-waiter", "argocd-tutorial"):
        return ("--target", name)
    if name.endswith("-operator"):
        operator = {"argocd-tutorial": "argocd"}.get(name.removesuffix("-operator"), name.removesuffix("-operator"))
        return ("--target", "operator", "--build-arg", f"OPERATOR={operator}")
    return ("--target", "program", "--build-arg", f"PROGRAM={name.partition('-')[0]}")


def build_command(image: str, registry: str) -> str:
    """`podman build` of one image, as examples/operators/Containerfile has it."""
    files = "-f examples/operators/Containerfile --ignorefile examples/operators/Containerfile.dockerignore"
    arguments = " ".join(stage(image))
    return f"podman build {files} {arguments} --build-arg IMAGES={registry} -t {registry}/{image} ."


def write(registry: str, folder: Path) -> None:
    """All files; an existing one is replaced."""
    images = sorted(relocate(registry, folder / "packages"))
    configs = folder / "configs"
    configs.mkdir(parents=True, exist_ok=True)
    blobs = [json.dumps(blob) + "\n" for blob in package_blobs(folder / "packages")]
    (configs / "catalog.json").write_text("".join(blobs), encoding="utf-8")
    (folder / "Containerfile").write_text(
        f"FROM {OPM}\nADD configs /configs\n"
        'RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]\n'
        'ENTRYPOINT ["/bin/opm"]\nCMD ["serve", "/configs", "--cache-dir=/tmp/cache"]\n'
        "LABEL operators.operatorframework.io.index.configs.v1=/configs\n",
        encoding="utf-8",
    )
    catalog = f"{registry}/samples-catalog:1.0.0"
    commands = [build_command(image, registry) for image in images]
    commands.append(f'podman build -f "$here/Containerfile" -t {catalog} "$here"')
    commands += [f"podman push {registry}/{image}" for image in images] + [f"podman push {catalog}"]
    script = (
        '#!/bin/sh\n# From the root of the checkout.\nset -eux\nhere=$(dirname "$0")\n' + "\n".join(commands) + "\n"
    )
    (folder / "images.sh").write_text(script, encoding="utf-8")
    (folder / "images.sh").chmod(0o755)
    source = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": about(PACKAGES)["name"], "namespace": "olm"},
        "spec": {
            "sourceType": "grpc",
            "image": catalog,
            "displayName": about(PACKAGES)["displayName"],
            "publisher": about(PACKAGES)["publisher"],
            "grpcPodConfig": {"securityContextConfig": "restricted"},
        },
    }
    (folder / "catalogsource.yaml").write_text(yaml.safe_dump(source, sort_keys=False), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("registry", help="where the images will be, such as registry.example.com/samples")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    write(given.registry.rstrip("/"), given.folder)
    print(f"next: {given.folder}/images.sh, then kubectl apply -f {given.folder}/catalogsource.yaml")
    return 0


if __name__ == "__main__":
    sys.exit(main())
