"""The images of a node, built by buildah into a cache by content: what the product's manifests name, and what stands
for the images that its Containerfiles begin with, since no registry of images has to be reachable.

An image is kept as a Docker archive named by the hash of all that goes into it: its Containerfile, the files that it
copies, its build arguments, and the images in FROM. Their layers are kept beside them, so that a change of the
console's code installs no package again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from tools.realcluster.build import Programs, cache, one_at_a_time
from tools.repository_files import repository_files
from tools.samples_catalog import ENGINES, IMAGE, PACKAGES, stage

from .programs import OLM_VERSIONS

ROOT = Path(__file__).resolve().parent.parent.parent
_RECIPES = Path(__file__).resolve().parent / "images"
_BUILD_SECONDS = 3600
#: An archive that no build has asked for in this time is removed: each change of the code makes new ones.
_KEPT_SECONDS = 7 * 24 * 3600
_SUITE = "trixie"
_DEBIAN_PACKAGES = ("python3", "python3-pip", "python3-venv", "ca-certificates")
#: What no container of ours reads: half of a base image.
_NEEDLESS = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "var/lib/apt/lists", "var/cache")
DEBIAN = f"localhost/realnode/debian:{_SUITE}"
PYTHON = "docker.io/library/python:3.13.7-slim-bookworm"
NODE = "docker.io/library/node:24.8.0-bookworm-slim"
ENGINE = "docker.io/valkey/valkey:8.0.4-bookworm"
METRICS = "registry.k8s.io/metrics-server/metrics-server:v0.9.0"
#: By program.
PUBLIC = {
    "traefik": "docker.io/library/traefik:v3.7.13",
    "cert-manager": "quay.io/jetstack/cert-manager-controller:v1.21.2",
}
OLM, OPM = "quay.io/operator-framework/olm:latest", "quay.io/operator-framework/opm:latest"
#: Of OLM v1, as its own manifests name them.
CONTROLLERS = {name: f"quay.io/operator-framework/{name}:devel" for name in ("operator-controller", "catalogd")}
CATALOG = "operator-console.dev/samples-catalog:1.0.0"
BUSYBOX = "docker.io/library/busybox:1.37.0"
MARIADB = "docker.io/library/mariadb:11.8"
MEMCACHED = "docker.io/library/memcached:1.6-alpine"
ARGOCD_BUNDLE = "quay.io/operatorhubio/argocd-operator:v0.18.0"
ARGOCD_CATALOG = "operator-console.dev/community-catalog:1.0.0"
#: Argo CD's bundle, and its operator by default, name the official images by their digests.
ARGOCD_DIGESTS = {
    "quay.io/argoprojlabs/argocd-operator:v0.18.0": "a09814522a72864cc10ec1be2834db63593427a9ab4779d97687a73dd30272f4",
    "quay.io/argoproj/argocd:v3.3.10": "05d68bf224df7cd39713012c19226a33c374f2f3bd65df7b9088349e4ac3e6a2",
    "ghcr.io/dexidp/dex:v2.43.1": "b08a58c9731c693b8db02154d7afda798e1888dc76db30d34c4a0d0b8a26d913",
    "public.ecr.aws/docker/library/redis:8.2.3": "08ad0b1d280850169a790dba1393ff7a90aef951fc19632cf4d3ce4f78e679ba",
}


class ImageFailed(Exception):
    """A sentence that says which image could not be built, and the end of what the builder wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """``bases``: the images of FROM that are built here.

    ``files``: name in the build's context → file, where the context isn't a folder of the repository. ``copies``: what
    of the repository goes into it.
    """

    name: str
    containerfile: Path
    bases: tuple[str, ...] = ()
    files: dict[str, Path] = field(default_factory=dict)
    copies: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """For messages and file names."""
        return self.name.rpartition("/")[2].replace(":", "-")


def _recipe(name: str, folder: str, *more: Path, bases: tuple[str, ...] = (DEBIAN,)) -> Image:
    """An image of images/; ``more``: files to copy beside those of the folder."""
    containerfile = _RECIPES / folder / "Containerfile"
    files = {path.name: path for path in (*containerfile.parent.iterdir(), *more) if path != containerfile}
    return Image(name=name, containerfile=containerfile, bases=bases, files=files)


def _program(name: str, program: Path) -> Image:
    """An image of a program that needs nothing but the C library."""
    return replace(_recipe(name, "program", program), arguments=("--build-arg", f"PROGRAM={program.name}"))


def node_images(programs: Programs) -> tuple[Image, ...]:
    """What the node itself runs."""
    return (
        _recipe("registry.k8s.io/pause:3.10", "pause", programs.path("pause"), bases=()),
        _recipe("registry.k8s.io/coredns/coredns:v1.12.4", "coredns", programs.path("coredns"), bases=()),
        _recipe(
            "docker.io/rancher/local-path-provisioner:v0.0.30",
            "volumes",
            programs.path("local-path-provisioner"),
            bases=(),
        ),
        _recipe(BUSYBOX, "busybox"),
        _program(METRICS, programs.path("metrics-server")),
    )


def base_images() -> tuple[Image, ...]:
    """What the product's Containerfiles begin with."""
    return (
        _recipe(PYTHON, "python"),
        _recipe(NODE, "node", bases=(PYTHON,)),
        _recipe(ENGINE, "valkey"),
    )


def console_images() -> tuple[Image, ...]:
    """What deploy/overlays/tutorial runs: the console by its own Containerfile, PostgreSQL and Valkey."""
    containerfile = ROOT / "deploy" / "Containerfile"
    console = Image(
        name="docker.io/library/operator-console:0.1.0",
        containerfile=containerfile,
        bases=(PYTHON, NODE),
        copies=_copied(containerfile),
    )
    return (
        console,
        _recipe("docker.io/library/postgres:17.6", "postgres"),
        _recipe("docker.io/valkey/valkey:8.1.3", "valkey"),
    )


def dex_image(dex: Path) -> Image:
    """What the overlays public-… run beside the console. Built together with the node's images, one of which it begins
    with.
    """
    return _recipe("ghcr.io/dexidp/dex:v2.43.1", "dex", dex, bases=(BUSYBOX,))


def mariadb_image() -> Image:
    """What examples/operators/galera/mariadb runs. For tests: it is large, and nothing in the catalog names it."""
    return _recipe(MARIADB, "mariadb")


def argocd_images(argocd: Programs) -> tuple[Image, ...]:
    """Argo CD's operator and what it runs, in the order of ARGOCD_DIGESTS."""
    operator, server, _, redis = ARGOCD_DIGESTS
    return (
        _recipe(operator, "argocd-operator", argocd.path("argocd-operator"), *argocd.data("argo-cd", "redis")),
        _recipe(server, "argocd", argocd.path("argocd"), *argocd.data("argo-cd", "scripts")),
        dex_image(argocd.path("dex")),
        _recipe(redis, "redis"),
    )


def argocd_catalog(argocd: Programs) -> tuple[Image, ...]:
    """A catalog with Argo CD's operator, and its bundle."""
    manifests, metadata = argocd.data("argo-cd", "bundle")
    bundle = _recipe(ARGOCD_BUNDLE, "argocd-bundle", *manifests.iterdir(), bases=())
    return (
        replace(bundle, files=bundle.files | {"annotations": metadata / "annotations.yaml"}),
        _recipe(ARGOCD_CATALOG, "argocd-catalog", bases=(OPM, ARGOCD_BUNDLE)),
    )


def public_images(programs: Programs) -> tuple[Image, ...]:
    """What acts on the objects of deploy/overlays/public-ingress."""
    return tuple(_program(name, programs.path(program)) for program, name in PUBLIC.items())


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the catalog: the head of its default channel in ``folder``, a bundle."""

    name: str
    folder: Path

    @property
    def csv(self) -> dict[str, Any]:
        """Its ClusterServiceVersion."""
        return dict(yaml.safe_load((self.folder / "csv.yaml").read_text(encoding="utf-8")))

    @property
    def bundle(self) -> str:
        """The name of its image, as images/catalog/Containerfile makes it of name and version."""
        return f"operator-console.dev/{self.name}-bundle:{self.csv['spec']['version']}"

    @property
    def annotations(self) -> dict[str, str]:
        """The labels of its image."""
        text = (self.folder / "metadata/annotations.yaml").read_text(encoding="utf-8")
        return dict(yaml.safe_load(text)["annotations"])

    @property
    def files(self) -> dict[str, Path]:
        """As `operator-sdk bundle` lays them out."""
        manifests = [path for path in self.folder.rglob("*") if path.is_file() and path.parent.name != "metadata"]
        found = {f"manifests/{path.name}": path for path in manifests}
        return found | {"metadata/annotations.yaml": self.folder / "metadata/annotations.yaml"}


def packages() -> tuple[Package, ...]:
    """All of examples/operators/packages."""
    found = []
    for path in sorted(PACKAGES.glob("*/package.json")):
        about = json.loads(path.read_text(encoding="utf-8"))
        head = next(each["head"] for each in about["channels"] if each["name"] == about["defaultChannel"])
        version = next(each["path"] for each in about["bundles"] if each["name"] == head)
        found.append(Package(about["name"], path.parent / version))
    return tuple(found)


def sample_images() -> tuple[Image, ...]:
    """What the packages' operators run as, and what they start, by examples/operators/Containerfile. Of SampleDB's
    engines only the one that begins with an image which is built here.
    """
    containerfile = ROOT / "examples" / "operators" / "Containerfile"
    listed = {image["image"] for package in packages() for image in package.csv["spec"]["relatedImages"]}
    names = {found[1] for found in map(IMAGE.fullmatch, listed) if found}
    others = {f"sampledb-engine:{tag}" for tag, base in ENGINES.items() if base != ENGINE}
    return tuple(
        Image(
            name=f"operator-console.dev/{name}",
            containerfile=containerfile,
            # buildah makes all stages before the one that is wanted.
            bases=(PYTHON, ENGINE, *((BUSYBOX,) if name.startswith("kudo-waiter") else ())),
            copies=_copied(containerfile),
            # The last one counts.
            arguments=("--build-arg", f"ENGINE={ENGINE}", *stage(name)),
        )
        for name in sorted(names - others)
    )


def olm_images(programs: Programs, versions: tuple[str, ...] = OLM_VERSIONS) -> tuple[Image, ...]:
    """OLM in these versions, a catalog of our packages, their bundles, and what their operators run: from a registry,
    as OLM pulls them each time.

    The tags of OLM v0's images are those that its catalog operator takes by default.
    """
    olm = ("olm", "catalog", "package-server", "cpb", "copy-content")
    v0 = (_recipe(OLM, "olm", *map(programs.path, olm)),) if "v0" in versions else ()
    v1 = CONTROLLERS.values() if "v1" in versions else ()
    return (
        *v0,
        *(_recipe(name, "olmv1", *map(programs.path, CONTROLLERS)) for name in v1),
        _recipe(OPM, "opm", *map(programs.path, ("opm", "grpc_health_probe"))),
        *map(_bundle, packages()),
        _catalog(),
        *sample_images(),
        _recipe(MEMCACHED, "memcached"),
    )


def _bundle(package: Package) -> Image:
    labels = (part for key, value in package.annotations.items() for part in ("--label", f"{key}={value}"))
    containerfile = _RECIPES / "bundle" / "Containerfile"
    return Image(name=package.bundle, containerfile=containerfile, files=package.files, arguments=tuple(labels))


def _catalog() -> Image:
    """Of the same files as the bundles' images, with the icons."""
    files: dict[str, Path] = {}
    for package in packages():
        files |= {f"bundles/{package.name}/{name}": path for name, path in package.files.items()}
        # argocd-tutorial is a package of examples/operators/argocd.
        program = package.name.removesuffix("-tutorial")
        files[f"icons/{package.name}.svg"] = ROOT / "examples/operators" / program / "icon.svg"
    return Image(name=CATALOG, containerfile=_RECIPES / "catalog" / "Containerfile", bases=(OPM,), files=files)


def _copied(containerfile: Path) -> tuple[str, ...]:
    """The files of the repository that a Containerfile copies."""
    found: set[str] = set()
    for line in containerfile.read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY ") and "--from=" not in line:
            found.update(line.split()[1:-1])
    return tuple(sorted(found))


class Builder:
    """Builds images, each at most once, and those that it begins with before it."""

    def __init__(self, say: Callable[[str], None]):
        self._say = say
        self._root = cache("realnode")
        self._images = {image.name: image for image in base_images()}
        self.archives = self._root / "images"
        self.archives.mkdir(parents=True, exist_ok=True)

    def build(self, images: tuple[Image, ...]) -> dict[str, Path]:
        """Name → archive; ImageFailed. A second builder waits for the first."""
        self._images |= {image.name: image for image in images}
        with one_at_a_time(self._root / "lock", self._say):
            made = {image.name: self._archive(image) for image in images}
            for archive in self.archives.iterdir():
                if archive.stat().st_mtime < time.time() - _KEPT_SECONDS:
                    archive.unlink()
            return made

    def _archive(self, image: Image) -> Path:
        target = self.archives / f"{image.short}-{self._key(image)}.tar"
        if not target.exists():
            self._bud(image, target)
        target.touch()
        return target

    def _key(self, image: Image) -> str:
        """Changes with everything that the image depends on."""
        seen = hashlib.sha256(repr((image.name, image.arguments)).encode())
        seen.update(image.containerfile.read_bytes())
        for base in image.bases:
            seen.update(_debian_key().encode() if base == DEBIAN else self._key(self._images[base]).encode())
        for name, path in sorted(image.files.items()):
            seen.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
        if image.copies:
            for path in repository_files(*image.copies):
                seen.update(path.encode() + hashlib.sha256((ROOT / path).read_bytes()).digest())
        return seen.hexdigest()[:16]

    def _bud(self, image: Image, target: Path | None) -> None:
        """Builds an image, and before it those that it begins with; without a target it stays in the storage."""
        for base in image.bases:
            self._base(base)
        started = time.monotonic()
        self._say(f"building the image {image.short} …")
        with tempfile.TemporaryDirectory(dir=self._root, prefix=f".{image.short}-") as work:
            context = ROOT if image.copies else Path(work) / "context"
            context.mkdir(exist_ok=True)
            for name, path in image.files.items():
                (context / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, context / name)
            ignore = image.containerfile.with_name(f"{image.containerfile.name}.dockerignore")
            self._buildah(
                "bud",
                "--layers",
                "--pull-never",
                *_trust(Path(work)),
                *(("--ignorefile", str(ignore)) if ignore.exists() else ()),
                *image.arguments,
                "--file",
                str(image.containerfile),
                "--tag",
                image.name,
                str(context),
            )
            size = ""
            if target:
                self._buildah("push", image.name, f"docker-archive:{work}/image.tar:{image.name}")
                Path(work, "image.tar").rename(target)
                size = f" ({target.stat().st_size / 1e6:.0f} MB)"
        self._say(f"building the image {image.short} took {time.monotonic() - started:.0f} s{size}")

    def _base(self, name: str) -> None:
        """Builds an image that others begin with, unless the storage has it."""
        image = self._images.get(name)
        marker = self._root / f"base-{self._key(image) if image else _debian_key()}"
        if marker.exists():
            return
        if image:
            self._bud(image, None)
        else:
            self._debian()
        marker.touch()

    def _debian(self) -> None:
        """The root of a Debian, by debootstrap, as the image that all others begin with."""
        started = time.monotonic()
        self._say(f"building the root of Debian {_SUITE} …")
        with tempfile.TemporaryDirectory(dir=self._root, prefix=".debian-") as work:
            root = Path(work) / "root"
            include = f"--include={','.join(_DEBIAN_PACKAGES)}"
            self._run(["debootstrap", "--variant=minbase", include, _SUITE, str(root), _mirror()])
            for name in _NEEDLESS:
                shutil.rmtree(root / name, ignore_errors=True)
                (root / name).mkdir(parents=True, exist_ok=True)
            self._run(["tar", "--create", "--file", f"{work}/root.tar", "--directory", str(root), "."])
            shutil.rmtree(root)
            (Path(work) / "Containerfile").write_text("FROM scratch\nADD root.tar /\n")
            self._buildah("bud", "--file", f"{work}/Containerfile", "--tag", DEBIAN, work)
        self._say(f"building the root of Debian {_SUITE} took {time.monotonic() - started:.0f} s")

    def _buildah(self, command: str, *arguments: str) -> None:
        storage = ["--root", str(self._root / "storage"), "--storage-driver", "overlay"]
        isolation = ["--isolation", "chroot"] if command == "bud" else []
        # In a mount namespace, with a folder for what is mounted: a build that is cut off leaves no mount behind.
        with tempfile.TemporaryDirectory(prefix="realnode-buildah-") as run:
            self._run(
                [
                    *("unshare", "--mount", "--propagation", "private", "buildah", *storage, "--runroot", run),
                    *(command, *isolation, *arguments),
                ]
            )

    def _run(self, command: list[str]) -> None:
        log = self._root / "build.log"
        with log.open("wb") as sink:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                timeout=_BUILD_SECONDS,
                check=False,
            )
        if done.returncode:
            tail = log.read_text(errors="replace")[-3000:]
            raise ImageFailed(f"{' '.join(command)} ended with {done.returncode}:\n{tail}")


def _debian_key() -> str:
    return hashlib.sha256(repr((_SUITE, _DEBIAN_PACKAGES, _NEEDLESS)).encode()).hexdigest()[:16]


def _mirror() -> str:
    """Where this machine's own packages come from."""
    command = ["apt-get", "indextargets", "--format", "$(SITE)"]
    sites = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout.split()
    return next((site for site in sites if site.rstrip("/").endswith("/debian")), "http://deb.debian.org/debian")


def _trust(work: Path) -> list[str]:
    """Steps of a build trust whom this machine trusts: where registries are reached through a proxy, its authority is
    in this machine's store only. Mounted for the build, so the image contains none of it.
    """
    store = "/etc/ssl/certs/ca-certificates.crt"
    files = {
        "/etc/pip.conf": f"[global]\ncert = {store}\n",
        "/etc/uv/uv.toml": "native-tls = true\n",
        "/root/.npmrc": f"cafile={store}\n",
    }
    # The file alone: packages write beside it.
    volumes = ["--volume", f"{store}:{store}:ro"]
    for number, (target, text) in enumerate(files.items()):
        path = work / f"trust-{number}"
        path.write_text(text)
        volumes += ["--volume", f"{path}:{target}:ro"]
    return volumes
